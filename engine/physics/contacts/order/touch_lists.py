"""Lists of touching pairs, one per group: pairs are solved group by group, in the order of the lists.

A group is what touches and maximal joints connect, PhysX's island; at first every articulation or free body is one. A
pair that begins to touch is appended to the list of its group; of several, by their numbers. If it joins two groups,
the smaller one is appended to the other, and so is its list; of equals, that of side 0 to that of side 1. Of groups,
too, there is a list: the last one takes the place of one that was appended. A pair that ceases to touch is still in the
list in that step; then the last pair of the list takes its place. See `touch_groups` for groups that part.

Every group has a root. The others know a way to it: the next one, and how many steps are left, maybe not the fewest.
While groups are joined, the members of each form a ring, and so do its touching pairs: to append a group takes the time
of its own members and pairs, and never that of the whole island.
"""

import taichi as ti

from ..broad_phase.active_pairs import slot_at
from ..merge_sort import merge_sort
from ..pair_sleep import is_awake
from .numbering import comes_before, list_by_number
from .touch_groups import (
    count_roots,
    forget_way,
    give_place,
    link_touch,
    node_of,
    root_of,
    root_of_pair,
    split_groups,
)


@ti.func
def begin_groups(w: ti.template(), island_id):
    """Make every member of an island a group, before its first touch."""
    island, place = w.island[island_id], 0
    if w.contacts.group_root[w.member[island.member].articulation] == 0:
        for i in range(island.member, island.member_end):
            a = w.member[i].articulation
            w.contacts.group_root[a] = a + 1
            if node_of(w, a) == a:
                w.contacts.group_place[a] = place
                place += 1


@ti.func
def measure_lists(w: ti.template(), island_id):
    """Write LIST_LENGTH of the root of each group, and the list of groups."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        w.articulation[w.member[i].articulation].list_length = 0
        w.member[i].group = -1
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if node_of(w, a) == a and root_of(w, a) == a:
            w.member[island.member + w.contacts.group_place[a]].group = a
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.contacts.touch_number[g] > 0:
            w.articulation[root_of_pair(w, g)].list_length += 1


@ti.func
def rank_touches(w: ti.template(), island_id):
    """Write RANKED: the touching pairs group by group, in the order of the lists; return their number."""
    island, total = w.island[island_id], 0
    measure_lists(w, island_id)
    for i in range(island.member, island.member_end):
        root = w.member[i].group
        if root >= 0:
            w.articulation[root].list_start = total
            total += w.articulation[root].list_length
    for at in range(w.pairs):
        g = slot_at(w, at)
        number = w.contacts.touch_number[g]
        if number > 0:
            w.active[w.articulation[root_of_pair(w, g)].list_start + number - 1].ranked = g
    return total


@ti.func
def list_touches(w: ti.template(), island_id):
    """Append the pairs that begin to touch to the lists of their groups; of several, by their numbers."""
    count, last = 0, -1
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].point_count > 0 and w.contacts.touch_number[g] == 0:
            count = list_by_number(w, count, g)
    begin_groups(w, island_id)
    if count > 0:
        merge_sort(w, w.active, count, comes_before)
        measure_lists(w, island_id)
        last = link_groups(w, island_id)
    for i in range(count):
        last = begin_touch(w, island_id, w.active[i].listed, last)


@ti.func
def link_groups(w: ti.template(), island_id):
    """Link the members of each group to a ring, and its touching pairs; return the last place in the list of groups."""
    island, last = w.island[island_id], -1
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].next_in_group = a
        w.articulation[a].group_size = 0
        w.articulation[a].ring = -1
        if w.member[i].group >= 0:
            last = i - island.member
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        root = root_of(w, a)
        if a != root:
            swap_next_in_group(w, a, root)
        if node_of(w, a) == a:
            w.articulation[root].group_size += 1
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.contacts.touch_number[g] > 0:
            add_to_ring(w, root_of_pair(w, g), g)
    return last


@ti.func
def add_to_ring(w: ti.template(), root, g):
    """Add touching pair g to the ring of a group."""
    ring = w.articulation[root].ring
    w.slot[g].next_in_ring = g
    if ring >= 0:
        w.slot[g].next_in_ring = w.slot[ring].next_in_ring
        w.slot[ring].next_in_ring = g
    w.articulation[root].ring = g


@ti.func
def begin_touch(w: ti.template(), island_id, g, last):
    """Append pair g to the list of its group, after joining the groups of its sides; return the last group's place."""
    end = last + 0
    w.contacts.touches[island_id] = w.contacts.touches[island_id] + 1
    w.contacts.touch_age[g] = w.contacts.touches[island_id]
    one = node_of(w, w.slot[g].owner0)
    if w.slot[g].owner1 >= 0:
        end = join_groups(w, island_id, one, node_of(w, w.slot[g].owner1), end)
    root = root_of(w, one)
    w.articulation[root].list_length += 1
    w.contacts.touch_number[g] = w.articulation[root].list_length
    add_to_ring(w, root, g)
    return end


