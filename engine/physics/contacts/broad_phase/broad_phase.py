"""Broad phase: pairs of colliders whose bounding boxes overlap in any lane.

Around the centre of mass of every link lies a cube that contains the bounding boxes of all its colliders in any
orientation. Only the colliders of bodies whose cubes overlap are placed and compared. In each world at most as many
pairs are near as the island has slots: the first ones in the order of their numbers; the others are counted as lost.
"""

import taichi as ti

from ...lanes import any_lane, broadcast, mask, maximum
from .colliders import place_collider
from .near_pairs import bodies_meet, list_near_pairs
from .numbered_pairs import BodyPair
from .speculation import look_ahead
from .sweep_and_prune import sweep_bodies

BATCH = 32
"""Groups of pairs that are culled together."""


@ti.func
def place_static_bodies(w: ti.template(), island_id):
    """Compute the boxes of the static bodies of an island, once in a launch."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        body = w.body[i]
        if body.link < 0:
            place_collider(w, body.collider)
            w.body[i].low = w.collider[body.collider].low
            w.body[i].high = w.collider[body.collider].high
            w.body[i].placed = True


@ti.func
def clear_placed(w: ti.template(), island_id):
    """Write that the colliders of bodies that may move are not placed in this step."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        if w.body[i].link >= 0:
            w.body[i].placed = False


@ti.func
def find_near_pairs(w: ti.template(), island_id, h):
    """List the pairs of an island that are near in any lane, in the order of their numbers; return their count."""
    if ti.static(w.features.speculation):
        look_ahead(w, island_id, h)
    island, count, taken, lost = w.island[island_id], 0, broadcast(0.0), broadcast(0.0)
    start, clear = island.group + 0, True
    if ti.static(w.features.crowds):
        if island.sorts_bodies:
            clear_placed(w, island_id)
            clear = False
            count, taken, lost = sweep_bodies(w, island_id)
            start = island.early_group_end + 0
    while start < island.group_end:
        end, reached = ti.min(start + BATCH, island.group_end), mask(False)
        for i in range(start, end):
            reached = reached | bodies_meet(w, w.group[i].body0, w.group[i].body1)
        if any_lane(reached):
            if clear:
                clear_placed(w, island_id)
                clear = False
            for i in range(start, end):
                if any_lane(bodies_meet(w, w.group[i].body0, w.group[i].body1)):
                    group = w.group[i]
                    bodies = BodyPair(group.body0, group.body1, group.pair, group.pair_end)
                    count, taken, lost = list_near_pairs(w, island_id, bodies, count, taken, lost)
        start = end + 0
    if ti.static(w.features.slots):
        keep_lost_pairs(w, island_id, lost)
    return count


@ti.func
def keep_lost_pairs(w: ti.template(), island_id, lost):
    """Write the number of pairs without a slot, in lanes that a step moves, if no step of the launch had more."""
    if ti.static(w.features.sleeps):
        lost = ti.select(w.awake, lost, 0.0)
    w.contacts.lost_pairs[island_id] = maximum(lost, w.contacts.lost_pairs[island_id])
