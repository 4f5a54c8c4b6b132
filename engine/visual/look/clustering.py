"""Meshes of fewer triangles for many worlds, where nobody sees the screws."""

import numpy as np

from .scene import LookScene, Mesh

MOST_TRIANGLES = 2_000_000  # triangles of all worlds that are drawn as they are
SIMPLIFIED = 8_000_000  # triangles of all worlds after that
BUDGET = (8_000, 30_000)  # triangles per world, least and most
FEWEST_TRIANGLES = 200  # triangles of meshes that stay as they are
STEPS = (48, 32, 24, 16, 12, 8)  # cells along the longest side of a mesh


def cells_for(look: LookScene, worlds: int) -> int | None:
    """Return the number of cells for `cluster_mesh`; None if all triangles can be drawn."""
    if look.triangles * worlds <= MOST_TRIANGLES or worlds == 1:
        return None
    budget = min(max(SIMPLIFIED // worlds, BUDGET[0]), BUDGET[1])
    used = {shape.mesh for shape in look.visuals}
    for cells in STEPS:
        counts = {mesh: len(cluster_mesh(look.meshes[mesh], cells).triangles) for mesh in used}
        if sum(counts[shape.mesh] for shape in look.visuals) <= budget:
            return cells
    return STEPS[-1]


def cluster_mesh(mesh: Mesh, cells: int) -> Mesh:
    """Return a mesh whose points in one cell of a grid are one point; triangles within a cell vanish.

    A mesh that loses its size so, as a thin ring does, has finer cells.

    Args:
        mesh: the mesh.
        cells: number of cells along the longest side of its box.
    """
    size = np.ptp(mesh.points, axis=0)
    wide = float(size.max())
    if wide <= 0.0 or len(mesh.triangles) < FEWEST_TRIANGLES:
        return mesh
    for finer in (cells, 2 * cells, 4 * cells):
        found = _clustered(mesh, wide / finer)
        if found is not None and np.abs(np.ptp(found.points, axis=0) - size).max() <= 1.5 * wide / cells:
            return found
    return mesh


def _clustered(mesh: Mesh, width: float) -> Mesh | None:
    """Return the mesh on a grid of cells of this width [m]; None if nothing is left."""
    low = mesh.points.min(axis=0)
    cell = np.floor((mesh.points - low) / width + 0.5).astype(np.int64)
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
        return None
    normals = mean(mesh.normals)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    used, triangles = np.unique(triangles, return_inverse=True)
    points, normals = mean(mesh.points)[used], normals[used]
    return Mesh(points.astype(np.float32), triangles.reshape(-1, 3).astype(np.int32), normals.astype(np.float32))