@ti.func
def join_groups(w: ti.template(), island_id, one, two, last):
    """Join the groups of two articulations that touch, or shorten their ways to their common root.

    Returns the last place in the list of groups.
    """
    end, kept, lost = last + 0, root_of(w, one), root_of(w, two)
    if kept == lost:
        shorten_way(w, one, two)
        shorten_way(w, two, one)
    elif w.articulation[kept].group_size > w.articulation[lost].group_size:
        end = append_group(w, island_id, one, two, end)
    else:
        end = append_group(w, island_id, two, one, end)
    return end


@ti.func
def shorten_way(w: ti.template(), near, far):
    """Lead the way of `far` to the root by `near` if it is shorter."""
    if w.contacts.hops[near] + 1 < w.contacts.hops[far]:
        w.contacts.hops[far] = w.contacts.hops[near] + 1
        w.contacts.next_to_root[far] = near + 1


@ti.func
def append_group(w: ti.template(), island_id, one, two, last):
    """Append the group of articulation `two`, and its list, to that of `one`, which it touches.

    Returns the last place in the list of groups.
    """
    kept, lost = root_of(w, one), root_of(w, two)
    detour, length = w.contacts.hops[one] + w.contacts.hops[two] + 1, w.articulation[kept].list_length + 0
    append_pairs(w, kept, lost, length)
    w.articulation[kept].list_length = length + w.articulation[lost].list_length
    w.articulation[lost].list_length = 0
    end = leave_list(w, island_id, lost, last)
    a, walks = lost + 0, True
    while walks:
        w.contacts.group_root[a] = kept + 1
        w.contacts.hops[a] = w.contacts.hops[a] + detour
        a = w.articulation[a].next_in_group
        walks = a != lost
    swap_next_in_group(w, kept, lost)
    w.articulation[kept].group_size += w.articulation[lost].group_size
    w.contacts.hops[two] = w.contacts.hops[one] + 1
    w.contacts.next_to_root[two] = one + 1
    return end


@ti.func
def append_pairs(w: ti.template(), kept, lost, length):
    """Append the touching pairs of a group to the list of another one, which has `length` pairs, and to its ring."""
    ring, other = w.articulation[lost].ring + 0, w.articulation[kept].ring + 0
    if ring >= 0:
        g, walks = ring + 0, True
        while walks:
            w.contacts.touch_number[g] = w.contacts.touch_number[g] + length
            g = w.slot[g].next_in_ring
            walks = g != ring
        if other >= 0:
            following = w.slot[ring].next_in_ring + 0
            w.slot[ring].next_in_ring = w.slot[other].next_in_ring
            w.slot[other].next_in_ring = following
        w.articulation[kept].ring = ring


@ti.func
def leave_list(w: ti.template(), island_id, lost, last):
    """Take a group off the list of groups: the last one takes its place; return the last place that is left."""
    first, end, place = w.island[island_id].member, last + 0, w.contacts.group_place[lost] + 0
    mover = w.member[first + end].group + 0
    w.contacts.group_place[mover] = place
    w.member[first + place].group = mover
    w.member[first + end].group = -1
    while end > 0 and w.member[first + end].group < 0:
        end -= 1
    return end


@ti.func
def swap_next_in_group(w: ti.template(), one, two):
    """Make one ring of the rings of two articulations."""
    following = w.articulation[one].next_in_group + 0
    w.articulation[one].next_in_group = w.articulation[two].next_in_group
    w.articulation[two].next_in_group = following


@ti.func
def end_touches(w: ti.template(), island_id):
    """Take the pairs that ceased to touch off their lists, which hold from the next step on, and part their groups."""
    count = 0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if is_awake(w, g) and w.slot[g].point_count == 0 and w.contacts.touch_number[g] > 0:
            count = list_by_number(w, count, g)
    if count > 0:
        merge_sort(w, w.active, count, comes_before)
        rank_touches(w, island_id)
        clear_searches(w, island_id)
        for i in range(count):
            forget_way(w, w.active[i].listed)
        for i in range(count):
            remove_touch(w, w.active[i].listed)
        w.contacts.touches[island_id] = rank_ages(w, w.contacts.touches[island_id])
        rank_touches(w, island_id)
        split_groups(w, island_id, count_roots(w, island_id))
    w.contacts.contact_steps[island_id] = ti.select(count > 0, 2, 1)


@ti.func
def clear_searches(w: ti.template(), island_id):
    """Write that no articulation lost a touch, or was visited."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].visited = 0
        w.articulation[a].lost_touch = False
        w.articulation[a].youngest = -1


@ti.func
def remove_touch(w: ti.template(), g):
    """Take pair g off the list of its group: the last pair of the list takes its place."""
    give_place(w, g)
    w.contacts.touch_number[g] = 0


@ti.func
def rank_ages(w: ti.template(), touches):
    """Count the ages of touching pairs anew after some ended, and link those of each articulation, the youngest first.

    Returns the number of touching pairs, of which there were `touches`.
    """
    total = 0
    for age in range(touches):
        w.active[age].ranked = -1
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.contacts.touch_age[g] > 0 and w.contacts.touch_number[g] > 0:
            w.active[w.contacts.touch_age[g] - 1].ranked = g
        else:
            w.contacts.touch_age[g] = 0
    for age in range(touches):
        g = w.active[age].ranked
        if g >= 0:
            total += 1
            w.contacts.touch_age[g] = total
            link_touch(w, g)
    return total
