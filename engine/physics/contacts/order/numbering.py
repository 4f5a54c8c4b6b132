"""Numbers of pairs, by which those that begin or cease to touch in one step are ordered.

A pair gets a number when its bounding boxes meet, and gives it back when they part. Numbers are made in slabs of 256:
the pairs that first need a slab get its numbers upward; the rest of it lies on a stack, the lowest on top, and numbers
that come back are put on it. Pairs that meet in the same step take a slice off the top as it lies there. They ask for
numbers in the order of the broad phase; in the first step of a simulation pairs of two movable bodies come in the
opposite order, then those with what is static, too:

    two links of one articulation, by the lower x of their boxes; two other movable bodies, by the same, where a link
    has that of the box around its articulation; a body and an articulation, or two articulations, by the links' own x:
    of two, those whose box on side 1 begins first, by its x, then the others, by that of side 0;
    a free body and a static shape: those whose static box begins later, by the body's, then the static's; then the
    others, static by static, by its x and the body's; a link and a static shape: shape by shape, links that begin
    first, by their x
"""

import taichi as ti

from ....tables.contacts import SPARE_NUMBERS
from ...lanes import broadcast
from ..broad_phase.active_pairs import slot_at
from ..kinds import PLANE
from ..merge_sort import merge_sort

SLAB = 256
"""Numbers that are made at once."""

GRID = 1e6
"""Lower x that differ by less than 1 / GRID count as equal [1/m]."""


@ti.func
def lower_x(w: ti.template(), c):
    """Return where the bounding box of a collider begins, on a grid."""
    x = -1e6 * w.param.metre[0]
    if w.collider[c].shape != PLANE:
        grid = GRID / w.param.metre[0]
        x = ti.floor(w.collider[c].low.x * grid + 0.5) / grid
    return x


@ti.func
def lower_x_of_owner(w: ti.template(), island_id, a, c):
    """Return where the box of all colliders of an articulation begins, or that of collider c of a free body."""
    x = lower_x(w, c)
    if w.articulation[a].free_body == 0:
        for other in range(w.island[island_id].collider, w.island[island_id].collider_end):
            if w.collider[other].articulation == a:
                x = ti.min(x, lower_x(w, other))
    return x


@ti.func
def are_articulations(w: ti.template(), g):
    """Return whether the sides of pair g are links of two articulations."""
    one, two, are = w.slot[g].owner0, w.slot[g].owner1, False
    if two >= 0 and one != two:
        are = w.articulation[one].free_body == 0 and w.articulation[two].free_body == 0
    return are


@ti.func
def write_sweep_keys(w: ti.template(), island_id, g):
    """Write the keys by which the broad phase orders pair g."""
    pair = w.slot[g]
    a, b = pair.collider_a, pair.collider_b
    if pair.reversed:
        a, b = b, a
    x, y = lower_x(w, a), lower_x(w, b)
    first, second, third, fourth, fifth = broadcast(0.0), ti.min(x, y), ti.max(x, y), 1.0 * pair.rank0, broadcast(0.0)
    sixth, seventh = broadcast(0.0), broadcast(0.0)
    if are_articulations(w, g):
        whole0 = lower_x_of_owner(w, island_id, pair.owner0, a)
        whole1 = lower_x_of_owner(w, island_id, pair.owner1, b)
        second, third, fourth = ti.min(whole0, whole1), ti.max(whole0, whole1), broadcast(0.0)
        fifth, sixth, seventh = ti.min(x, y), ti.max(x, y), 1.0 * pair.rank1
        if y > x:
            fourth, seventh = broadcast(1.0), 1.0 * pair.rank0
    elif pair.owner0 == pair.owner1:
        first = broadcast(-1.0)
        if y < x:
            fourth = 1.0 * pair.rank1
    elif pair.owner1 >= 0 and pair.has_link:
        whole = lower_x_of_owner(w, island_id, pair.owner0, a)
        second, third, fourth, fifth = ti.min(whole, y), ti.max(whole, y), x, 1.0 * pair.rank0
    elif pair.owner1 >= 0:
        if y < x:
            fourth = 1.0 * pair.rank1
    elif pair.has_link:
        first, second, third, fourth, fifth = 1.0 + 0.0 * x, y, ti.select(y < x, 1.0, 0.0 * x), x, 1.0 * pair.rank0
    elif y >= x:
        first, second, third, fourth = 1.0 + 0.0 * x, x, 1.0 * pair.rank0, y
    else:
        first, second, third, fourth = 2.0 + 0.0 * x, y, 1.0 * pair.rank1, x
    w.slot[g].key0 = first
    w.slot[g].key1 = second
    w.slot[g].key2 = third
    w.slot[g].key3 = fourth
    w.slot[g].key4 = fifth
    w.slot[g].key5 = sixth
    w.slot[g].key6 = seventh


