"""Pairs that one lane keeps between launches where pairs share slots; see `slot_storage`."""

import taichi as ti

from ...lanes import broadcast
from ..scalars import whole
from .slot_rows import copy_slot

NONE = 1e30
"""Number of the next pair where there is none."""


@ti.func
def find_stored_pair(w: ti.template(), island_id):
    """Write the pair at CURSOR to NEXT_PAIR."""
    place, found = w.island[island_id].slot + whole(w.active[0].cursor), broadcast(NONE)
    if place < w.island[island_id].slot_end:
        if w.contacts.stored_pair[place] > 0.0:
            found = w.contacts.stored_pair[place] - 1.0
    w.active[0].next_pair = found


@ti.func
def load_own_pair(w: ti.template(), island_id, slot, pair):
    """Copy the pair at CURSOR to a slot of the scratch, if it is this pair, and go on to the next one."""
    if w.active[0].next_pair == pair:
        place = whole(w.active[0].cursor)
        copy_slot(w, w.island[island_id].slot + place, slot, False)
        w.active[0].cursor = 1.0 * (place + 1)


@ti.func
def store_own_pair(w: ti.template(), island_id, slot):
    """Copy a slot of the scratch to the place at CURSOR, if the lane keeps its pair."""
    if w.contacts.manager[slot] > 0.0:
        place = w.island[island_id].slot + whole(w.active[0].cursor)
        copy_slot(w, place, slot, True)
        w.contacts.stored_pair[place] = 1.0 + w.slot[slot].pair
