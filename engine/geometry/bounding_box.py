"""Bounding boxes of points, in single precision, as PhysX finds them: turned to fit, though not the smallest ones.

The box is turned by whole degrees about each principal axis of the inertia of the convex hull, from the axes of the
points; the first of the boxes with the least volume counts.
"""

import numpy as np

from .convex_hull import CPU_LIMITS, cook_hull
from .half_edges import dot
from .hull_features import Faces
from .hull_moments import HALF, TWO, columns_of, moments_of_hull, principal_rotation

TURNS = 360
DEGREE = np.float32(0.01745329251994329547)


def bounding_box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return half the sides (3,), centre (3,) and rotation (x, y, z, w) of a box around points (N, 3) [stage units].

    None if they do not span a volume, or one that single precision does not hold.
    """
    hull = cook_hull(points, CPU_LIMITS)
    if hull is None:
        return None
    with np.errstate(all="ignore"):
        found = smallest_box(hull.points.astype(np.float32), hull.faces)
    if found is None:
        return None
    sides, turn, centre = found
    back = turn * np.array((-1.0, -1.0, -1.0, 1.0), np.float32)
    return sides * HALF, rotated(back, centre), back


def smallest_box(vertices: np.ndarray, faces: Faces) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return sides (3,), rotation (4,) into the box and centre (3,) there of the box with the least finite volume."""
    least, best = np.float32(np.inf), None
    for axis in columns_of(principal_rotation(moments_of_hull(vertices, faces)[1])):
        halves = np.arange(TURNS, dtype=np.float32) * DEGREE * HALF
        turns = np.concatenate((axis * np.sin(halves)[:, None], np.cos(halves)[:, None]), axis=1)
        turned = rotated(turns[:, None], vertices)
        low, high = turned.min(axis=1), turned.max(axis=1)
        sides = high - low
        volumes = sides[:, 0] * sides[:, 1] * sides[:, 2]
        i = volumes.argmin()
        if volumes[i] < least:
            least, best = volumes[i], (sides[i], turns[i], (high[i] + low[i]) * HALF)
    return best


def rotated(turns: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (…, 3) rotated by quaternions (…, 4)."""
    u, w, twice = turns[..., :3], turns[..., 3:], TWO * vectors
    return twice * (w * w - HALF) + np.cross(u, twice) * w + u * dot(u, twice)[..., None]