@ti.func
def comes_before(w: ti.template(), g, other):
    """Return whether pair g comes before another one by their keys."""
    one, two = w.slot[g], w.slot[other]
    before = one.key6 < two.key6
    if one.key5 != two.key5:
        before = one.key5 < two.key5
    if one.key4 != two.key4:
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
def first_number(w: ti.template(), island_id):
    """Return the first place of the island's stack of free numbers."""
    first = w.island[island_id].slot
    if ti.static(w.features.slots):
        first = SPARE_NUMBERS * first
    return first


@ti.func
def take_numbers(w: ti.template(), island_id, count):
    """Give numbers to the `count` listed pairs: those left of the last slab downward, free ones, those of new slabs."""
    first, made = first_number(w, island_id), w.contacts.id_count[island_id]
    spare = w.contacts.spare_id_count[island_id]
    reused = ti.min(count, spare)
    left = ti.min(count - reused, (SLAB - made % SLAB) % SLAB)
    for i in range(count):
        number = 1.0 * (made + 1 + i - reused)
        if i < left:
            number = 1.0 * (made + left - i)
        elif i < left + reused:
            number = w.contacts.spare_id[first + spare - reused + i - left]
        w.contacts.contact_id[w.active[i].listed] = number
    w.contacts.id_count[island_id] = made + count - reused
    w.contacts.spare_id_count[island_id] = spare - reused


@ti.func
def reverse_listed(w: ti.template(), count):
    """Turn around the order of the listed pairs of two movable bodies, and of those with what is static after them."""
    first = 0
    for i in range(count):
        if w.slot[w.active[i].listed].owner1 >= 0 and first == i:
            first += 1
    for i in range(first // 2):
        swap_listed(w, i, first - 1 - i)
    for i in range((count - first) // 2):
        swap_listed(w, first + i, count - 1 - i)


@ti.func
def swap_listed(w: ti.template(), i, j):
    """Exchange two items of the list."""
    kept = w.active[i].listed
    w.active[i].listed = w.active[j].listed
    w.active[j].listed = kept


@ti.func
def give_numbers(w: ti.template(), island_id):
    """Give numbers to the pairs whose boxes met."""
    count = 0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].near and w.contacts.contact_id[g] == 0:
            write_sweep_keys(w, island_id, g)
            count = w.active.push(count, listed=g)
    merge_sort(w, w.active, count, comes_before)
    if w.contacts.contact_steps[island_id] == 0:
        reverse_listed(w, count)
    take_numbers(w, island_id, count)


@ti.func
def take_numbers_back(w: ti.template(), island_id):
    """Take back the numbers of the pairs whose boxes parted."""
    first = first_number(w, island_id)
    for at in range(w.pairs):
        g = slot_at(w, at)
        if not w.slot[g].near and w.contacts.contact_id[g] > 0:
            top = w.contacts.spare_id_count[island_id]
            w.contacts.spare_id[first + top] = w.contacts.contact_id[g]
            w.contacts.spare_id_count[island_id] = top + 1
            w.contacts.contact_id[g] = 0


@ti.func
def list_by_number(w: ti.template(), count, g):
    """Append pair g to the list of `count` pairs, with its number as its key; return how many there are then."""
    w.slot[g].key0 = w.contacts.contact_id[g]
    w.slot[g].key1 = 0.0
    w.slot[g].key2 = 0.0
    w.slot[g].key3 = 0.0
    w.slot[g].key4 = 0.0
    w.slot[g].key5 = 0.0
    w.slot[g].key6 = 0.0
    return w.active.push(count, listed=g)
