"""Turns: the order in which the pairs of all lanes are solved, each with the lanes whose turn it is.

Lanes may want different orders. A turn takes the first pair that is next in any lane, for all lanes in which it is
next. So every lane sees its pairs in its own order, whatever the others do, and lanes of one mind share their turns.
"""

import taichi as ti

from .. import LANES
from ..lanes import any_lane, broadcast, materialize, maximum, traced
from ..stored import cells, element, stored


@traced
def turn_row(w, turn, row):
    """Return a number of a turn: 0 the pair, 1 in the lanes whose turn it is."""
    return stored(None, cells(w, w.scratch, w.first_scratch, w.header.turns + 2 * turn + row, 1))


@traced
def write_turn(w, turn, pair, lanes):
    """Write a turn."""
    turn_row(w, turn, 0)._assign(broadcast(pair))
    turn_row(w, turn, 1)._assign(lanes)


@traced
def pair_of_turn(w, turn):
    """Return the pair of a turn."""
    return first_lane(turn_row(w, turn, 0))


@traced
def first_lane(x):
    """Return a number that all lanes share as an integer."""
    x = materialize(x)
    return materialize(ti.cast(element(x, 0) if LANES > 1 else x, ti.i32))


@traced
def lanes_of_turn(w, turn):
    """Return 1 in the lanes whose turn it is, else 0."""
    return materialize(turn_row(w, turn, 1))


@ti.func
def write_turns(w: ti.template(), first, end, start):
    """Write the turns of the pairs of a range, from turn `start` on; return the turn after the last."""
    most = broadcast(0.0)
    for g in range(first, end):
        most = maximum(most, w.pair[g].order)
    next_order, turn, left = broadcast(1.0), start, any_lane(most > 0.0)
    while left:
        for g in range(first, end):
            mine = w.pair[g].order == next_order
            if any_lane(mine):
                lanes = ti.select(mine, broadcast(1.0), 0.0)
                write_turn(w, turn, g, lanes)
                next_order = next_order + lanes
                turn += 1
        left = any_lane(next_order <= most)
    return turn
