"""Numbers of pairs in one lane, and the list of touching pairs: rows are solved in its order.

A pair gets a number when its bounding boxes meet, and gives it back when they part. Numbers are made in slabs of 256:
the pairs that first need a slab get its numbers upward; the rest of it lies on a stack, the lowest on top, and numbers
that come back are put on it. Pairs that meet in the same step take a slice off the top as it lies there. Pairs that
begin to touch are appended to the list; of several, by these numbers, in the first step of a simulation in the opposite
order. After a step in which pairs ceased to touch, the last pair of the list takes the place of each of them, in the
order of other numbers, the edges, which are taken off their stack one by one. Pairs ask for numbers in the order of the
broad phase:

    two movable bodies, by the lower x of their boxes; a free body and a static shape: those whose static box begins
    later, by the body's, then the static's; then the others, the other way round; a link and a static shape: shape by
    shape, links that begin first, by their x
"""

import taichi as ti

from ...tables.contacts import SPARE_NUMBERS
from ..lanes import broadcast
from .active_pairs import slot_at
from .kinds import PLANE
from .scalars import whole

SLAB = 256
"""Numbers that are made at once."""

GRID = 1e6
"""Lower x that differ by less than 1 / GRID count as equal [1/m]."""


@ti.func
def lower_x(w: ti.template(), c):
    """Return where the bounding box of a collider begins, on a grid."""
    x = broadcast(-1e6)
    if w.collider[c].shape != PLANE:
        x = ti.floor(w.collider[c].low.x * GRID + 0.5) / GRID
    return x


@ti.func
def write_sweep_keys(w: ti.template(), g):
    """Write the keys by which the broad phase orders pair g."""
    pair = w.slot[g]
    a, b = pair.collider_a, pair.collider_b
    if pair.reversed:
        a, b = b, a
    x, y = lower_x(w, a), lower_x(w, b)
    first, second, third, fourth, fifth = broadcast(0.0), ti.min(x, y), ti.max(x, y), 1.0 * pair.rank0, broadcast(0.0)
    if pair.thing1 >= 0:
        if y < x:
            fourth = 1.0 * pair.rank1
    elif pair.has_link:
        first, second, third, fourth, fifth = 1.0 + 0.0 * x, y, ti.select(y < x, 1.0, 0.0 * x), x, 1.0 * pair.rank0
    elif y >= x:
        first, second, third, fourth = 1.0 + 0.0 * x, x, 1.0 * pair.rank0, y
    else:
        first, second, third = 2.0 + 0.0 * x, y, x
    w.slot[g].key0 = first
    w.slot[g].key1 = second
    w.slot[g].key2 = third
    w.slot[g].key3 = fourth
    w.slot[g].key4 = fifth


@ti.func
def comes_before(w: ti.template(), g, other):
    """Return whether pair g comes before another one by their keys."""
    one, two = w.slot[g], w.slot[other]
    before = one.key4 < two.key4
    if one.key3 != two.key3:
        before = one.key3 < two.key3
    if one.key2 != two.key2:
        before = one.key2 < two.key2
    if one.key1 != two.key1:
        before = one.key1 < two.key1
    if one.key0 != two.key0:
        before = one.key0 < two.key0
    return before


@ti.func
def insert_sorted(w: ti.template(), count, g):
    """Insert pair g into the sorted list of `count` pairs."""
    place = count
    while place > 0 and comes_before(w, g, whole(w.active[place - 1].listed)):
        w.active[place].listed = w.active[place - 1].listed + 0.0
        place -= 1
    w.active[place].listed = 1.0 * g


@ti.func
def first_number(w: ti.template(), island_id):
    """Return the first place of the island's stack of free numbers."""
    first = w.island[island_id].slot
    if ti.static(w.features.slots):
        first = SPARE_NUMBERS * first
    return first


