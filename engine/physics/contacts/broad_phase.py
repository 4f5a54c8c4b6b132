"""Broad phase: pairs of colliders whose bounding boxes overlap in any lane.

Around the centre of mass of every link lies a cube that contains the bounding boxes of all its colliders in any
orientation. Only the colliders of bodies whose cubes overlap are placed and compared. In each world at most as many
pairs are near as the island has slots: the first ones in the order of their numbers; the others are counted as lost.
"""

import taichi as ti

from ..lanes import any_lane, broadcast, traced
from ..spatial import Vec3
from .colliders import place_collider

BATCH = 32
"""Groups of pairs that are culled together."""


@ti.func
def place_bodies(w: ti.template(), island_id):
    """Compute the boxes of the bodies of an island, those of static ones in the first step of a launch only."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        body = w.body[i]
        if body.link >= 0:
            p, r = w.state.position[body.link], w.param.body_reach[i]
            reach = Vec3(r, r, r)
            w.body[i].low = p - reach
            w.body[i].high = p + reach
            w.body[i].placed = broadcast(0.0)


@ti.func
def place_static_bodies(w: ti.template(), island_id):
    """Compute the boxes of the static bodies of an island."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        body = w.body[i]
        if body.link < 0:
            place_collider(w, body.collider)
            w.body[i].low = w.collider[body.collider].low
            w.body[i].high = w.collider[body.collider].high
            w.body[i].placed = broadcast(1.0)


@traced
def overlap(one, two):
    """Return whether the boxes of two items overlap, as numbers."""
    a, b, c, d = one.low, one.high, two.low, two.high
    return (a.x <= d.x) & (a.y <= d.y) & (a.z <= d.z) & (c.x <= b.x) & (c.y <= b.y) & (c.z <= b.z)


@ti.func
def find_near_pairs(w: ti.template(), island_id):
    """List the pairs of an island that are near in any lane, in the order of their numbers; return their count."""
    place_bodies(w, island_id)
    island, count, taken, lost = w.island[island_id], 0, broadcast(0.0), broadcast(0.0)
    start = island.group + 0
    while start < island.group_end:
        end, reached = ti.min(start + BATCH, island.group_end), broadcast(0.0)
        for i in range(start, end):
            reached = ti.select(overlap(w.body[w.group[i].body0], w.body[w.group[i].body1]), 1.0, reached)
        if any_lane(reached > 0.0):
            for i in range(start, end):
                if any_lane(overlap(w.body[w.group[i].body0], w.body[w.group[i].body1])):
                    place_bodies_of_group(w, i)
                    for pair in range(w.group[i].pair, w.group[i].pair_end):
                        near = overlap(w.collider[w.pair[pair].collider_a], w.collider[w.pair[pair].collider_b])
                        if ti.static(w.features.sleeps):
                            near = near & (w.awake > 0.0)
                        if ti.static(w.features.slots):
                            finds = taken < 1.0 * (island.slot_end - island.slot)
                            lost = ti.select(near & ~finds, lost + 1.0, lost)
                            near = near & finds
                            taken = ti.select(near, taken + 1.0, taken)
                        if any_lane(near):
                            w.active[count].near_pair = broadcast(pair)
                            w.active[count].near = ti.select(near, broadcast(1.0), 0.0)
                            count += 1
        start = end + 0
    if ti.static(w.features.slots):
        keep_lost_pairs(w, island_id, lost)
    return count


@ti.func
def keep_lost_pairs(w: ti.template(), island_id, lost):
    """Write the number of pairs without a slot in the lanes that a step moves."""
    if ti.static(w.features.sleeps):
        lost = ti.select(w.awake > 0.0, lost, w.contacts.lost_pairs[island_id])
    w.contacts.lost_pairs[island_id] = lost


@ti.func
def place_bodies_of_group(w: ti.template(), i):
    """Place the colliders of both bodies of a group, unless they were placed in this step."""
    for side in range(2):
        body = w.body[ti.select(side == 0, w.group[i].body0, w.group[i].body1)]
        if any_lane(body.placed == 0.0):
            body.placed = broadcast(1.0)
            for c in range(body.collider, body.collider_end):
                place_collider(w, c)
