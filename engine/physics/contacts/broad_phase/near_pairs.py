"""Near pairs of the colliders of two bodies, and which of them get slots."""

import taichi as ti

from ....tables.contacts import PAIR_BLOCK
from ...lanes import absolute, any_lane, mask, maximum, traced
from .colliders import place_collider
from .numbered_pairs import colliders_of, is_listed, may_touch
from .speculation import reach_ahead


@traced
def overlap(one, two):
    """Return whether the boxes of two items overlap."""
    a, b, c, d = one.low, one.high, two.low, two.high
    return (a.x <= d.x) & (a.y <= d.y) & (a.z <= d.z) & (c.x <= b.x) & (c.y <= b.y) & (c.z <= b.z)


@ti.func
def bodies_meet(w: ti.template(), one, two):
    """Return whether the cubes of two bodies of which one may move overlap, or a cube and the box of what is static."""
    meet, static, moving = mask(False), one, two
    if w.body[two].link < 0:
        static, moving = two, one
    p, reach = w.state.position[w.body[moving].link], reach_ahead(w, moving)
    if w.body[static].link < 0:
        low, high = w.body[static].low, w.body[static].high
        meet = (p.x - reach <= high.x) & (p.y - reach <= high.y) & (p.z - reach <= high.z)
        meet = meet & (low.x <= p.x + reach) & (low.y <= p.y + reach) & (low.z <= p.z + reach)
    else:
        away = p - w.state.position[w.body[static].link]
        farthest = maximum(maximum(absolute(away.x), absolute(away.y)), absolute(away.z))
        meet = farthest <= reach + reach_ahead(w, static)
    return meet


@ti.func
def list_near_pairs(w: ti.template(), island_id, bodies, listed, with_slot, without):
    """List the near pairs of two bodies after `listed` others; return how many are listed, with and without a slot."""
    count, taken, lost = listed, with_slot, without
    place_bodies(w, bodies)
    one, two = w.body[bodies.body0], w.body[bodies.body1]
    several = one.collider_end - one.collider > 1 or two.collider_end - two.collider > 1
    for pair in range(bodies.pair, bodies.pair_end):
        a, b = one.collider + 0, two.collider + 0
        if several:  # the numbers of all pairs of many bodies are far from each other in memory
            a, b = colliders_of(w, island_id, pair)
        near = overlap(w.collider[a], w.collider[b])
        if ti.static(w.features.crowds):
            if any_lane(near) and not is_listed(w, island_id, pair):
                if not may_touch(w, a, b):
                    near = mask(False)
        if ti.static(w.features.sleeps):
            near = near & w.awake  # of what sleeps beside others its boxes still overlap
        if ti.static(w.features.slots):
            finds = taken < 1.0 * (w.island[island_id].slot_end - w.island[island_id].slot)
            lost = ti.select(near & ~finds, lost + 1.0, lost)
            near = near & finds
            taken = ti.select(near, taken + 1.0, taken)
        if any_lane(near):
            count = w.active.push(count, near_pair=pair % PAIR_BLOCK, near_block=pair // PAIR_BLOCK, near=near)
    return count, taken, lost


@ti.func
def place_bodies(w: ti.template(), bodies):
    """Place the colliders of two bodies, unless they were placed in this step."""
    for side in range(2):
        place_body(w, ti.select(side == 0, bodies.body0, bodies.body1))


@ti.func
def place_body(w: ti.template(), i):
    """Place the colliders of body i, unless they were placed in this step."""
    body = w.body[i]
    if any_lane(~body.placed):
        body.placed = True
        for c in range(body.collider, body.collider_end):
            place_collider(w, c)
