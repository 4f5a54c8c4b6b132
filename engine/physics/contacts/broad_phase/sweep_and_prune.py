"""Near pairs of many bodies: bodies are sorted along an axis, and each is compared with those that begin beside it.

The axis is the one along which the bodies are spread most. A body is compared with those that begin within it, or
before it by no more than the largest width of a body that moves; wider ones, as the ground, are compared with every
body. Places along the axis are those of all lanes together. Partners come in the order of their numbers, as groups lie.
"""

import taichi as ti

from ...lanes import any_lane, broadcast, lane_largest, lane_least, traced
from ...spatial import Vec3
from ..lane_choice import lane_of_pack
from .near_pairs import bodies_meet, list_near_pairs
from .speculation import reach_ahead


@ti.func
def sweep_bodies(w: ti.template(), island_id):
    """List the near pairs of an island but those of sweeps; return their count, those in slots and lost ones."""
    island, count, taken, lost = w.island[island_id], 0, broadcast(0.0), broadcast(0.0)
    widest = write_ends(w, island_id, widest_axis(w, island_id))
    narrow = sort_narrow_bodies(w, island_id, widest)
    for i in range(island.body_end - island.body):
        listed = list_partners(w, island_id, i, narrow, widest)
        group = w.body[island.body + i].group + 0
        for k in range(listed):
            partner = island.body + w.crowd[k].partner
            group = group_of(w, group, w.body[island.body + i].group_end, partner)
            if group < w.body[island.body + i].group_end:
                if w.group[group].body1 == partner:
                    count, taken, lost = list_near_pairs(w, island_id, group, count, taken, lost)
    return count, taken, lost


@ti.func
def widest_axis(w: ti.template(), island_id):
    """Return the axis, 0 to 2, along which the bodies that move are spread most; in the first lane."""
    island = w.island[island_id]
    count, x, y, z, xx, yy, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(island.body, island.body_end):
        if w.body[i].link >= 0:
            p = w.state.position[w.body[i].link]
            a, b, c = lane_of_pack(p.x, 0), lane_of_pack(p.y, 0), lane_of_pack(p.z, 0)
            count += 1.0
            x += a
            y += b
            z += c
            xx += a * a
            yy += b * b
            zz += c * c
    count = ti.max(count, 1.0)
    xx, yy, zz = xx - x * x / count, yy - y * y / count, zz - z * z / count
    axis = 0
    if yy > xx:
        axis = 1
    if zz > ti.max(xx, yy):
        axis = 2
    return axis


@ti.func
def write_ends(w: ti.template(), island_id, axis):
    """Write where each body begins and ends along an axis, in any lane; return the largest width of one that moves."""
    island, widest = w.island[island_id], 0.0
    for i in range(island.body_end - island.body):
        body = w.body[island.body + i]
        low, high = body.low, body.high
        if body.link >= 0:
            p, r = w.state.position[body.link], reach_ahead(w, island.body + i)
            reach = Vec3(r, r, r)
            low, high = p - reach, p + reach
        begin, end = lane_least(low.x), lane_largest(high.x)
        if axis == 1:
            begin, end = lane_least(low.y), lane_largest(high.y)
        elif axis == 2:
            begin, end = lane_least(low.z), lane_largest(high.z)
        w.crowd[i].begin = broadcast(begin)
        w.crowd[i].end = broadcast(end)
        if body.link >= 0:
            widest = ti.max(widest, end - begin)
    return widest


@traced
def begin_of(w, i):
    """Return where a body begins along the axis."""
    return lane_of_pack(w.crowd[i].begin, 0)


@traced
def end_of(w, i):
    """Return where a body ends along the axis."""
    return lane_of_pack(w.crowd[i].end, 0)


@ti.func
def sort_narrow_bodies(w: ti.template(), island_id, widest):
    """Sort the bodies no wider than `widest` by where they begin, then list the others; return how many are narrow."""
    total, narrow = w.island[island_id].body_end - w.island[island_id].body, 0
    wide = total + 0
    for i in range(total):
        if end_of(w, i) - begin_of(w, i) <= widest:
            w.crowd[narrow].sorted = i
            narrow += 1
        else:
            wide -= 1
            w.crowd[wide].sorted = i
    width = 1
    while width < narrow:
        start = 0
        while start < narrow:
            merge(w, start, ti.min(start + width, narrow), ti.min(start + 2 * width, narrow))
            start += 2 * width
        for i in range(narrow):
            w.crowd[i].sorted = w.crowd[i].merged
        width *= 2
    for i in range(narrow):
        w.crowd[w.crowd[i].sorted].place = i
    for i in range(narrow, total):
        w.crowd[w.crowd[i].sorted].place = i
    return narrow


@ti.func
def merge(w: ti.template(), start, middle, end):
    """Merge two sorted runs of bodies, [start, middle) and [middle, end)."""
    one, two = start + 0, middle + 0
    for place in range(start, end):
        takes_one = two >= end
        if one < middle and two < end:
            here, there = w.crowd[one].sorted, w.crowd[two].sorted
            takes_one = begin_of(w, here) <= begin_of(w, there)
        if takes_one:
            w.crowd[place].merged = w.crowd[one].sorted
            one += 1
        else:
            w.crowd[place].merged = w.crowd[two].sorted
            two += 1


@ti.func
def list_partners(w: ti.template(), island_id, i, narrow, widest):
    """List the bodies after body i whose boxes overlap its own in any lane, by their numbers; return their count."""
    total, listed = w.island[island_id].body_end - w.island[island_id].body, 0
    place = w.crowd[i].place
    first, last = 0, total + 0  # a wide body is compared with all
    if place < narrow:
        begin, end = begin_of(w, i), end_of(w, i)
        first, last = place, place + 1
        while first > 0 and begin_of(w, w.crowd[ti.max(first - 1, 0)].sorted) >= begin - widest:
            first -= 1
        while last < narrow and begin_of(w, w.crowd[ti.min(last, total - 1)].sorted) <= end:
            last += 1
        for at in range(narrow, total):
            listed = list_partner(w, island_id, i, w.crowd[at].sorted, listed)
    for at in range(first, last):
        listed = list_partner(w, island_id, i, w.crowd[at].sorted, listed)
    return listed


@ti.func
def list_partner(w: ti.template(), island_id, i, j, listed):
    """Insert body j into the list of partners of body i if it comes after it and overlaps it; return its length."""
    total, first = listed, w.island[island_id].body
    if j > i:
        if any_lane(bodies_meet(w, first + i, first + j)):
            place = listed + 0
            while place > 0 and w.crowd[ti.max(place - 1, 0)].partner > j:
                w.crowd[place].partner = w.crowd[place - 1].partner
                place -= 1
            w.crowd[place].partner = j
            total += 1
    return total


@ti.func
def group_of(w: ti.template(), start, end, partner):
    """Return the first group from `start` on, of those before `end`, whose second body is `partner` or comes later."""
    low, high = start + 0, end + 0
    while low < high:
        middle = (low + high) // 2
        if w.group[middle].body1 < partner:
            low = middle + 1
        else:
            high = middle
    return low
