"""Numbers of pairs: the colliders, words and parameters of a pair by its number.

The pairs of an island are items of PAIRS one after the other. With many bodies its early pairs are not listed: every
two colliders of two bodies have a number, whether they may touch or not, in the order of body 0, body 1, then the
colliders of each. If n is the number of colliders of a body and c its first one, that of a and b of bodies 0 and 1 is

    p = PAIR0 + n0 (c1 − c0 − n0) + (a − c0) n1 + (b − c1)

and PAIR0 is the number of the first pair of which that body is body 0. What pairs of two kinds of colliders have in
common is an item of PAIRS.
"""

import taichi as ti

from ...lanes import UniformStruct
from ..binary_search import lower_bound


class BodyPair(UniformStruct):
    """Two bodies, and the range of the numbers of their pairs."""

    parts, types = ("body0", "body1", "pair", "pair_end"), (None, None, None, None)


@ti.func
def is_listed(w: ti.template(), island_id, pair):
    """Return whether a pair is an item of PAIRS."""
    return w.island[island_id].lists_pairs > 0 or pair >= w.island[island_id].early_pair_end


@ti.func
def pairs_of_bodies(w: ti.template(), one, two):
    """Return the range of the pairs of two bodies of an island that does not list them, `one` before `two`."""
    first, other = w.body[one], w.body[two]
    count, many = first.collider_end - first.collider, other.collider_end - other.collider
    pair = first.pair + count * (other.collider - first.collider_end)
    return pair, pair + count * many


@ti.func
def body_of_pair(w: ti.template(), island_id, pair):
    """Return body 0 of a pair that is not listed: the last one whose first pair is not after it."""
    island = w.island[island_id]
    return lower_bound(w, island.body + 1, island.body_end, has_first_pair_by, pair) - 1


@ti.func
def has_first_pair_by(w: ti.template(), body, pair):
    """Return whether the first pair of a body is not after a pair."""
    return w.body[body].pair <= pair


@ti.func
def colliders_of(w: ti.template(), island_id, pair):
    """Return both colliders of a pair: A and B of a listed one, else that of body 0 and that of body 1."""
    a, b, row = 0, 0, pair + w.island[island_id].pair_shift
    if ti.static(w.features.crowds):
        if is_listed(w, island_id, pair):
            a, b = w.pair[row].collider_a + 0, w.pair[row].collider_b + 0
        else:
            a, b = unlisted_colliders(w, island_id, pair)
    else:
        a, b = w.pair[row].collider_a + 0, w.pair[row].collider_b + 0
    return a, b


@ti.func
def unlisted_colliders(w: ti.template(), island_id, pair):
    """Return the colliders of body 0 and body 1 of a pair that is not listed."""
    one = w.body[body_of_pair(w, island_id, pair)]
    place, count = pair - one.pair, one.collider_end - one.collider
    two = w.body[w.collider[one.collider_end + place // count].body]
    place = place - count * (two.collider - one.collider_end)
    many = two.collider_end - two.collider
    return one.collider + place // many, two.collider + place % many


@ti.func
def hold_pair(w: ti.template(), island_id, slot, pair):
    """Write the pair that has a shared slot, and copies of its words and parameters."""
    row = pair + w.island[island_id].pair_shift
    if ti.static(w.features.crowds):
        if is_listed(w, island_id, pair):
            w.slot[slot].hold(pair, row)
        else:
            a, b = colliders_of(w, island_id, pair)
            if w.collider[a].rank > w.collider[b].rank:
                a, b = b, a
            w.slot[slot].hold(pair, item_of_kinds(w, a, b))
            write_sides(w, slot, a, b)
    else:
        w.slot[slot].hold(pair, row)


@ti.func
def item_of_kinds(w: ti.template(), a, b):
    """Return the item of PAIRS with the numbers of the pair of colliders a and b on sides 0 and 1; -1 for none."""
    return w.pair_kind[w.collider[a].kind_row + w.collider[b].kind].pair


@ti.func
def write_sides(w: ti.template(), slot, a, b):
    """Write what is not common to pairs of two kinds: the numbers of colliders a and b, on sides 0 and 1."""
    held, one, two = w.held[slot], w.collider[a], w.collider[b]
    held.collider_a = ti.select(held.reversed > 0, b, a)
    held.collider_b = ti.select(held.reversed > 0, a, b)
    held.side0 = one.side
    held.side1 = two.side
    held.owner0 = one.articulation
    held.owner1 = ti.select(held.owner1 < 0, -1, two.articulation)  # that of a kinematic body does not count
    held.rank0 = one.rank
    held.rank1 = two.rank
    place = lower_bound(w, one.own_pair, one.own_pair_end, is_own_pair_before, b)
    if place < one.own_pair_end:
        if w.own_pair[place].collider == b:
            held.side0 = w.own_pair[place].side0
            held.side1 = w.own_pair[place].side1


@ti.func
def is_own_pair_before(w: ti.template(), place, collider):
    """Return whether an item of OWN_PAIRS is that of a collider before this one."""
    return w.own_pair[place].collider < collider


@ti.func
def may_touch(w: ti.template(), one, two):
    """Return whether two colliders of an island that does not list its pairs touch where they meet."""
    a, b = one, two
    if w.collider[a].rank > w.collider[b].rank:
        a, b = b, a
    return item_of_kinds(w, a, b) >= 0 and not is_apart(w, a, b)


@ti.func
def is_apart(w: ti.template(), a, b):
    """Return whether a filter or a joint keeps collider a from collider b, though their kinds touch."""
    found, place = False, lower_bound(w, w.collider[a].apart, w.collider[a].apart_end, is_apart_before, b)
    if place < w.collider[a].apart_end:
        found = w.apart[place].collider == b
    return found


@ti.func
def is_apart_before(w: ti.template(), place, collider):
    """Return whether an item of APART is that of a collider before this one."""
    return w.apart[place].collider < collider
