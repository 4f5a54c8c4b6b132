"""Turns: the order in which the pairs of all lanes are solved, each with the lanes whose turn it is.

Lanes may want different orders. A turn takes the first pair that is next in any lane, for all lanes in which it is
next. So every lane sees its pairs in its own order, whatever the others do, and lanes of one mind share their turns.
"""

import taichi as ti

from .. import LANES
from ..lanes import any_lane, broadcast, materialize, maximum, traced
from ..stored import cells, first_lane, stored
from .active_pairs import slot_at
from .scalars import whole


@traced
def turn_row(w, turn, row):
    """Return a number of a turn: 0 the slot of the pair, 1 in the lanes whose turn it is."""
    return stored(None, cells(w, w.scratch, w.first_island_scratch, w.header.turns + 2 * turn + row, 1))


@traced
def write_turn(w, turn, pair, lanes):
    """Write a turn."""
    turn_row(w, turn, 0)._assign(broadcast(pair))
    turn_row(w, turn, 1)._assign(lanes)


@traced
def slot_of_turn(w, turn):
    """Return the slot of the pair of a turn."""
    return first_lane(turn_row(w, turn, 0))


@traced
def lanes_of_turn(w, turn):
    """Return 1 in the lanes whose turn it is, else 0."""
    return materialize(turn_row(w, turn, 1))


@ti.func
def write_turns(w: ti.template(), first, end, start):
    """Write the turns of a range of the active pairs, from turn `start` on; return the turn after the last."""
    last = start + 0
    if ti.static(LANES == 1):  # their order is their turn
        for at in range(first, end):
            g = slot_at(w, at)
            turn = start - 1 + whole(w.slot[g].order)
            if turn >= start:
                write_turn(w, turn, g, broadcast(1.0))
                last = ti.max(last, turn + 1)
    else:
        last = write_common_turns(w, first, end, start)
    return last


@ti.func
def write_common_turns(w: ti.template(), first, end, start):
    """Write the turns of a range of the active pairs in packs; return the turn after the last."""
    most = broadcast(0.0)
    for at in range(first, end):
        g = slot_at(w, at)
        most = maximum(most, w.slot[g].order)
    next_order, turn, left = broadcast(1.0), start, any_lane(most > 0.0)
    while left:
        for at in range(first, end):
            g = slot_at(w, at)
            mine = w.slot[g].order == next_order
            if any_lane(mine):
                lanes = ti.select(mine, broadcast(1.0), 0.0)
                write_turn(w, turn, g, lanes)
                next_order = next_order + lanes
                turn += 1
        left = any_lane(next_order <= most)
    return turn
