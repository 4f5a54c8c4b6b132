"""Convex decomposition of a mesh, as NVIDIA's reader makes it: voxels, patches, merged hulls, few vertices.

The mesh is scaled so that the diagonal of its box is 1000, since hulls have tolerances of that size.
"""

from dataclasses import dataclass

import numpy as np

from .coarse_hull import coarse_hull
from .hull_merging import merge_hulls
from .nearest_on_mesh import move_onto_mesh
from .point_reduction import reduce_points
from .voxel_patches import cut_patches
from .voxels import make_voxels

DIAGONAL = 1000.0
MOST_PATCHES = 2_000
"""Patches from which parts are merged: their pairs are more than a computer has time for beyond."""
WRAP = 4.0
"""Voxels within which shrink wrapping moves a vertex onto the mesh."""


@dataclass(frozen=True)
class Decomposition:
    """Parameters of a decomposition; values out of range become the nearest one, as in PhysX."""

    hulls: int = 32  # most convex parts, 1 to 2048
    vertices: int = 64  # most of a part, 8 to 64
    voxels: int = 500_000  # of a cube; 10,000 to 10,000,000
    error: float = 10.0  # [%] by which the hull of a part may exceed its voxels, 0.01 to 25
    shrinks: bool = False  # whether vertices near the mesh move onto it

    def within(self) -> "Decomposition":
        """Return the parameters within their ranges."""
        return Decomposition(
            min(max(self.hulls, 1), 2048),
            min(max(self.vertices, 8), 64),
            min(max(self.voxels, 10_000), 10_000_000),
            min(max(self.error, 0.01), 25.0),
            self.shrinks,
        )


def decompose(points: np.ndarray, triangles: np.ndarray, wanted: Decomposition) -> list[np.ndarray]:
    """Return the points (N, 3) of convex parts of a mesh; none if it has no size, or is cut into too many patches.

    Args:
        points: of the mesh (N, 3), single precision.
        triangles: numbers of their corners (M, 3).
        wanted: parameters.
    """
    wanted = wanted.within()
    size = np.linalg.norm(np.ptp(points.astype(float), axis=0))
    if size == 0.0:
        return []
    scaled = points.astype(float) * (DIAGONAL / size)
    grid = make_voxels(scaled, triangles, wanted.voxels)
    patches, whole = cut_patches(grid, wanted.error / 100.0)
    if len(patches) > MOST_PATCHES:
        return []
    if len(patches) == 1:
        return reduced(scaled, wanted.vertices, size / DIAGONAL)
    parts = []
    for hull in merge_hulls(patches, whole, wanted.hulls):
        vertices = hull.points
        if wanted.shrinks:
            vertices = move_onto_mesh(vertices, scaled[triangles], WRAP * grid.side)
        parts += reduced(vertices, wanted.vertices, size / DIAGONAL)
    return parts


def reduced(points: np.ndarray, most: int, scale: float) -> list[np.ndarray]:
    """Return the scaled vertices of the hull of points, at most `most`; an empty list if they span no volume."""
    if len(points) > most:
        points = reduce_points(points, most)
    hull = coarse_hull(points)
    return [hull.points * scale] if hull else []
