"""Numbers of pairs in one lane, by when they began to touch: rows are solved in that order.

A pair gets a number when its bounding boxes meet, from a stack of free numbers or else the next new one, and gives it
back when they part. Pairs that begin to touch in the same step are ordered by these numbers, in the first step of a
simulation in the opposite order. Pairs ask for numbers in the order of the broad phase:

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
    first, second, third, fourth = broadcast(0.0), ti.min(x, y), ti.max(x, y), 1.0 * pair.rank0
    if pair.thing1 >= 0:
        if y < x:
            fourth = 1.0 * pair.rank1
    elif pair.has_link:
        first, second, third = 1.0 + 0.0 * x, y, ti.select(y < x, 1e7, 0.0) + x
    elif y >= x:
        first, second, third, fourth = 1.0 + 0.0 * x, x, 1.0 * pair.rank0, y
    else:
        first, second, third = 2.0 + 0.0 * x, y, x
    w.slot[g].key0 = first
    w.slot[g].key1 = second
    w.slot[g].key2 = third
    w.slot[g].key3 = fourth


@ti.func
def comes_before(w: ti.template(), g, other):
    """Return whether pair g comes before another one by their keys."""
    one, two = w.slot[g], w.slot[other]
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
    spare = whole(w.contacts.spare_managers[island_id])
    reused = ti.min(count, spare)
    for i in range(count):
        g = whole(w.active[i].listed)
        if i < reused:  # a slice off the top of the stack, as it lies there
            w.contacts.manager[g] = w.contacts.spare_manager[first + spare - reused + i] + 0.0
        else:
            w.contacts.managers[island_id] = w.contacts.managers[island_id] + 1.0
            w.contacts.manager[g] = w.contacts.managers[island_id] + 0.0
    w.contacts.spare_managers[island_id] = 1.0 * (spare - reused)
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].near == 0.0 and w.contacts.manager[g] > 0.0:
            top = whole(w.contacts.spare_managers[island_id])
            w.contacts.spare_manager[first + top] = w.contacts.manager[g] + 0.0
            w.contacts.spare_managers[island_id] = 1.0 * (top + 1)
            w.contacts.manager[g] = 0.0


@ti.func
def number_touches(w: ti.template(), island_id):
    """Number the pairs that begin to touch; of several, by the numbers of their boxes."""
    count = 0
    starts = w.contacts.contact_steps[island_id] == 0.0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].point_count == 0.0:
            w.contacts.touch_number[g] = 0.0
        elif w.contacts.touch_number[g] == 0.0:
            key = w.contacts.manager[g] + 0.0
            w.slot[g].key0 = ti.select(starts, 0.0 - key, key)
            w.slot[g].key1 = 0.0
            w.slot[g].key2 = 0.0
            w.slot[g].key3 = 0.0
            insert_sorted(w, count, g)
            count += 1
    for i in range(count):
        g = whole(w.active[i].listed)
        w.contacts.touches[island_id] = w.contacts.touches[island_id] + 1.0
        w.contacts.touch_number[g] = w.contacts.touches[island_id] + 0.0
