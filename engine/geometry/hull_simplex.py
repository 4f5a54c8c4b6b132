"""The first tetrahedron of a convex hull, and the distances below which its points lie in one face."""

from typing import NamedTuple

import numpy as np

from .half_edges import cross, dot

THICKNESS = np.float32(3.0 * 1.1920929e-7)
PLANE_TOLERANCE = np.float32(0.0007)


class Tolerances(NamedTuple):
    """Distances of a point from a face: outside of it, and so far outside that it gets faces of its own."""

    outside: np.float32
    plane: np.float32


def tolerances_of(points: np.ndarray) -> Tolerances:
    """Return the tolerances of points (N, 3): shares of half the sum of their box's sides, at least of 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high[0] - low[0] + high[1] - low[1] + high[2] - low[2]) * np.float32(0.5)
    return Tolerances(max(THICKNESS * size, THICKNESS), max(PLANE_TOLERANCE * size, PLANE_TOLERANCE))


def first_simplex(points: np.ndarray) -> tuple[int, int, int, int] | None:
    """Return four of the points (N, 3), chosen as PhysX does; None if they do not span a volume.

    The extreme points of the longest axis (the largest first), the farthest from their line, the farthest from the
    plane of these three.
    """
    if len(points) < 4:
        return None
    outside = tolerances_of(points).outside
    a, b, length = longest_axis(points)
    if not length > outside:
        return None
    normals = normals_from_line(points, a, b)
    from_line = dot(normals, normals)
    from_line[[a, b]] = 0.0
    c = int(from_line.argmax())
    if not np.sqrt(from_line[c]) > outside:
        return None
    normal = unit(normals[c])
    from_plane = np.abs(dot(points, normal) - dot(points[c], normal))
    from_plane[[a, b, c]] = 0.0
    d = int(from_plane.argmax())
    return (a, b, c, d) if from_plane[d] > outside else None


def longest_axis(points: np.ndarray) -> tuple[int, int, np.float32]:
    """Return the numbers of the highest and the lowest point along the longest side of their box, and that side."""
    highest, lowest = points.argmax(axis=0), points.argmin(axis=0)
    sides = points[highest, (0, 1, 2)] - points[lowest, (0, 1, 2)]
    axis = int(sides.argmax())
    return int(highest[axis]), int(lowest[axis]), sides[axis]


def normals_from_line(points: np.ndarray, a: int, b: int) -> np.ndarray:
    """Return, for each point (N, 3), the unit vector from point a to b times the arm from point a."""
    return cross(unit(points[b] - points[a]), (points - points[a]).T).T


def unit(vector: np.ndarray) -> np.ndarray:
    """Return v · (1/|v|), as PhysX rounds it: a last bit decides between points that are equally far; 0 for 0."""
    square = dot(vector, vector)
    return vector * np.reciprocal(np.sqrt(square)) if square > 0.0 else vector
