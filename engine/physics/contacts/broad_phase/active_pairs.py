"""Active pairs: those that are near in any lane, or were in the last step, in the order of their numbers.

All that a step computes about pairs, it computes for these. Each has a slot with its numbers: a slot of its own, or one
that it takes when it gets near and gives back when it is far in all lanes. The order of slots has no effect.
"""

import taichi as ti

from ....tables.contacts import PAIR_BLOCK
from ...lanes import any_lane, mask, materialize, traced
from .numbered_pairs import hold_pair
from .slot_rows import clear_slot


@traced
def slot_at(w, i):
    """Return the slot of active pair i."""
    return materialize(w.active[i].slot)


@ti.func
def take_slot(w: ti.template(), island_id, pair):
    """Return a slot for a pair that gets near; what was in a shared slot is forgotten."""
    slot = pair
    if ti.static(w.features.slots):
        if w.spare > 0:
            w.set_count("spare", w.spare - 1)
            slot = w.active[w.spare].free
        else:
            slot = w.top + 0
            w.set_count("top", w.top + 1)
        hold_pair(w, island_id, slot, pair)
        clear_slot(w, slot, mask(True))
    return slot


@ti.func
def leave_slot(w: ti.template(), slot):
    """Free the slot of a pair that is far in all lanes."""
    if ti.static(w.features.slots):
        w.active[w.spare].free = slot
        w.set_count("spare", w.spare + 1)


@ti.func
def update_active_pairs(w: ti.template(), island_id, count):
    """Merge the active pairs with the first `count` pairs that are NEAR; write NEAR of their slots."""
    end = w.island[island_id].pair_end
    old, new, total, early = 0, 0, 0, 0
    while old < w.pairs or new < count:
        slot, kept, next_pair = 0, end + 0, end + 0
        if old < w.pairs:
            slot = slot_at(w, old)
            kept = w.slot[slot].pair + 0
        if new < count:
            next_pair = w.active[new].near_block * PAIR_BLOCK + w.active[new].near_pair
        stays = True
        if next_pair <= kept:
            if next_pair < kept:
                slot = take_slot(w, island_id, next_pair)
            else:
                old += 1
                if ti.static(w.features.slots):
                    fresh = w.active[new].near & (w.contacts.contact_id[slot] == 0.0)
                    if any_lane(fresh):
                        clear_slot(w, slot, fresh)
            w.slot[slot].near = w.active[new].near
            new += 1
        else:
            old += 1
            w.slot[slot].near = False
            next_pair = kept + 0
            stays = any_lane(w.contacts.contact_id[slot] > 0.0)
        if stays:
            total = w.active.push(total, next=slot)
            early += ti.cast(next_pair < w.island[island_id].early_pair_end, ti.i32)
        else:
            leave_slot(w, slot)
    for i in range(total):
        w.active[i].slot = w.active[i].next
    w.set_count("pairs", total)
    w.set_count("early_pairs", early)
