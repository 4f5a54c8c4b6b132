"""Meshes of fewer triangles for many worlds, where nobody sees the screws."""

import numpy as np

from .scene import LookScene, Mesh

MOST_TRIANGLES = 2_000_000  # triangles of all worlds that are drawn as they are
BUDGET = (2_000, 8_000)  # triangles per world, least and most
STEPS = (32, 24, 16, 12, 8, 6, 4)  # cells along the longest side of a mesh


def cells_for(look: LookScene, worlds: int) -> int | None:
    """Return the number of cells for `cluster_mesh`; None if all triangles can be drawn."""
    if look.triangles * worlds <= MOST_TRIANGLES or worlds == 1:
        return None
    budget = min(max(MOST_TRIANGLES // worlds, BUDGET[0]), BUDGET[1])
    used = {shape.mesh for shape in look.visuals}
    for cells in STEPS:
        counts = {mesh: len(cluster_mesh(look.meshes[mesh], cells).triangles) for mesh in used}
        if sum(counts[shape.mesh] for shape in look.visuals) <= budget:
            return cells
    return STEPS[-1]


def cluster_mesh(mesh: Mesh, cells: int) -> Mesh:
    """Return a mesh whose points in one cell of a grid are one point; triangles within a cell vanish.

    Args:
        mesh: the mesh.
        cells: number of cells along the longest side of its box.
    """
    low = mesh.points.min(axis=0)
    wide = float(np.ptp(mesh.points, axis=0).max())
    if wide <= 0.0 or len(mesh.triangles) < 200:
        return mesh
    cell = np.floor((mesh.points - low) / (wide / cells) + 0.5).astype(np.int64)
    key = (cell[:, 0] * 4096 + cell[:, 1]) * 4096 + cell[:, 2]
    # points at an edge differ in their normals; they stay apart where these differ much
    side = np.argmax(np.abs(mesh.normals), axis=1)
    key = key * 8 + side * 2 + (np.take_along_axis(mesh.normals, side[:, None], 1)[:, 0] > 0.0)
    _, group, count = np.unique(key, return_inverse=True, return_counts=True)
    group = group.ravel()

    def mean(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(group, values[:, k]) / count for k in range(3)], axis=1)

    triangles = group[mesh.triangles]
    corner = cell[:, 0] * 4096 * 4096 + cell[:, 1] * 4096 + cell[:, 2]
    spots = corner[mesh.triangles]
    whole = (spots[:, 0] != spots[:, 1]) & (spots[:, 1] != spots[:, 2]) & (spots[:, 0] != spots[:, 2])
    _, first = np.unique(np.sort(spots[whole], axis=1), axis=0, return_index=True)
    triangles = triangles[whole][np.sort(first)]
    if not len(triangles):
        return mesh
    normals = mean(mesh.normals)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    used, triangles = np.unique(triangles, return_inverse=True)
    points, normals = mean(mesh.points)[used], normals[used]
    return Mesh(points.astype(np.float32), triangles.reshape(-1, 3).astype(np.int32), normals.astype(np.float32))
