"""Random numbers of worlds: Philox4x32-10, a function of a counter of four words and a key of two.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A round, ten times:

    x0 · M0 = (h0, l0),  x2 · M1 = (h1, l1)        x ← (h1 ⊕ x1 ⊕ k0, l1, h0 ⊕ x3 ⊕ k1, l0),  k ← k + weyl

The counter is (block, draw, world low, world high), the key the seed; a number is its word's upper 24 bits / 2²⁴.
"""

import taichi as ti

from ..tables.philox import MULTIPLIERS, ROUNDS, WEYL
from . import TILE
from .lanes import Array, Float
from .world_view import share_of


@ti.func
def upper(x):
    """Return the upper word of 64 bits."""
    return ti.cast(x >> ti.cast(32, ti.u64), ti.u32)


@ti.func
def uniform(word):
    """Return a word as a number in [0, 1)."""
    return ti.cast(word >> ti.cast(8, ti.u32), Float) * 2.0**-24


@ti.kernel
def uniform_kernel(
    worlds: Array(ti.i32, 2),
    first: Array(ti.i32, 1),
    key0: ti.i32,
    key1: ti.i32,
    draws: ti.i32,
    count: ti.i32,
    numbers: Array(Float, 1),
    tasks: ti.i32,
    workers: ti.i32,
):
    """Write `count` numbers for each of `draws` draws of every world, from draw `first` on: [world, draw, number].

    worlds: lower and upper word of the number of each world.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            i, _, _ = share.task(turn)
            for draw in range(draws):
                for block in range((count + 3) // 4):
                    x0, x1 = ti.cast(block, ti.u32), ti.cast(first[i] + draw, ti.u32)
                    x2, x3 = ti.cast(worlds[i, 0], ti.u32), ti.cast(worlds[i, 1], ti.u32)
                    k0, k1 = ti.cast(key0, ti.u32), ti.cast(key1, ti.u32)
                    for _ in ti.static(range(ROUNDS)):
                        a = ti.cast(x0, ti.u64) * ti.u64(MULTIPLIERS[0])
                        b = ti.cast(x2, ti.u64) * ti.u64(MULTIPLIERS[1])
                        x0, x2 = upper(b) ^ x1 ^ k0, upper(a) ^ x3 ^ k1
                        x1, x3 = ti.cast(b, ti.u32), ti.cast(a, ti.u32)
                        k0, k1 = k0 + ti.u32(WEYL[0]), k1 + ti.u32(WEYL[1])
                    at = (i * draws + draw) * count + 4 * block
                    words = ti.Vector([x0, x1, x2, x3])
                    for j in ti.static(range(4)):
                        if 4 * block + j < count:
                            numbers[at + j] = uniform(words[j])
