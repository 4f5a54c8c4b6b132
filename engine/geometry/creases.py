"""Normals of triangle meshes: smooth across shallow edges, split at creases."""

import numpy as np

CREASE = 35.0  # [deg] angle between two faces from which on their common edge is sharp

Surface = tuple[np.ndarray, np.ndarray, np.ndarray]  # points (P, 3), triangles (F, 3), normals (P, 3)


def crease_normals(points: np.ndarray, triangles: np.ndarray, degrees: float = CREASE) -> Surface:
    """Return a mesh with normals; points are split where faces meet at more than `degrees`.

    A normal is the mean over the faces that smooth edges connect about a point, weighted by area. Triangles without
    area are left out.
    """
    points, triangles = weld(np.asarray(points, float), triangles)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    proper = areas > 0.0
    triangles, normals, areas = triangles[proper], normals[proper], areas[proper]
    label = connect_corners(triangles, normals / areas[:, None], np.cos(np.radians(degrees)))
    roots, place = np.unique(label, return_inverse=True)
    place = place.reshape(-1)
    sums = np.stack([np.bincount(place, np.repeat(normals[:, i], 3), len(roots)) for i in range(3)], axis=1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    sums = np.where(lengths > 0.0, sums, normals[roots // 3])  # faces back to back
    sums = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return points[triangles.reshape(-1)[roots]], place.reshape(-1, 3), sums


def weld(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and triangles with points at the same place joined."""
    if not len(points):
        return points, triangles
    order = np.lexsort(points.T)
    new = np.concatenate([[True], (np.diff(points[order], axis=0) != 0.0).any(axis=1)])
    place = np.empty(len(points), np.int64)
    place[order] = np.cumsum(new) - 1
    return points[order[new]], place[triangles]


def connect_corners(triangles: np.ndarray, directions: np.ndarray, least: float) -> np.ndarray:
    """Return a label (3 F,) of each corner, equal for corners that smooth edges connect about a point.

    Args:
        triangles: (F, 3).
        directions: (F, 3) normals of length 1.
        least: cosine of the angle of the sharpest smooth edge.
    """
    corner = np.arange(triangles.size).reshape(-1, 3)
    starts, ends = triangles.reshape(-1), triangles[:, (1, 2, 0)].reshape(-1)
    at_start, at_end = corner.reshape(-1), corner[:, (1, 2, 0)].reshape(-1)
    swap = starts > ends
    low, high = np.where(swap, at_end, at_start), np.where(swap, at_start, at_end)
    key = np.minimum(starts, ends) * (1 + triangles.max(initial=0)) + np.maximum(starts, ends)
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    one, other = order[:-1][same], order[1:][same]
    smooth = np.einsum("ij,ij->i", directions[one // 3], directions[other // 3]) > least
    one, other = one[smooth], other[smooth]
    return lowest_labels(
        triangles.size, np.concatenate([low[one], high[one]]), np.concatenate([low[other], high[other]])
    )


def lowest_labels(count: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the lowest member (count,) of each connected group, given the pairs that are connected."""
    label = np.arange(count)
    while True:
        least = np.minimum(label[one], label[other])
        lower = label.copy()
        np.minimum.at(lower, one, least)
        np.minimum.at(lower, other, least)
        lower = lower[lower]
        if (lower == label).all():
            return label
        label = lower
