"""Nearly convex patches of voxels: a mesh is cut across its longest side until hulls enclose little more than voxels.

    error = |V_hull - V_voxels| / V_voxels < the largest error

A patch of at most 5 voxels along each axis, or after 14 cuts, stays as it is. The cut lies where the depth of the patch
changes most, nearest to the middle: depth is the way of rays, one per voxel across, to the patch from both sides.
"""

from dataclasses import dataclass

import numpy as np

from .coarse_hull import CoarseHull, coarse_hull
from .voxels import Voxels

SURFACE, CUT, INSIDE = range(3)
"""Kinds of voxels: of the surface of the mesh, laid open by a cut, and enclosed."""

MOST_CUTS, SMALLEST = 14, 4
CUT_MARGIN = 4
"""Voxels from the ends of a patch in which it is not cut, and before a patch from which rays start."""
CHANGE = 4.0
"""Least change of depth, in voxels, at which a patch is cut."""
PLACES = 32
"""Most places that are considered for a cut."""


@dataclass
class Patch:
    """Voxels (N, 3), their kinds (N,), and how many cuts led to them; its hull is None if it has no surface."""

    voxels: np.ndarray
    kinds: np.ndarray
    cuts: int
    hull: CoarseHull | None
    error: float  # share of its voxels' volume

    @property
    def low(self) -> np.ndarray:
        """Return the first voxel along each axis."""
        return self.voxels.min(axis=0)

    @property
    def high(self) -> np.ndarray:
        """Return the last voxel along each axis."""
        return self.voxels.max(axis=0)

    def is_done(self, most_error: float) -> bool:
        """Return whether it is not cut any more."""
        small = self.hull is None or (self.high - self.low <= SMALLEST).all()
        return bool(small or self.cuts >= MOST_CUTS or self.error < most_error)


def first_patch(voxels: Voxels) -> Patch:
    """Return the patch of all voxels of a mesh."""
    surface, inside = np.argwhere(voxels.surface), np.argwhere(voxels.inside)
    kinds = np.repeat((SURFACE, INSIDE), (len(surface), len(inside)))
    return make_patch(voxels, np.concatenate([surface, inside]), kinds, 0)


def make_patch(grid: Voxels, voxels: np.ndarray, kinds: np.ndarray, cuts: int) -> Patch:
    """Return a patch with its hull."""
    skin = voxels[kinds != INSIDE]
    hull = coarse_hull(outer_corners(skin) * grid.side + grid.origin) if len(skin) else None
    volume = len(voxels) * grid.side**3
    return Patch(voxels, kinds, cuts, hull, abs(volume - hull.volume) / volume if hull else 0.0)


def outer_corners(voxels: np.ndarray) -> np.ndarray:
    """Return the lowest and highest corners of voxels (N, 3) in each column along z."""
    corners = np.concatenate([voxels + step for step in np.ndindex(2, 2, 2)])
    columns = corners[:, 0] * (corners[:, 1].max() + 1) + corners[:, 1]
    order = np.lexsort((corners[:, 2], columns))
    corners, columns = corners[order], columns[order]
    changes = columns[1:] != columns[:-1]
    return corners[np.concatenate([[True], changes]) | np.concatenate([changes, [True]])]


def cut_patches(grid: Voxels, most_error: float) -> tuple[list[CoarseHull], float]:
    """Return the hulls of the patches, and the volume of the hull of all voxels."""
    patches, hulls = [first_patch(grid)], []
    whole = patches[0].hull.volume if patches[0].hull else 0.0
    while patches:
        parts = []
        for patch in patches:
            if not patch.is_done(most_error):
                parts += cut_patch(grid, patch)
            elif patch.hull:
                hulls.append(patch.hull)
        patches = parts
    return hulls, whole


def cut_patch(grid: Voxels, patch: Patch) -> tuple[Patch, Patch]:
    """Return both sides of a cut, along x the lower one first, else the upper one."""
    axis = int((patch.high - patch.low).argmax())
    last = place_of_cut(patch, axis)
    place = patch.voxels[:, axis]
    sides = []
    for side, open_place in ((place <= last, last), (place > last, last + 1)):
        opened = (patch.kinds == INSIDE) & (place == open_place)
        kinds = np.where(opened, CUT, patch.kinds)[side]
        sides.append(make_patch(grid, patch.voxels[side], kinds, patch.cuts + 1))
    lower, upper = sides
    return (lower, upper) if axis == 0 else (upper, lower)


def place_of_cut(patch: Patch, axis: int) -> int:
    """Return the last voxel of the lower side of a cut across an axis."""
    low, high = patch.low, patch.high
    depths = depths_along(patch, axis)
    before, here, after = depths[:-2], depths[1:-1], depths[2:]
    changes = (np.abs(here - before) + np.abs(here - after)) * 0.5
    places = low[axis] + 1 + np.arange(len(here))
    usable = (before > 0.0) & (here > 0.0) & (after > 0.0) & (changes > CHANGE)
    usable &= (places >= low[axis] + CUT_MARGIN) & (places <= high[axis] - CUT_MARGIN)
    largest, found = np.zeros(PLACES), np.zeros(PLACES, int)
    for place, change in zip(places[usable], changes[usable], strict=True):
        slot = int((change > largest).argmax())  # a later, larger change takes the place of an earlier one
        if change > largest[slot]:
            largest[slot], found[slot] = change, place
    middle = int(high[axis] + 1 + low[axis]) // 2
    found = found[largest > 0.0]
    if not len(found):
        return middle
    nearest = int(found[np.abs(found - middle).argmin()])
    return nearest if nearest > 0 else middle


def depths_along(patch: Patch, axis: int) -> np.ndarray:
    """Return by place along an axis the summed ways [voxels] of rays: along x where it is z, else along z."""
    along, across = ((2, 1), (2, 0), (0, 1))[axis]
    skin = patch.voxels[patch.kinds != INSIDE]
    low, high = patch.low, patch.high
    shape = high[axis] - low[axis] + 1, high[across] - low[across] + 1
    first, last = np.full(shape, np.iinfo(int).max), np.full(shape, -1)
    at = skin[:, axis] - low[axis], skin[:, across] - low[across]
    np.minimum.at(first, at, skin[:, along])
    np.maximum.at(last, at, skin[:, along])
    start, end = low[along] - CUT_MARGIN + 0.5, high[along] + (1 if axis == 2 else CUT_MARGIN) + 0.5
    hit = last >= 0
    return np.where(hit, (first - start) + (end - (last + 1)), 0.0).sum(axis=1)