@ti.func
def take_numbers(w: ti.template(), island_id, count):
    """Give numbers to the `count` listed pairs: those left of the last slab downward, free ones, those of new slabs."""
    first, made = first_number(w, island_id), whole(w.contacts.managers[island_id])
    spare = whole(w.contacts.spare_managers[island_id])
    reused = ti.min(count, spare)
    left = ti.min(count - reused, (SLAB - made % SLAB) % SLAB)
    starts = w.contacts.contact_steps[island_id] == 0.0
    for i in range(count):
        g = whole(w.active[i].listed)
        number, edge = 1.0 * (made + 1 + i - reused), 1.0 * (made + 1 + i - reused)
        if starts:
            edge = 1.0 * (made + count - i)
        if i < reused:
            edge = w.contacts.spare_edge[first + spare - 1 - i] + 0.0
        if i < left:
            number = 1.0 * (made + left - i)
        elif i < left + reused:
            number = w.contacts.spare_manager[first + spare - reused + i - left] + 0.0
        w.contacts.manager[g] = number
        w.contacts.edge[g] = edge
    w.contacts.managers[island_id] = 1.0 * (made + count - reused)
    w.contacts.spare_managers[island_id] = 1.0 * (spare - reused)


@ti.func
def give_numbers(w: ti.template(), island_id):
    """Give numbers to the pairs whose boxes met, and take back those of pairs that parted."""
    count, first = 0, first_number(w, island_id)
    for at in range(w.pairs):
        g = slot_at(w, at)
        meets, numbered = w.slot[g].near > 0.0, w.contacts.manager[g] > 0.0
        if meets and not numbered:
            write_sweep_keys(w, g)
            insert_sorted(w, count, g)
            count += 1
    take_numbers(w, island_id, count)
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].near == 0.0 and w.contacts.manager[g] > 0.0:
            top = whole(w.contacts.spare_managers[island_id])
            w.contacts.spare_manager[first + top] = w.contacts.manager[g] + 0.0
            w.contacts.spare_edge[first + top] = w.contacts.edge[g] + 0.0
            w.contacts.spare_managers[island_id] = 1.0 * (top + 1)
            w.contacts.manager[g] = 0.0


@ti.func
def list_touches(w: ti.template(), island_id):
    """Append the pairs that begin to touch to the list; of several, by the numbers of their boxes."""
    count = 0
    starts = w.contacts.contact_steps[island_id] == 0.0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].point_count > 0.0 and w.contacts.touch_number[g] == 0.0:
            key = w.contacts.manager[g] + 0.0
            write_key(w, g, ti.select(starts, 0.0 - key, key))
            insert_sorted(w, count, g)
            count += 1
    for i in range(count):
        g = whole(w.active[i].listed)
        w.contacts.touches[island_id] = w.contacts.touches[island_id] + 1.0
        w.contacts.touch_number[g] = w.contacts.touches[island_id] + 0.0


@ti.func
def write_key(w: ti.template(), g, key):
    """Write the only key by which pair g is sorted."""
    w.slot[g].key0 = key
    w.slot[g].key1 = 0.0
    w.slot[g].key2 = 0.0
    w.slot[g].key3 = 0.0
    w.slot[g].key4 = 0.0


@ti.func
def end_touches(w: ti.template(), island_id):
    """Take the pairs that ceased to touch off the list, which holds from the next step on."""
    count = 0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].point_count == 0.0 and w.contacts.touch_number[g] > 0.0:
            write_key(w, g, w.contacts.edge[g] + 0.0)
            insert_sorted(w, count, g)
            count += 1
    for i in range(count):
        g = whole(w.active[i].listed)
        place, last = w.contacts.touch_number[g] + 0.0, w.contacts.touches[island_id] + 0.0
        for at in range(w.pairs):
            other = slot_at(w, at)
            if w.contacts.touch_number[other] == last:
                w.contacts.touch_number[other] = place
        w.contacts.touch_number[g] = 0.0
        w.contacts.touches[island_id] = last - 1.0
    w.contacts.contact_steps[island_id] = ti.select(count > 0, 2.0, 1.0)
