"""Groups of touching pairs as they are stored, and their parting after touches ended; see `touch_lists`.

Articulations that maximal joints connect count as the first of them: the *node* of each. For each articulation that
lost a touch the way to the root is followed. Where it is broken, PhysX seeks the root from pair to pair, at first where
the fewest steps are said to be left. What the search visits without finding the root is a group of its own, whose root
is where the search began. Its list has the pairs of which those visited are side 0, in the order of the visits, of each
the youngest first; the last pairs of the old list take the places of these.

The queue of visits is a heap, fewest steps to the root first, in PhysX's order of equals. Place i of it, QUEUED of
member `first` + i, holds a visit.
"""

import taichi as ti

from ...lanes import materialize, traced

ON_THE_WAY, KNOWN = 1, 2
"""States of an articulation that a search visited: whether its way to the root is known."""


@ti.func
def forget_way(w: ti.template(), g):
    """Forget ways to a root that led over pair g, and note that its sides lost a touch."""
    one = node_of(w, w.slot[g].owner0)
    w.articulation[one].lost_touch = True
    if w.slot[g].owner1 >= 0:
        two = node_of(w, w.slot[g].owner1)
        w.articulation[two].lost_touch = True
        if w.contacts.next_to_root[one] == two + 1:
            w.contacts.next_to_root[one] = 0
        if w.contacts.next_to_root[two] == one + 1:
            w.contacts.next_to_root[two] = 0


@ti.func
def count_roots(w: ti.template(), island_id):
    """Return how many articulations of an island are the root of their group."""
    island, count = w.island[island_id], 0
    for i in range(island.member, island.member_end):
        if root_of(w, w.member[i].articulation) == w.member[i].articulation:
            count += 1
    return count


@ti.func
def split_groups(w: ti.template(), island_id, roots):
    """Part the groups of an island in which an articulation that lost a touch does not reach its root."""
    island, groups = w.island[island_id], roots + 0
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if w.articulation[a].lost_touch and w.articulation[a].visited == 0 and root_of(w, a) != a:
            found = False
            if w.contacts.next_to_root[a] > 0:
                found = follow_way(w, a)
            if not found:
                found, count = seek_root(w, island.member, a)
                if not found:
                    part_group(w, island.member, a, count, groups)
                    groups += 1


@ti.func
def follow_way(w: ti.template(), start):
    """Return whether the known way leads from an articulation to its root, or to one that knows a way."""
    root, a, found, walks, steps = root_of(w, start), start + 0, False, True, 0
    while walks:
        if w.articulation[a].visited > 0 or a == root:
            found = a == root or w.articulation[a].visited == KNOWN
            walks = False
        else:
            w.articulation[a].visited = ON_THE_WAY
            a = w.contacts.next_to_root[a] - 1
            walks = a >= 0
            steps += 1
    a = start + 0
    for _step in range(steps):
        w.articulation[a].visited = ti.select(found, KNOWN, 0)
        a = w.contacts.next_to_root[a] - 1
    return found


@ti.func
def seek_root(w: ti.template(), first, start):
    """Seek the root of an articulation from pair to pair; return whether it is found, and the number of visits.

    Visit k is in member `first` + k: TRAVELLED, CAME_FROM (a visit, -1 for none) and DEPTH.
    """
    root, count, queued, found = root_of(w, start), 0, 0, False
    count = visit(w, first, count, start, -1)
    queued = push(w, first, queued, 0)
    while queued > 0 and not found:
        k = pop(w, first, queued)
        queued -= 1
        a = w.member[first + k].travelled
        g = w.articulation[a].youngest
        while g >= 0 and not found:
            other = other_side(w, g, a)
            if other == root:
                found = lead_way(w, first, k, other, 0)
            elif other >= 0:
                if w.articulation[other].visited == KNOWN:
                    found = lead_way(w, first, k, other, w.contacts.hops[other])
                elif w.articulation[other].visited == 0:
                    count = visit(w, first, count, other, k)
                    queued = push(w, first, queued, count - 1)
            g = next_older(w, g, a)
    if found:
        for k in range(count):
            lead_by_visit(w, first, k)
    return found, count


@ti.func
def visit(w: ti.template(), first, count, a, source):
    """Write visit `count` of a search: it came to articulation a from another visit; return the number of visits."""
    w.articulation[a].visited = ON_THE_WAY
    w.member[first + count].travelled = a
    w.member[first + count].came_from = source
    w.member[first + count].depth = 0
    if source >= 0:
        w.member[first + count].depth = w.member[first + source].depth + 1
    return count + 1


@ti.func
def other_side(w: ti.template(), g, a):
    """Return the articulation that pair g connects with articulation a; -1 for none."""
    other = -1
    if w.slot[g].owner1 >= 0:
        one, two = node_of(w, w.slot[g].owner0), node_of(w, w.slot[g].owner1)
        if one == a:
            other = two
        elif two == a:
            other = one
    return other


