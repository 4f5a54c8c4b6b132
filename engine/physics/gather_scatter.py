"""Copies between the rows of a device array, where the worlds of a tile lie side by side, and arrays (world, row)."""

import taichi as ti

from . import TILE
from .lanes import Array, Float, Real
from .stored import first_of


@ti.kernel
def gather_rows(source: Array(Real, 1), first: ti.i32, count: ti.i32, row: ti.i32, target: Array(Float, 2)):
    """Copy target[i, j] ← row + j of world i; the tiles of `count` rows start at `first`."""
    for j, i in ti.ndrange(target.shape[1], target.shape[0]):
        target[i, j] = source[first + first_of(i, count) + (row + j) * TILE]


@ti.kernel
def scatter_rows(target: Array(Real, 1), first: ti.i32, count: ti.i32, row: ti.i32, source: Array(Float, 2)):
    """Copy row + j of world i ← source[i, j]; lanes of the last tile without a world get the last world's numbers."""
    worlds = source.shape[0]
    for j, i in ti.ndrange(source.shape[1], (worlds + TILE - 1) // TILE * TILE):
        target[first + first_of(i, count) + (row + j) * TILE] = source[ti.min(i, worlds - 1), j]


@ti.kernel
def gather(
    source: Array(Real, 1),
    first: ti.i32,
    count: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    target: Array(Float, 2),
):
    """Copy target[i, j] ← row rows[j] of world worlds[i]; the tiles of `count` rows start at `first`."""
    for i, j in ti.ndrange(worlds.shape[0], rows.shape[0]):
        target[i, j] = source[first + first_of(worlds[i], count) + rows[j] * TILE]


@ti.kernel
def scatter(
    target: Array(Real, 1),
    first: ti.i32,
    count: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    source: Array(Float, 2),
):
    """Copy row rows[j] of world worlds[i] ← source[i, j]."""
    for i, j in ti.ndrange(worlds.shape[0], rows.shape[0]):
        target[first + first_of(worlds[i], count) + rows[j] * TILE] = source[i, j]
