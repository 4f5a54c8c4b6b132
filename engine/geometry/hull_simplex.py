"""The first tetrahedron of a convex hull."""

import numpy as np

from .half_edges import cross, dot

FLAT = np.float32(1e-6)  # of the longest side: thinner point sets do not span a volume


def first_simplex(points: np.ndarray) -> tuple[int, int, int, int] | None:
    """Return four of the points (N, 3), chosen as PhysX does; None if they do not span a volume.

    The extreme points of the longest axis (the largest first), the farthest from their line, the farthest from the
    plane of these three.
    """
    if len(points) < 4:
        return None
    highest, lowest = points.argmax(axis=0), points.argmin(axis=0)
    sides = points[highest, (0, 1, 2)] - points[lowest, (0, 1, 2)]
    axis = int(sides.argmax())
    a, b = int(highest[axis]), int(lowest[axis])
    if not sides[axis] > 0.0:
        return None
    along = points[b] - points[a]
    along = along * reciprocal_root(dot(along, along))
    arms = points - points[a]
    normals = cross(along, arms.T).T
    from_line = dot(normals, normals)
    from_line[[a, b]] = 0.0
    c = int(from_line.argmax())
    if not from_line[c] > (FLAT * sides[axis]) ** 2:
        return None
    normal = normals[c] * reciprocal_root(from_line[c])
    from_plane = np.abs(dot(points, normal) - dot(points[c], normal))
    from_plane[[a, b, c]] = 0.0
    d = int(from_plane.argmax())
    return (a, b, c, d) if from_plane[d] > FLAT * sides[axis] else None


def reciprocal_root(square: np.ndarray) -> np.ndarray:
    """Return 1/√x, by which PhysX makes vectors unit: a last bit decides between points that are equally far."""
    return np.reciprocal(np.sqrt(square))
