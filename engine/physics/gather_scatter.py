"""Copies between the rows of a device array, in which a row of all worlds is contiguous, and arrays (world, row)."""

import taichi as ti

from .lanes import Array, Float, Real


@ti.kernel
def gather(
    source: Array(Real, 1),
    first: ti.i32,
    between: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    target: Array(Float, 2),
):
    """Copy target[i, j] ← row rows[j] of world worlds[i]; rows start at `first`, one every `between` numbers."""
    for i, j in ti.ndrange(worlds.shape[0], rows.shape[0]):
        target[i, j] = source[first + rows[j] * between + worlds[i]]


@ti.kernel
def scatter(
    target: Array(Real, 1),
    first: ti.i32,
    between: ti.i32,
    rows: Array(ti.i32, 1),
    worlds: Array(ti.i32, 1),
    source: Array(Float, 2),
):
    """Copy row rows[j] of world worlds[i] ← source[i, j]."""
    for i, j in ti.ndrange(worlds.shape[0], rows.shape[0]):
        target[first + rows[j] * between + worlds[i]] = source[i, j]
