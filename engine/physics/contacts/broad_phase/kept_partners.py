"""Partners of bodies that are kept from step to step: of many bodies few move far in a step.

Each body has a room, a box around its own that is grown by a margin. Partners are the bodies whose rooms overlap. While
every body is within its room, no others can be near, and bodies need not be sorted. Which partners are near is decided
by the boxes as they are, so what is kept changes no motion.
"""

import taichi as ti

from ...lanes import absolute, any_lane, broadcast, lane_largest, lane_least, mask, maximum, traced
from ...spatial import Vec3
from .near_pairs import place_body
from .speculation import reach_ahead

MARGIN = 0.02
"""Share of the largest width of a body that moves, by which rooms are larger than bodies on each side."""

ROUNDING = 1e-6
"""Share of a coordinate by which a cube is grown so that no pair is lost to rounding."""

NONE_KEPT = -1


@ti.func
def bounds_of_body(w: ti.template(), body):
    """Return the lower and upper corner of the box of a body with one collider, else of the cube of the body.

    Bodies of which only the cubes overlap are not near; of one collider the box costs as little, and is smaller. Cubes
    have slack, since `bodies_meet` rounds otherwise.
    """
    low, high, first = w.body[body].low, w.body[body].high, w.body[body].collider
    if w.body[body].link >= 0 and w.body[body].collider_end - first == 1:
        place_body(w, body)
        low, high = w.collider[first].low, w.collider[first].high
    elif w.body[body].link >= 0:
        p, r = w.state.position[w.body[body].link], reach_ahead(w, body)
        r = r + ROUNDING * (maximum(maximum(absolute(p.x), absolute(p.y)), absolute(p.z)) + r)
        reach = Vec3(r, r, r)
        low, high = p - reach, p + reach
    return low, high


@ti.func
def any_body_left(w: ti.template(), island_id):
    """Write the bounds of each body; return whether one left its room in any lane, or no partners are kept."""
    island, left = w.island[island_id], mask(False)
    for i in range(island.body_end - island.body):
        low, high = bounds_of_body(w, island.body + i)
        w.crowd[i].low = low
        w.crowd[i].high = high
        least, most = w.crowd[i].room_low, w.crowd[i].room_high
        within = (least.x <= low.x) & (least.y <= low.y) & (least.z <= low.z)
        within = within & (high.x <= most.x) & (high.y <= most.y) & (high.z <= most.z)
        left = left | ~within
    return any_lane(left) or w.crowd[0].kept == NONE_KEPT


@ti.func
def write_rooms(w: ti.template(), island_id):
    """Write the room of each body, around its bounds in all lanes."""
    island, widest = w.island[island_id], 0.0
    for i in range(island.body_end - island.body):
        if w.body[island.body + i].link >= 0:
            side = w.crowd[i].high - w.crowd[i].low
            widest = ti.max(widest, lane_largest(maximum(maximum(side.x, side.y), side.z)))
    margin = MARGIN * widest
    for i in range(island.body_end - island.body):
        w.crowd[i].room_low, w.crowd[i].room_high = around(w.crowd[i].low, w.crowd[i].high, margin)


@traced
def around(low, high, margin):
    """Return the corners of the box around those of all lanes and a margin."""
    lows, highs = (
        (lane_least(x) - margin for x in (low.x, low.y, low.z)),
        (lane_largest(x) + margin for x in (high.x, high.y, high.z)),
    )
    return Vec3(*map(broadcast, lows)), Vec3(*map(broadcast, highs))


@ti.func
def forget_partners(w: ti.template()):
    """Keep no partners, and begin to keep them anew."""
    w.crowd[0].kept = 0


@ti.func
def keep_partners(w: ti.template(), island_id, i, listed):
    """Keep the listed partners of body i; without room for those of all bodies none are kept."""
    island, first = w.island[island_id], w.crowd[0].kept + 0
    most = ti.min(island.pair_end - island.pair, 2 * (island.slot_end - island.slot))
    if first != NONE_KEPT:
        w.crowd[i].first = first
        w.crowd[i].partners = listed
        w.crowd[0].kept = ti.select(first + listed <= most, first + listed, NONE_KEPT)
        if first + listed <= most:
            for k in range(listed):
                w.active[first + k].partner = w.crowd[k].partner


@ti.func
def recall_partners(w: ti.template(), i):
    """List the partners of body i that were kept; return their number."""
    first, count = w.crowd[i].first + 0, w.crowd[i].partners + 0
    for k in range(count):
        w.crowd[k].partner = w.active[first + k].partner
    return count
