"""Rows of one pair in the state of contacts where pairs share slots: in the buffer, and in scratch during a launch.

Between launches every lane keeps its own pairs, one after the other; see `slot_storage`.
"""

import taichi as ti

from ....tables.contacts import CONTACT_STATE, MANIFOLD_POINTS, PAIR_BLOCK
from ...buffer_views import WORKING
from ...lanes import broadcast, traced
from ...stored import cells, first_of
from ..patches import manifolds_per_slot, patches_per_slot

ITEMS = {"W": 1, "f": 1, "F": 2, "H": 1, "Y": MANIFOLD_POINTS}
"""Items per slot or, of a friction patch or manifold, per patch or manifold, by owner."""

ROWS = tuple((name.lower(), ITEMS[owner] * width, owner) for name, owner, width, _ in CONTACT_STATE if owner in WORKING)
"""Quantities of a slot, the number of their rows, and their owner."""
NONE = 1e30
"""Block and place of the next pair where there is none."""


@traced
def working_row(w, name, row):
    """Return the place of a row of a slot in scratch."""
    return cells(w, w.scratch, w.first_island_scratch, getattr(w.header, name) + row, 1)[0]


@traced
def stored_row(w, name, row):
    """Return the place of a row of a slot in the buffer."""
    first = first_of(w.index, w.header.contact_rows)
    return cells(w, w.contacts.array, first, getattr(w.header, f"stored_{name}") + row, 1)[0]


@traced
def copy_row(w, name, place, slot, back):
    """Copy a row from the buffer to scratch, or back."""
    one, two = working_row(w, name, slot), stored_row(w, name, place)
    (two if back else one)._assign(one if back else two)


@traced
def clear_row(w, place, lanes):
    """Set a place to 0 in some lanes."""
    place._assign(ti.select(lanes, broadcast(0.0), place))


@traced
def rows_of_slot(w, width, owner):
    """Return the rows of a quantity per slot."""
    if owner in "HY":
        return width * manifolds_per_slot(w)
    return width * patches_per_slot(w) if owner in "fF" else width


@ti.func
def copy_slot(w: ti.template(), place, slot, back: ti.template()):
    """Copy all rows of a pair from a place in the buffer to a slot in scratch, or back."""
    for name, width, owner in ti.static(ROWS):
        count = rows_of_slot(w, width, owner)
        for i in range(count):
            copy_row(w, name, place * count + i, slot * count + i, back)


@ti.func
def clear_slot(w: ti.template(), slot, lanes):
    """Set all rows of a slot in scratch to 0 in some lanes."""
    for name, width, owner in ti.static(ROWS):
        count = rows_of_slot(w, width, owner)
        for i in range(count):
            clear_row(w, working_row(w, name, slot * count + i), lanes)


@ti.func
def clear_stored(w: ti.template(), place, lanes):
    """Set all rows of a place in the buffer to 0 in some lanes."""
    for name, width, owner in ti.static(ROWS):
        count = rows_of_slot(w, width, owner)
        for i in range(count):
            clear_row(w, stored_row(w, name, place * count + i), lanes)


@ti.func
def find_stored_pair(w: ti.template(), island_id):
    """Write the pair at CURSOR to NEXT_PAIR and NEXT_BLOCK."""
    place, found, block = w.island[island_id].slot + w.active[0].cursor, broadcast(NONE), broadcast(NONE)
    if place < w.island[island_id].slot_end:
        if w.contacts.stored_pair[place] > 0.0:
            found = w.contacts.stored_pair[place] - 1.0
            block = 1.0 * w.contacts.stored_block[place]
    w.active[0].next_pair = found
    w.active[0].next_block = block


@ti.func
def load_own_pair(w: ti.template(), island_id, slot, pair):
    """Copy the pair at CURSOR to a slot of the scratch, if it is this pair, and go on to the next one."""
    if w.active[0].next_pair == pair % PAIR_BLOCK and w.active[0].next_block == pair // PAIR_BLOCK:
        place = w.active[0].cursor
        copy_slot(w, w.island[island_id].slot + place, slot, False)
        w.active[0].cursor = place + 1


@ti.func
def store_own_pair(w: ti.template(), island_id, slot):
    """Copy a slot of the scratch to the place at CURSOR, if the lane keeps its pair."""
    if w.contacts.contact_id[slot] > 0.0:
        place = w.island[island_id].slot + w.active[0].cursor
        copy_slot(w, place, slot, True)
        w.contacts.stored_pair[place] = 1 + w.slot[slot].pair % PAIR_BLOCK
        w.contacts.stored_block[place] = w.slot[slot].pair // PAIR_BLOCK
