"""Contacts at the start and end of a launch: the list of active pairs, and the shared slots in which worlds keep pairs.

A world keeps the pairs that are near in the order of their numbers, without gaps. During a launch the pairs of all
lanes are in slots of the scratch, so that a slot has one pair in all lanes. CURSOR is the place of a world's next pair,
from the island's first slot on.
"""

import taichi as ti

from ....tables.contacts import PAIR_BLOCK
from ... import LANES
from ...lanes import any_lane, broadcast, lane_least
from ...stored import first_lane
from ..lane_choice import single_lanes
from .active_pairs import slot_at, take_slot
from .broad_phase import place_static_bodies
from .kept_partners import NONE_KEPT
from .slot_rows import NONE, clear_stored, copy_slot


@ti.func
def begin_contacts(w: ti.template(), island_id):
    """List the pairs that were near in the last step."""
    place_static_bodies(w, island_id)
    if ti.static(w.features.crowds):
        if w.island[island_id].sorts_bodies:
            w.crowd[0].kept = NONE_KEPT
    w.set_count("top", 0)
    w.set_count("spare", 0)
    count, early, end = 0, 0, w.island[island_id].early_pair_end
    if ti.static(w.features.slots):
        w.contacts.lost_pairs[island_id] = broadcast(0.0)
        w.active[0].cursor = broadcast(0.0)
        pair = next_stored_pair(w, island_id)
        while pair >= 0:
            slot = take_slot(w, island_id, pair)
            load_pair(w, island_id, slot, pair)
            count = w.active.push(count, slot=slot)
            early += ti.cast(pair < end, ti.i32)
            pair = next_stored_pair(w, island_id)
    else:
        for pair in range(w.island[island_id].pair, w.island[island_id].pair_end):
            if any_lane(w.contacts.contact_id[pair] > 0.0):
                count = w.active.push(count, slot=pair)
                early += ti.cast(pair < end, ti.i32)
    w.set_count("pairs", count)
    w.set_count("early_pairs", early)


@ti.func
def next_stored_pair(w: ti.template(), island_id):
    """Write the next pair of every lane to NEXT_PAIR and NEXT_BLOCK; return the first one, -1 for none."""
    for lane in range(LANES):
        single_lanes.find_stored_pair(single_lanes.LaneView(w, lane), island_id)
    first = w.active[0]
    block = lane_least(first.next_block)
    place = lane_least(ti.select(first.next_block == block, first.next_pair, NONE))
    pair = -1
    if block < NONE:
        pair = ti.cast(block, ti.i32) * PAIR_BLOCK + ti.cast(place, ti.i32)
    return pair


@ti.func
def load_pair(w: ti.template(), island_id, slot, pair):
    """Copy a pair to a slot of the scratch from the lanes whose next one it is; all at once where its place is one."""
    first, cursor = w.active[0], w.active[0].cursor
    mine = (first.next_pair == 1.0 * (pair % PAIR_BLOCK)) & (first.next_block == 1.0 * (pair // PAIR_BLOCK))
    place = first_lane(cursor)
    if any_lane(~mine | (cursor != 1.0 * place)):
        for lane in range(LANES):
            single_lanes.load_own_pair(single_lanes.LaneView(w, lane), island_id, slot, pair)
    else:
        copy_slot(w, w.island[island_id].slot + place, slot, False)
        w.active[0].cursor = cursor + 1.0


@ti.func
def end_contacts(w: ti.template(), island_id):
    """Keep the pairs that are near until the next launch."""
    if ti.static(w.features.slots):
        first, end = w.island[island_id].slot, w.island[island_id].slot_end
        cursor = broadcast(0.0)
        for i in range(w.pairs):
            slot = slot_at(w, i)
            held, place = w.contacts.contact_id[slot] > 0.0, first_lane(cursor)
            if any_lane(~held | (cursor != 1.0 * place)):
                w.active[0].cursor = cursor
                for lane in range(LANES):
                    single_lanes.store_own_pair(single_lanes.LaneView(w, lane), island_id, slot)
            else:
                copy_slot(w, first + place, slot, True)
                w.contacts.stored_pair[first + place] = broadcast(1.0 + w.slot[slot].pair % PAIR_BLOCK)
                w.contacts.stored_block[first + place] = broadcast(1.0 * (w.slot[slot].pair // PAIR_BLOCK))
            cursor = ti.select(held, cursor + 1.0, cursor)
        place, stale = ti.cast(lane_least(cursor), ti.i32) + first, True
        while stale and place < end:
            old = (w.contacts.stored_pair[place] > 0.0) & (cursor <= 1.0 * (place - first))
            stale = any_lane(w.contacts.stored_pair[place] > 0.0)
            if any_lane(old):
                w.contacts.stored_pair[place] = ti.select(old, 0.0, w.contacts.stored_pair[place])
                w.contacts.stored_block[place] = ti.select(old, 0.0, w.contacts.stored_block[place])
                clear_stored(w, place, old)
            place += 1
