"""Turns: the order in which the pairs of all lanes are solved, each with the lanes whose turn it is.

Lanes may want different orders. A turn takes the first pair that is next in any lane, for all lanes in which it is
next. So every lane sees its pairs in its own order, whatever the others do, and lanes of one mind share their turns.

Maximal joints come in one order in all lanes, between different pairs. Where the places of a lane's pairs have a gap, a
joint is next; it has its turn, number −1 − j, when it is next in all lanes.
"""

import taichi as ti

from ... import LANES
from ...lanes import any_lane, broadcast, indicator, materialize, maximum, traced
from ...stored import cells, first_lane, stored
from ..broad_phase.active_pairs import slot_at


@traced
def turn_row(w, turn, row):
    """Return a number of a turn: 0 the slot of the pair, 1 in the lanes whose turn it is."""
    return stored(None if row else int, cells(w, w.scratch, w.first_island_scratch, w.header.turns + 2 * turn + row, 1))


@traced
def write_turn(w, turn, pair, lanes):
    """Write a turn."""
    turn_row(w, turn, 0)._assign(pair)
    turn_row(w, turn, 1)._assign(lanes)


@traced
def slot_of_turn(w, turn):
    """Return the slot of the pair of a turn, or −1 − j for joint j."""
    return materialize(turn_row(w, turn, 0))


@traced
def lanes_of_turn(w, turn):
    """Return 1 in the lanes whose turn it is, else 0."""
    return materialize(turn_row(w, turn, 1))


@ti.func
def write_outer_turns(w: ti.template(), island_id):
    """Write the turns of the joints and pairs of an island outside the sweeps; return their number.

    There are none if no such pair touches.
    """
    joint, joint_end, last = w.island[island_id].joint, w.island[island_id].pair_joint_end, 0
    for at in range(w.early_pairs):
        if any_lane(w.slot[slot_at(w, at)].order > 0.0):
            last += 1
    if last > 0:
        if ti.static(LANES == 1):
            last += joint_end - joint
            for turn in range(last):
                write_turn(w, turn, -1, broadcast(1.0))
            write_turns(w, 0, w.early_pairs, 0)
            for turn in range(last):
                if slot_of_turn(w, turn) < 0:
                    write_turn(w, turn, -1 - joint, broadcast(1.0))
                    joint += 1
        else:
            last = write_common_turns(w, 0, w.early_pairs, 0, joint, joint_end)
    return last


@ti.func
def write_turns(w: ti.template(), first, end, start):
    """Write the turns of a range of the active pairs, from turn `start` on; return the turn after the last."""
    last = start + 0
    if ti.static(LANES == 1):  # their order is their turn
        for at in range(first, end):
            g = slot_at(w, at)
            turn = start - 1 + first_lane(w.slot[g].order)
            if turn >= start:
                write_turn(w, turn, g, broadcast(1.0))
                last = ti.max(last, turn + 1)
    else:
        last = write_common_turns(w, first, end, start, 0, 0)
    return last


@ti.func
def write_common_turns(w: ti.template(), first, end, start, first_joint, joint_end):
    """Write the turns of ranges of the active pairs and of joints in packs; return the turn after the last."""
    most, joint = broadcast(0.0), first_joint
    for at in range(first, end):
        g = slot_at(w, at)
        most = maximum(most, w.slot[g].order)
    next_order, turn, left = broadcast(1.0), start, any_lane(most > 0.0)
    while left or joint < joint_end:
        found = turn + 0
        for at in range(first, end):
            g = slot_at(w, at)
            mine = w.slot[g].order == next_order
            if any_lane(mine):
                lanes = indicator(mine)
                write_turn(w, turn, g, lanes)
                next_order = next_order + lanes
                turn += 1
        if turn == found and joint < joint_end:
            write_turn(w, turn, -1 - joint, broadcast(1.0))
            next_order = next_order + 1.0
            joint += 1
            turn += 1
        left = any_lane(next_order <= most)
    return turn
