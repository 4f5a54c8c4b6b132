"""Random numbers of worlds: Philox4x32-10, a function of a counter of four words and a key of two.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A round, ten times:

    x0 · M0 = (h0, l0),  x2 · M1 = (h1, l1)        x ← (h1 ⊕ x1 ⊕ k0, l1, h0 ⊕ x3 ⊕ k1, l0),  k ← k + weyl

The counter is (block, draw, world low, world high), the key the seed; a number is its word's upper 24 bits / 2²⁴.
"""

import taichi as ti
from taichi.lang import impl
from taichi.lang.expr import Expr
from taichi.lang.matrix import make_matrix

from ..tables.philox import MULTIPLIERS, ROUNDS, WEYL
from . import LANES, TILE
from .lanes import Array, Float, materialize, traced
from .stored import element
from .world_view import share_of

WORD = (1 << 32) - 1


@traced
def unsigned(x):
    """Return a 32-bit word as the lower one of 64 bits."""
    return ti.cast(ti.cast(x, ti.u32), ti.u64)


@traced
def lanes_of(numbers):
    """Return words, one of each world of a pack, as lanes: a CPU computes them at once."""
    return impl.expr_init(make_matrix(numbers) if LANES > 1 else numbers[0])


@traced
def constant(word):
    """Return a word of 64 bits in all lanes."""
    return lanes_of([Expr(word, dtype=ti.u64) if isinstance(word, int) else unsigned(word)] * LANES)


@traced
def counters(worlds, first, i, last):
    """Return the worlds of a pack, at most `last`, and three words of their counters: draw, world low and high."""
    chosen = [materialize(ti.min(i * LANES + lane, last)) for lane in range(LANES)]
    draws = lanes_of([unsigned(element(first, world)) for world in chosen])
    low, high = (lanes_of([unsigned(element(worlds, world, half)) for world in chosen]) for half in range(2))
    return chosen, draws, low, high


@traced
def words_of(block, draw, low, high, key0, key1):
    """Return the four words of a block of a draw of a world, each in the lower half of 64 bits."""
    x0, x1, x2, x3 = constant(block), draw, low, high
    word, half, (m0, m1) = constant(WORD), constant(32), map(constant, MULTIPLIERS)
    for turn in range(ROUNDS):
        k0, k1 = (
            constant(ti.cast(key, ti.u32) + Expr(turn * weyl & WORD, dtype=ti.u32))
            for key, weyl in zip((key0, key1), WEYL, strict=True)
        )
        a, b = materialize(x0 * m0), materialize(x2 * m1)
        x0, x2 = materialize((b >> half) ^ x1 ^ k0), materialize((a >> half) ^ x3 ^ k1)
        x1, x3 = materialize(b & word), materialize(a & word)
    return x0, x1, x2, x3


@traced
def uniform(words, lane):
    """Return the word of a lane as a number in [0, 1)."""
    word = element(words, lane) if LANES > 1 else words
    return ti.cast(ti.cast(word, ti.u32) >> ti.cast(8, ti.u32), Float) * 2.0**-24


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
    tasks: packs of worlds.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            i, _, _ = share.task(turn)
            last = worlds.shape[0] - 1
            chosen, begin, low, high = counters(worlds, first, i, last)
            for draw in range(draws):
                for block in range((count + 3) // 4):
                    words = words_of(block, begin + constant(draw), low, high, key0, key1)
                    for lane in ti.static(range(LANES)):
                        at = (chosen[lane] * draws + draw) * count + 4 * block
                        for j in ti.static(range(4)):
                            if 4 * block + j < count:
                                numbers[at + j] = uniform(words[j], lane)


@ti.kernel
def noise_kernel(
    worlds: Array(ti.i32, 2),
    first: Array(ti.i32, 1),
    key0: ti.i32,
    key1: ti.i32,
    columns: Array(ti.i32, 1),
    bounds: Array(Float, 2),
    values: Array(Float, 2),
    tasks: ti.i32,
    workers: ti.i32,
):
    """Add the numbers of draw `first` of every world to columns of its row of values, (world, column).

    bounds: lower bound, and upper less lower bound, of each column.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            i, _, _ = share.task(turn)
            last, count = worlds.shape[0] - 1, columns.shape[0]
            chosen, draw, low, high = counters(worlds, first, i, last)
            for block in range((count + 3) // 4):
                words = words_of(block, draw, low, high, key0, key1)
                for lane in ti.static(range(LANES)):
                    if i * LANES + lane <= last:
                        for j in ti.static(range(4)):
                            k = 4 * block + j
                            if k < count:
                                to, number = columns[k], uniform(words[j], lane) * bounds[k, 1] + bounds[k, 0]
                                values[chosen[lane], to] = values[chosen[lane], to] + number  # += would be atomic
