"""Results of contacts in a step: points, impulses along the normals, and the force of every pair.

    force on side 0 = (Σ N λ + Σ (t0 f0 + t1 f1)) / h,  minus that on side 1

λ is the impulse of a contact point and f that of a friction anchor. Points are those of the start of the step.
"""

import taichi as ti

from ....tables.contacts import PAIR_BLOCK
from ...lanes import broadcast, materialize, traced
from ...spatial import select, zero_vector
from ..broad_phase.active_pairs import slot_at
from ..broad_phase.numbered_pairs import colliders_of
from ..pair_sleep import awake_side
from ..patches import patch_at, patch_count, points_per_slot


@ti.func
def pair_force(w: ti.template(), g, h):
    """Return the force of pair g on side 0, 0 without contact points."""
    pair, total = w.slot[g], zero_vector()
    count = w.slot[g].point_count
    for i in range(pair.contact, pair.contact_end):
        push = w.contact[i].normal * w.contact[i].impulse
        total = total + select(count > 1.0 * (i - pair.contact), push, zero_vector())
    for i in range(2 * patch_count(w, g)):
        at = patch_at(w, g, i // 2)
        patch, anchor = w.patch[at], w.anchor[2 * at + i % 2]
        rub = patch.tangent0 * anchor.impulse0 + patch.tangent1 * anchor.impulse1
        total = total + select((count > 0.0) & (w.contacts.anchor_count[at] > 1.0 * (i % 2)), rub, zero_vector())
    return total * (1.0 / h)


@ti.func
def write_own_forces(w: ti.template(), island_id, h):
    """Write the results of one lane's pairs that touch, one after the other; clear what the last step left."""
    first, end, room = w.island[island_id].slot + 0, w.island[island_id].slot_end, points_per_slot(w)
    kept = 0
    if ti.static(w.features.sleeps):
        kept = keep_results_of_sleepers(w, island_id)
    place = first + kept
    for i in range(w.pairs):
        if w.slot[slot_at(w, i)].point_count > 0.0:
            place += 1
    tail = place + 0
    while tail < end and w.results.result_pair[ti.min(tail, end - 1)] > 0.0:
        w.results.result_pair[tail] = 0.0
        w.results.result_block[tail] = 0.0
        clear_results(w, tail, tail * room, (tail + 1) * room)
        tail += 1
    for back in range(w.pairs):
        g = slot_at(w, w.pairs - 1 - back)
        if w.slot[g].point_count > 0.0:
            if ti.static(w.features.sleeps):
                while kept > 0 and pair_of_results(w, first + ti.max(kept - 1, 0)) > w.slot[g].pair:
                    place, kept = place - 1, kept - 1
                    move_results(w, place, first + kept)
            place -= 1
            w.results.result_pair[place] = 1.0 + w.slot[g].pair % PAIR_BLOCK
            w.results.result_block[place] = 1.0 * (w.slot[g].pair // PAIR_BLOCK)
            write_results(w, g, place, place * room, h)
            clear_points(w, place * room + w.slot[g].points, (place + 1) * room)


@ti.func
def pair_of_results(w: ti.template(), place):
    """Return the pair that has the results at a place."""
    return (
        ti.cast(w.results.result_block[place], ti.i32) * PAIR_BLOCK + ti.cast(w.results.result_pair[place], ti.i32) - 1
    )


@ti.func
def keep_results_of_sleepers(w: ti.template(), island_id):
    """Move the results of pairs whose bodies sleep to the first places of the island; return their number."""
    first, end = w.island[island_id].slot + 0, w.island[island_id].slot_end
    kept, place = 0, first + 0
    while place < end and w.results.result_pair[ti.min(place, end - 1)] > 0.0:
        a, b = colliders_of(w, island_id, pair_of_results(w, place))
        awake = awake_side(w, a) or awake_side(w, b)
        if not awake:
            move_results(w, first + kept, place)
            kept += 1
        place += 1
    return kept


@ti.func
def move_results(w: ti.template(), place, source):
    """Copy the results of a slot to another place."""
    for name in ti.static(("result_pair", "result_block", "pair_points", "pair_force")):
        copy_result(w, name, place, source)
    room = points_per_slot(w)
    for i in range(room):
        for name in ti.static(("contact_point", "contact_normal", "contact_separation", "contact_impulse")):
            copy_result(w, name, place * room + i, source * room + i)


@traced
def copy_result(w, name, place, source):
    """Copy a result of an item to another item."""
    for to, value in zip(w.results.places(name.upper(), place), w.results.places(name.upper(), source), strict=True):
        to._assign(materialize(value))


@ti.func
def write_results(w: ti.template(), g, place, first, h):
    """Write the results of slot g to a place, those of its points from item `first` on."""
    count, start = w.slot[g].point_count, w.slot[g].contact
    w.results.pair_points[place] = count
    w.results.pair_force[place] = pair_force(w, g, h)
    for i in range(w.slot[g].points):
        exists, contact = count > 1.0 * i, w.contact[start + i]
        w.results.contact_point[first + i] = select(exists, contact.point, zero_vector())
        w.results.contact_normal[first + i] = select(exists, contact.normal, zero_vector())
        w.results.contact_separation[first + i] = ti.select(exists, contact.separation, 0.0)
        w.results.contact_impulse[first + i] = ti.select(exists, contact.impulse, 0.0)


@ti.func
def clear_results(w: ti.template(), place, first, end):
    """Write that a place has no contacts, and its points from item `first` to before `end`."""
    w.results.pair_points[place] = broadcast(0.0)
    w.results.pair_force[place] = zero_vector()
    clear_points(w, first, end)


@ti.func
def clear_points(w: ti.template(), first, end):
    """Clear results of contact points."""
    for i in range(first, end):
        w.results.contact_point[i] = zero_vector()
        w.results.contact_normal[i] = zero_vector()
        w.results.contact_separation[i] = broadcast(0.0)
        w.results.contact_impulse[i] = broadcast(0.0)
