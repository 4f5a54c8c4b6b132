"""Quaternions (x, y, z, w) in NumPy, for computations on the host before a simulation."""

import numpy as np

NEXT, LAST = np.array((1, 2, 0)), np.array((2, 0, 1))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a × b, (..., 3); `numpy.cross` takes ten times as long for one vector."""
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def conjugate(q: np.ndarray) -> np.ndarray:
    """Return the inverse rotation, (..., 4)."""
    return q * np.array((-1.0, -1.0, -1.0, 1.0))


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rotation by b followed by the rotation by a, (..., 4)."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    v = aw * bv + bw * av + cross(av, bv)
    return np.concatenate([v, aw * bw - (av * bv).sum(-1, keepdims=True)], -1)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return vectors v, (..., 3), rotated by q, (..., 4)."""
    t = 2.0 * cross(q[..., :3], v)
    return v + q[..., 3:] * t + cross(q[..., :3], t)
