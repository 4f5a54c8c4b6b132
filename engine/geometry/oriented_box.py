"""Oriented boxes around hulls, in single precision, as PhysX begins to crop a hull.

The box has one of the hull's principal axes and one of 20 turns about it, 18° apart, whichever box is the smallest; of
equal ones the last.
"""

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np

from .half_edges import cross
from .hull_moments import HALF, ONE, TWO, moments_of_hull, principal_rotation

STEPS = 20


def box_around_hull(points: np.ndarray, faces: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return half the sides (3,), the centre (3,) and the axes, as rows (3, 3), of a box around a hull.

    Args:
        points: vertices of the hull (N, 3), in single precision.
        faces: the vertices of each face.
    """
    com, inertia = moments_of_hull(points, faces)
    axes = axes_of(principal_rotation(inertia))
    least, best = np.float32(np.finfo(np.float32).max), None
    for axis in axes:
        for step in range(STEPS):
            half = np.float32(step) * np.float32(radians(360 / STEPS)) * HALF
            rotation = np.array([*(axis * np.float32(sin(half))), cos(half)], np.float32)
            turned = turned_back(rotation, points - com)
            low, high = turned.min(axis=0), turned.max(axis=0)
            sides = high - low
            if (volume := sides[0] * sides[1] * sides[2]) <= least:
                least, best = volume, (sides, rotation, high - sides * HALF)
    assert best is not None
    sides, rotation, off = best
    frame, centre = axes_of(rotation), com
    for along, axis in zip(off, frame, strict=True):
        centre = centre + axis * along
    return sides * HALF, centre, frame


def axes_of(q: np.ndarray) -> np.ndarray:
    """Return the axes of the frame of a quaternion (4,), as rows (3, 3), by the operations of vector registers."""
    twice, v, w = q + q, q[:3], q[3]
    wx, wy, wz, ww = twice[0] * w, twice[1] * w, twice[2] * w, twice[3] * w - ONE
    rest = np.array(((ww, wz, -wy), (-wz, ww, wx), (wy, -wx, ww)))
    return v * twice[:3, None] + rest


def turned_back(q: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return points (N, 3) rotated by the inverse of a quaternion (4,)."""
    u, w = q[:3], q[3]
    crossed, along = cross(u, points.T).T, points * u
    across = (along[:, 0] + along[:, 2]) + along[:, 1]
    return (u * across[:, None] + (points * (w * w - HALF) - crossed * w)) * TWO
