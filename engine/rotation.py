"""Quaternions (x, y, z, w) in NumPy, for what happens once on the host."""

import numpy as np


def conjugate(q: np.ndarray) -> np.ndarray:
    """Return the inverse rotation, (..., 4)."""
    return q * np.array((-1.0, -1.0, -1.0, 1.0))


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rotation by b, then by a, (..., 4)."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    v = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([v, aw * bw - (av * bv).sum(-1, keepdims=True)], -1)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return vectors v, (..., 3), rotated by q, (..., 4)."""
    t = 2.0 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)
