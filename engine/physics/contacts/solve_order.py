"""Order in which the pairs of one lane are solved: SOLVE_ORDER of every pair, from 1 on.

Pairs of an articulation with what is static are solved in the sweep of their link. PhysX sorts their list, in the order
of touch, by link with a sort that is not stable, so that within a link the order is not that of touch. All other pairs
are put into bins: a pair of two movable things in the first bin in which neither has one, a pair of a free body with
something static after the last bin of that body. Bins are solved one after the other. Of a bin, PhysX solves four
consecutive pairs without articulations at once, as one block.
"""

import taichi as ti

from .active_pairs import slot_at
from .group_state import root_of_pair
from .numbering import give_numbers, take_numbers_back
from .pair_sleep import is_awake
from .scalars import whole
from .touch_lists import end_touches, list_touches
from .unstable_sort import sort_by_link

BLOCK = 4
"""Pairs of a block."""

BINS = 22
"""Bins that the bits of a number in single precision hold."""


@ti.func
def list_touching(w: ti.template(), first, end, count, thing):
    """Append the touching pairs of a range to the list in the order of touch; `thing` >= 0: those of one articulation.

    The list begins at item `count` of LISTED. Returns the number of listed pairs.
    """
    total = count
    for at in range(first, end):
        g = slot_at(w, at)
        listed = w.contacts.touch_number[g] > 0.0 and is_awake(w, g)
        if listed and (thing < 0 or w.slot[g].thing0 == thing):
            place = total
            while place > count and is_listed_before(w, g, whole(w.active[place - 1].listed)):
                w.active[place].listed = w.active[place - 1].listed + 0.0
                place -= 1
            w.active[place].listed = 1.0 * g
            total += 1
    return total


@ti.func
def is_listed_before(w: ti.template(), g, other):
    """Return whether pair g comes before another one in the lists of touching pairs, group by group."""
    one, two = w.contacts.group_place[root_of_pair(w, g)] + 0.0, w.contacts.group_place[root_of_pair(w, other)] + 0.0
    before = one < two
    if one == two:
        before = w.contacts.touch_number[g] < w.contacts.touch_number[other]
    return before


@ti.func
def order_inner_pairs(w: ti.template(), island_id, first, end):
    """Write the order of the pairs that are solved in the sweeps of articulations."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        last = list_touching(w, first, end, first, w.member[i].articulation)
        sort_by_link(w, first, last)
        link, order = -1, 0
        for place in range(first, last):
            g = whole(w.active[place].listed)
            order = ti.select(w.slot[g].link_rank == link, order, 0)
            link = w.slot[g].link_rank
            if w.slot[g].point_count > 0.0:
                order += 1
                w.contacts.solve_order[g] = 1.0 * order


@ti.func
def order_early_pairs(w: ti.template(), island_id, first, end):
    """Write the order of the pairs that are solved outside the sweeps."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].bins_used = 0.0
        w.articulation[a].next_bin = 0.0
    last = list_touching(w, first, end, first, -1)
    bins = 0
    for place in range(first, last):
        g = whole(w.active[place].listed)
        if w.slot[g].thing1 >= 0:
            bins = ti.max(bins, choose_bin(w, g) + 1)
    for place in range(first, last):
        g = whole(w.active[place].listed)
        if w.slot[g].thing1 < 0:
            thing = w.slot[g].thing0
            chosen = whole(w.articulation[thing].next_bin)
            w.slot[g].key0 = 1.0 * chosen
            w.articulation[thing].next_bin = 1.0 * (chosen + 1)
            bins = ti.max(bins, chosen + 1)
    order = 0
    for chosen in range(bins):
        run, touching = 0, 0
        for place in range(first, last):
            g = whole(w.active[place].listed)
            if whole(w.slot[g].key0) == chosen:
                run = ti.select(has_articulation(w, g), 0, run + 1)
                touching = ti.select(run > 1, touching, 0)
                if w.slot[g].point_count > 0.0:
                    order += 1
                    touching += 1
                    w.contacts.solve_order[g] = 1.0 * order
                if run == BLOCK:
                    if touching == BLOCK:
                        mark_block(w, first, last, order)
                    run = 0


@ti.func
def has_articulation(w: ti.template(), g):
    """Return whether either side of a pair is a link of an articulation."""
    one, two = w.slot[g].thing0, w.slot[g].thing1
    return w.articulation[one].free_body == 0 or (two >= 0 and w.articulation[ti.max(two, 0)].free_body == 0)


@ti.func
def mark_block(w: ti.template(), first, last, order):
    """Write IN_BLOCK of the listed pairs of a block, whose last one has this place in the order of solution."""
    for place in range(first, last):
        g = whole(w.active[place].listed)
        at = whole(w.contacts.solve_order[g])
        if at > order - BLOCK and at <= order:
            w.contacts.in_block[g] = 1.0


@ti.func
def choose_bin(w: ti.template(), g):
    """Write KEY0 of a pair of two movable things: the first bin that both have free; return it."""
    one, two = w.slot[g].thing0, w.slot[g].thing1
    taken = whole(w.articulation[one].bins_used) | whole(w.articulation[two].bins_used)
    chosen = 0
    while chosen < BINS and (taken >> chosen) & 1:
        chosen += 1
    bit = ti.select(chosen < BINS, 1 << chosen, 0)
    w.articulation[one].bins_used = 1.0 * (whole(w.articulation[one].bins_used) | bit)
    w.articulation[two].bins_used = 1.0 * (whole(w.articulation[two].bins_used) | bit)
    w.articulation[one].next_bin = ti.max(w.articulation[one].next_bin, 1.0 * (chosen + 1))
    w.articulation[two].next_bin = ti.max(w.articulation[two].next_bin, 1.0 * (chosen + 1))
    w.slot[g].key0 = 1.0 * chosen
    return chosen


@ti.func
def order_pairs(w: ti.template(), island_id):
    """Write the order of all pairs of an island in this step."""
    give_numbers(w, island_id)
    list_touches(w, island_id)
    for at in range(w.pairs):
        w.contacts.solve_order[slot_at(w, at)] = 0.0
        w.contacts.in_block[slot_at(w, at)] = 0.0
    order_early_pairs(w, island_id, 0, w.early_pairs + 0)
    order_inner_pairs(w, island_id, w.early_pairs + 0, w.pairs + 0)
    end_touches(w, island_id)
    take_numbers_back(w, island_id)
