"""Copies between the rows of a device array, where the worlds of a tile lie side by side, and arrays (world, row).

A worker copies a number; neighbours copy those of neighbouring worlds.
"""

import taichi as ti

from . import TILE
from .lanes import Array, Float, Real
from .stored import first_of

BLOCK = 8 * TILE
"""Threads of a GPU's block."""


@ti.kernel
def gather_rows(
    source: Array(Real, 1), first: ti.i32, count: ti.i32, row: ti.i32, target: Array(Float, 2), workers: ti.i32
):
    """Copy target[i, j] ← row + j of world i; the tiles of `count` rows start at `first`."""
    ti.loop_config(block_dim=BLOCK)
    for worker in range(workers):
        worlds = target.shape[0]
        i, j = worker % worlds, worker // worlds
        target[i, j] = source[first + first_of(i, count) + (row + j) * TILE]


@ti.kernel
def scatter_rows(
    target: Array(Real, 1), first: ti.i32, count: ti.i32, row: ti.i32, source: Array(Float, 2), workers: ti.i32
):
    """Copy row + j of world i ← source[i, j]; lanes of the last tile without a world get the last world's numbers."""
    ti.loop_config(block_dim=BLOCK)
    for worker in range(workers):
        worlds = source.shape[0]
        lanes = (worlds + TILE - 1) // TILE * TILE
        i, j = worker % lanes, worker // lanes
        target[first + first_of(i, count) + (row + j) * TILE] = source[ti.min(i, worlds - 1), j]


@ti.kernel
def gather(
    source: Array(Real, 1),
    first: ti.i32,
    count: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    target: Array(Float, 2),
    workers: ti.i32,
):
    """Copy target[i, j] ← row rows[j] of world worlds[i]; the tiles of `count` rows start at `first`."""
    ti.loop_config(block_dim=BLOCK)
    for worker in range(workers):
        i, j = worker % worlds.shape[0], worker // worlds.shape[0]
        target[i, j] = source[first + first_of(worlds[i], count) + rows[j] * TILE]


@ti.kernel
def scatter(
    target: Array(Real, 1),
    first: ti.i32,
    count: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    source: Array(Float, 2),
    workers: ti.i32,
):
    """Copy row rows[j] of world worlds[i] ← source[i, j]."""
    ti.loop_config(block_dim=BLOCK)
    for worker in range(workers):
        i, j = worker % worlds.shape[0], worker // worlds.shape[0]
        target[first + first_of(worlds[i], count) + rows[j] * TILE] = source[i, j]
