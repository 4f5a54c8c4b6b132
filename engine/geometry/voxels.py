"""Voxels of a closed mesh: those that its triangles touch, and those that these enclose.

The longest side of the box around the mesh has n = max(32, ⌊1.5 N^0.33⌋) voxels, N: their number that is asked for.
A triangle touches a voxel if the cube of side 1 around its number meets it; the voxel itself lies half a side further.
"""

from typing import NamedTuple

import numpy as np

LEAST_PER_SIDE = 32


class Voxels(NamedTuple):
    """Voxels of a mesh: masks (X, Y, Z) of its surface and its inside, the corner of voxel 0 (3,) and their side."""

    surface: np.ndarray
    inside: np.ndarray
    origin: np.ndarray
    side: float


def make_voxels(points: np.ndarray, triangles: np.ndarray, count: int) -> Voxels:
    """Return the voxels of a mesh of points (N, 3); `count`: how many a cube should have, some 0.3 of them."""
    most = max(LEAST_PER_SIDE, int(count**0.33 * 1.5))
    low = points.min(axis=0)
    sides = points.max(axis=0) - low
    longest = int(sides.argmax())
    shape = [most if axis == longest else 2 + int(most * side / sides[longest]) for axis, side in enumerate(sides)]
    surface = np.zeros(shape, bool)
    for triangle in ((points - low) * ((most - 1) / sides[longest]))[triangles]:
        mark_triangle(surface, triangle)
    return Voxels(surface, enclosed(surface), low, float(sides[longest] / (most - 1)))


def mark_triangle(surface: np.ndarray, corners: np.ndarray) -> None:
    """Mark the voxels that a triangle (3, 3) touches, by its separating axes.

    Corners are taken relative to each voxel first: so round-off leaves no hole where a triangle lies between voxels.
    """
    nearest = (corners + 0.5).astype(int)
    first = np.maximum(nearest.min(axis=0) - 1, 0)
    end = np.minimum(nearest.max(axis=0) + 1, surface.shape)
    centres = np.ogrid[tuple(slice(float(i), float(j)) for i, j in zip(first, end, strict=True))]
    edges = corners[[1, 2, 0]] - corners
    axes = [*np.eye(3), np.cross(edges[0], edges[1]), *np.cross(np.eye(3)[:, None], edges[None]).reshape(9, 3)]
    touched = surface[tuple(slice(i, j) for i, j in zip(first, end, strict=True))]
    meets = np.ones(touched.shape, bool)
    apart = [[part - centre for part, centre in zip(corner, centres, strict=True)] for corner in corners]
    for axis in axes:
        reach = 0.5 * np.abs(axis).sum()
        places = [sum(part * d for part, d in zip(axis, own, strict=True) if part != 0.0) for own in apart]
        meets &= (np.minimum.reduce(places) <= reach) & (np.maximum.reduce(places) >= -reach)
    touched |= meets


def enclosed(surface: np.ndarray) -> np.ndarray:
    """Return the mask of the voxels from which no way leads to the rim of the grid without crossing the surface."""
    free = ~surface
    outside = np.zeros_like(free)
    for axis in range(3):
        for end in (0, -1):
            np.moveaxis(outside, axis, 0)[end] |= np.moveaxis(free, axis, 0)[end]
    found = -1
    while found != (found := int(outside.sum())):
        for axis in range(3):
            spread, way = np.moveaxis(outside, axis, 0), np.moveaxis(free, axis, 0)
            for i in range(1, len(spread)):
                spread[i] |= spread[i - 1] & way[i]
            for i in range(len(spread) - 2, -1, -1):
                spread[i] |= spread[i + 1] & way[i]
    return free & ~outside
