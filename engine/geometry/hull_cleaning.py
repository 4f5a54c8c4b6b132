"""Points of a thin convex hull, moved apart as PhysX moves them before it builds the hull.

A sheet, which is a flat mesh seen from one side only, gets two sides, as NVIDIA's USD reader makes it. A box replaces
other points whose own box is flat. Of points that lie in a plane or line within the tolerance of faces, one is moved
out of it.
"""

import numpy as np

from .half_edges import dot
from .hull_moments import HALF
from .hull_simplex import longest_axis, normals_from_line, tolerances_of, unit

FLAT = np.float32(1e-6)  # sides of a box that are shorter have no length [m]
HALF_THICKNESS = np.float32(0.01)  # most of a box that was flat [m]
SHARE = np.float32(0.05)  # half the thickness of a box that was flat, at most, of its shortest other side
SHEET_SHARE = 0.011  # least thickness of a sheet, of the longest side of its box
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], bool)


def thicken_sheet(points: np.ndarray, triangles: np.ndarray, least: float) -> np.ndarray:
    """Return the points of both sides of a sheet (2 N, 3), half its thickness from it along the normal.

    The points (N, 3) themselves, if faces look both ways or a point leaves their plane by the tolerance of faces. The
    thickness, max(least, 0.011 of the longest side), was measured on ovphysx.

    Args:
        points: those of a mesh.
        triangles: numbers (F, 3) of the points at the corners of its triangles.
        least: least thickness of the sheet, in the unit of the points.
    """
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    areas = np.cross(second - first, third - first)
    total = areas.sum(axis=0)
    if (areas @ total < 0.0).any() or not total.any():
        return points
    normal = total / np.linalg.norm(total)
    if np.ptp(points @ normal) > tolerances_of(points).plane:
        return points
    half = normal * max(least, SHEET_SHARE * np.ptp(points, axis=0).max()) / 2.0
    return np.concatenate((points - half, points + half))


def clean_points(points: np.ndarray, length: float) -> np.ndarray:
    """Return the points (N, 3) [stage units] from which PhysX builds a hull; the same array if none has to move.

    Args:
        points: N ≥ 1 finite points.
        length: stage units per metre.
    """
    single = points.astype(np.float32)
    flat = np.ptp(single, axis=0) < FLAT * np.float32(length)
    if flat.all():
        return points
    thick = thicken(single, flat, np.float32(length)) if flat.any() else single
    spread = move_apart(thick)
    return points if spread is single else spread


def thicken(points: np.ndarray, flat: np.ndarray, length: np.float32) -> np.ndarray:
    """Return the corners (8, 3) of a box around points (N, 3), made thick along the axes (3,) in which it is flat."""
    low, high = points.min(axis=0), points.max(axis=0)
    sides, centre = high - low, (low + high) * HALF
    half = np.where(flat, min(sides[~flat].min() * SHARE, HALF_THICKNESS * length), sides * HALF)
    return np.where(CORNERS, centre + half, centre - half)


def move_apart(points: np.ndarray) -> np.ndarray:
    """Return points (N, 3) that leave a line and a plane by the tolerance; the same array if they do without a move."""
    tolerance = tolerances_of(points).plane
    a, b, _ = longest_axis(points)
    normals = normals_from_line(points, a, b)
    from_line = dot(normals, normals)
    c = int(from_line.argmax())
    if np.sqrt(from_line[c]) < tolerance:
        along, arm = unit(points[b] - points[a]), points[c] - points[a]
        off = arm - along * (dot(arm, along) / dot(along, along))
        points = moved(points, c, unit(off) * tolerance)
    normal = unit(normals[c])
    heights = dot(points, normal) - dot(points[c], normal)
    d = int(np.abs(heights).argmax())
    if abs(heights[d]) < tolerance:
        points = moved(points, d, normal * (tolerance if heights[d] > 0.0 else -tolerance))
    return points


def moved(points: np.ndarray, number: int, by: np.ndarray) -> np.ndarray:
    """Return points with one of them moved."""
    points = points.copy()
    points[number] += by
    return points