@ti.func
def lead_way(w: ti.template(), first, k, known, hops):
    """Lead the way from visit k, and from those that it came from, by an articulation `hops` from the root."""
    at, following, count = k + 0, known + 0, hops + 1
    while at >= 0:
        a = w.member[first + at].travelled
        w.articulation[a].visited = KNOWN
        w.contacts.hops[a] = count
        w.contacts.next_to_root[a] = following + 1
        following, count = a, count + 1
        at = w.member[first + at].came_from
    return True


@ti.func
def lead_by_visit(w: ti.template(), first, k):
    """Lead the way from visit k, if it is not known yet, by the visit that it came from."""
    a = w.member[first + k].travelled
    if w.articulation[a].visited == ON_THE_WAY:
        source = w.member[first + w.member[first + k].came_from].travelled
        w.articulation[a].visited = KNOWN
        w.contacts.hops[a] = w.contacts.hops[source] + 1
        w.contacts.next_to_root[a] = source + 1


@ti.func
def part_group(w: ti.template(), first, root, count, groups):
    """Make the articulations of `count` visits a group of its own with this root, after `groups` others."""
    length = 0
    for k in range(count):
        a = w.member[first + k].travelled
        g = w.articulation[a].youngest
        while g >= 0:
            if node_of(w, w.slot[g].owner0) == a:
                length += 1
                give_place(w, g)
                w.contacts.touch_number[g] = -length  # a place in the new list
            g = next_older(w, g, a)
    w.contacts.group_place[root] = groups
    for k in range(count):
        a, source = w.member[first + k].travelled, w.member[first + k].came_from
        w.articulation[a].visited = KNOWN
        w.contacts.group_root[a] = root + 1
        w.contacts.hops[a] = w.member[first + k].depth
        w.contacts.next_to_root[a] = 0
        if source >= 0:
            w.contacts.next_to_root[a] = w.member[first + source].travelled + 1
        g = w.articulation[a].youngest
        while g >= 0:
            number = w.contacts.touch_number[g]
            w.contacts.touch_number[g] = ti.max(number, -number)
            g = next_older(w, g, a)


@ti.func
def steps_left(w: ti.template(), first, visit):
    """Return the steps that are said to be left to the root from where a visit came."""
    return w.contacts.hops[w.member[first + visit].travelled]


@ti.func
def push(w: ti.template(), first, size, visit):
    """Add a visit to a queue of this size; return the new size."""
    i, above, steps = size + 0, (size - 1) // 2, steps_left(w, first, visit)
    while i > 0 and steps < steps_left(w, first, w.member[first + ti.max(above, 0)].queued):
        w.member[first + i].queued = w.member[first + above].queued
        i = above
        above = (i - 1) // 2
    w.member[first + i].queued = visit
    return size + 1


@ti.func
def pop(w: ti.template(), first, size):
    """Take the first visit out of a queue of this size; return it."""
    answer, last, left = w.member[first].queued, w.member[first + size - 1].queued, size - 1
    i, child, sinks, steps = 0, 1, size > 2, steps_left(w, first, last)
    while sinks:
        if child + 1 < left:
            if steps_left(w, first, visit_at(w, first, child + 1)) < steps_left(w, first, visit_at(w, first, child)):
                child += 1
        if steps < steps_left(w, first, visit_at(w, first, child)):
            sinks = False
        else:
            w.member[first + i].queued = w.member[first + child].queued
            i = child
            child = 2 * i + 1
            sinks = child < left
    w.member[first + i].queued = last
    return answer


@ti.func
def visit_at(w: ti.template(), first, i):
    """Return the visit at a place of the queue."""
    return materialize(w.member[first + i].queued)


@traced
def node_of(w, a):
    """Return the first articulation of those that maximal joints connect with articulation a."""
    return w.articulation[a].joined


@traced
def root_of(w, a):
    """Return the root of the group of node a."""
    return w.contacts.group_root[a] - 1


@traced
def root_of_pair(w, g):
    """Return the root of the group of pair g."""
    return root_of(w, node_of(w, w.slot[g].owner0))


@ti.func
def give_place(w: ti.template(), g):
    """Give the place of pair g in its group's list to the last pair of the list."""
    root = w.articulation[root_of_pair(w, g)]
    last = w.active[root.list_start + root.list_length - 1].ranked
    w.contacts.touch_number[last] = w.contacts.touch_number[g]
    w.active[root.list_start + w.contacts.touch_number[g] - 1].ranked = last
    root.list_length -= 1


@ti.func
def link_touch(w: ti.template(), g):
    """Put pair g at the head of the lists of touching pairs of its sides, which are one if joints connect them."""
    one = node_of(w, w.slot[g].owner0)
    w.slot[g].older0 = w.articulation[one].youngest
    w.articulation[one].youngest = g
    two = other_side(w, g, one)
    if two >= 0 and two != one:
        w.slot[g].older1 = w.articulation[two].youngest
        w.articulation[two].youngest = g


@ti.func
def next_older(w: ti.template(), g, a):
    """Return the touching pair of articulation a that began to touch before pair g did; -1 for none."""
    older = w.slot[g].older1
    if node_of(w, w.slot[g].owner0) == a:
        older = w.slot[g].older0
    return older
