"""Nearest points on triangles."""

import numpy as np

NO_AREA = 1e-30
"""Least square of a length or an area by which is divided: triangles without area have no foot."""


def move_onto_mesh(points: np.ndarray, triangles: np.ndarray, most: float) -> np.ndarray:
    """Return points (N, 3), each moved to the nearest one of the triangles (M, 3, 3) if that is within `most`."""
    moved = points.copy()
    for i, point in enumerate(points):
        nearest = nearest_on_triangles(point, triangles)
        apart = ((nearest - point) ** 2).sum(axis=1)
        best = int(apart.argmin())
        if apart[best] <= most * most:
            moved[i] = nearest[best]
    return moved


def nearest_on_triangles(point: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the nearest point of each triangle (M, 3): its foot if that is inside, else the nearest of its edges'."""
    corners = triangles
    edges = np.roll(corners, -1, axis=1) - corners
    lengths = np.maximum((edges * edges).sum(axis=2), NO_AREA)
    shares = np.clip(((point - corners) * edges).sum(axis=2) / lengths, 0.0, 1.0)
    on_edges = corners + shares[..., None] * edges
    apart = ((on_edges - point) ** 2).sum(axis=2)
    nearest = on_edges[np.arange(len(corners)), apart.argmin(axis=1)]
    normals = np.cross(edges[:, 0], edges[:, 1])
    squares = np.maximum((normals * normals).sum(axis=1), NO_AREA)
    feet = point - (((point - corners[:, 0]) * normals).sum(axis=1) / squares)[:, None] * normals
    sides = np.cross(edges, feet[:, None] - corners)
    inside = ((sides * normals[:, None]).sum(axis=2) >= 0.0).all(axis=1)
    return np.where(inside[:, None], feet, nearest)
