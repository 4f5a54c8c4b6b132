"""Columns of triangles for vertical rays: a grid of level cells, each with the triangles above and below it.

A vertical ray meets no triangle but those of its cell, of which a terrain has a few: it needs no search in a tree.
"""

from dataclasses import dataclass

import numpy as np

CELLS = 16
"""Cells for each triangle, so that a cell lies within few of them."""
MOST = 512
"""Most cells along an axis. Single precision finds the cell of a point to less than MARGIN of a cell's width."""
MARGIN = 1e-3
"""Width of the rim, in widths of a cell, whose triangles a cell has as well."""


@dataclass(frozen=True)
class RayColumns:
    """A grid over x and y of nx · ny cells, x first, and the triangles in each; without triangles, an empty cell."""

    low: np.ndarray  # corner of the grid [m], (2,)
    cell: np.ndarray  # lengths of a cell [m], (2,)
    size: np.ndarray  # nx, ny
    first: np.ndarray  # first entry of each cell in `listed`, and the end, (nx ny + 1,) of int32
    listed: np.ndarray  # triangles of the cells, of int32


def ray_columns(triangles: np.ndarray) -> RayColumns:
    """Return the columns of triangles, (F, 3, 3)."""
    flat = triangles[:, :, :2] if len(triangles) else np.zeros((1, 3, 2))
    low, high = flat.min((0, 1)), flat.max((0, 1))
    wide = np.maximum(high - low, 1e-6 * max(1.0, float(np.abs(flat).max())))
    size = np.clip(np.ceil(wide * np.sqrt(CELLS * len(flat) / wide.prod())), 1, MOST).astype(int)
    cell = wide / size
    cells, owners = _overlaps((flat - low) / cell, size) if len(triangles) else np.zeros((2, 0), int)
    order = np.lexsort((owners, cells))
    first = np.searchsorted(cells[order], np.arange(size.prod() + 1))
    return RayColumns(low, cell, size, first.astype(np.int32), owners[order].astype(np.int32))


def _overlaps(corners: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of a cell and a triangle that overlap; corners (F, 3, 2) are measured in cells.

    Two convex shapes are apart if an axis, or the normal of an edge, parts them.
    """
    begin = np.clip(np.floor(corners.min(1) - MARGIN), 0, size - 1).astype(int)
    end = np.clip(np.floor(corners.max(1) + MARGIN), 0, size - 1).astype(int) + 1
    across, along = (end - begin).T
    owners = np.repeat(np.arange(len(corners)), across * along)
    turn = np.arange(len(owners)) - np.repeat(np.cumsum(across * along) - across * along, across * along)
    place = begin[owners] + np.stack([turn % across[owners], turn // across[owners]], 1)
    meets = np.ones(len(owners), bool)
    for corner in range(3):
        start, edge = corners[:, corner], np.roll(corners, -1, 1)[:, corner] - corners[:, corner]
        normal = np.stack([-edge[:, 1], edge[:, 0]], 1)
        spans = np.einsum("fck,fk->fc", corners - start[:, None], normal)
        middle = ((place + 0.5 - start[owners]) * normal[owners]).sum(1)
        reach = (0.5 + MARGIN) * np.abs(normal[owners]).sum(1)
        meets &= (middle + reach >= spans.min(1)[owners]) & (middle - reach <= spans.max(1)[owners])
    return place[meets] @ np.array([1, size[0]]), owners[meets]
