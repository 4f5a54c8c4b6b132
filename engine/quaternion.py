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


def rounded(q: np.ndarray, number: type[np.floating]) -> np.ndarray:
    """Return quaternions in a type, made unit by its operations as PhysX makes poses, (..., 4).

    In single precision a quarter turn (s, 0, 0, s) has s = 0.70710683, not the nearest number 0.70710677.
    """
    x, y, z, w = np.moveaxis(q := np.asarray(q, number), -1, 0)
    size = np.sqrt(((x * x + y * y) + z * z) + w * w)
    return q * (number(1.0) / np.where(size > 0.0, size, number(1.0)))[..., None]


def slerp(a: np.ndarray, b: np.ndarray, share: float | np.ndarray) -> np.ndarray:
    """Return the rotation at a share of the shortest way from a to b, (..., 4)."""
    turn = multiply(b, conjugate(a))
    return multiply(from_rotation_vector(rotation_vector(turn) * share), a)


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """Return the rotation vector of a rotation, at most half a turn, (..., 3)."""
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    return q[..., :3] * np.where(sine > 0.0, 2.0 * np.arctan2(sine, q[..., 3:]) / np.where(sine > 0.0, sine, 1.0), 2.0)


def from_rotation_vector(v: np.ndarray) -> np.ndarray:
    """Return the rotation by a rotation vector, (..., 4)."""
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2.0
    return np.concatenate([v * (np.sinc(half / np.pi) / 2.0), np.cos(half)], -1)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return vectors v, (..., 3), rotated by q, (..., 4)."""
    t = 2.0 * cross(q[..., :3], v)
    return v + q[..., 3:] * t + cross(q[..., :3], t)
