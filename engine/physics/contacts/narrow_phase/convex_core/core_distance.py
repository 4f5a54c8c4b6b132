"""Nearest points of two cores, by GJK as PhysX has it for cylinders and cones.

    x = the point nearest to the origin of a simplex of differences a − b       p = the next difference, along −x̂
    |x| < tolerance: the cores overlap      x̂·p ≥ |x| − tolerance, or p known: x is near enough      x̂·p > reach: apart

The tolerance is a ten-thousandth of the smaller core, and points are welded: see `core_pairs`. The nearest points of a
round core are therefore within about a hundredth of its size, not at their exact place, as in PhysX.
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3
from ...scalars import unit, whole
from .core_pairs import farthest_pair, forget_welded_points, pair_difference
from .core_simplex import reduce_pairs

TOLERANCE = 0.01
"""Tolerance of a search, per accuracy of the finer core."""
MOST_PAIRS_TRIED = 100
SEEKING, PARTED, NEAR, OVERLAP = 0, 1, 2, 3
VERY_FAR = 1e30


@ti.func
def tolerance_of_search(w: ti.template()):
    """Return the length below which a search does not look [m]."""
    return TOLERANCE * ti.min(w.core[0].accuracy, w.core[1].accuracy)


@ti.func
def nearest_of_cores(w: ti.template(), start, reach):
    """Find the nearest points of the two cores, beginning in direction `start`.

    Returns the state, PARTED, NEAR or OVERLAP; the points; and the vector from that of core 1 to that of core 0.
    """
    forget_welded_points(w)
    count, steps, state, tolerance = 0, 0, SEEKING, tolerance_of_search(w)
    x, direction = Vec3(broadcast(VERY_FAR), broadcast(0.0), broadcast(0.0)), start.copy()
    while state == SEEKING:
        known, along = steps >= MOST_PAIRS_TRIED, broadcast(VERY_FAR)
        one, two = farthest_pair(w, direction)
        for i in range(count):
            if whole(w.support[i].vertex_a) == one and whole(w.support[i].vertex_b) == two:
                known = True
        before = count
        if not known:
            w.support[count].vertex_a = 1.0 * one
            w.support[count].vertex_b = 1.0 * two
            along = 0.0 - pair_difference(w, count).dot(direction)
            count += 1
        if steps > 0:
            if along >= x.norm() - tolerance:
                state, count = NEAR, before
            elif along > reach:
                state = PARTED
        steps += 1
        if state == SEEKING:
            count, x = reduce_pairs(w, count, x)
            if x.norm() < tolerance:
                state = OVERLAP
            direction = unit(x, x) * -1.0
    on_a = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))
    on_b = on_a.copy()
    if state == NEAR:
        for i in range(count):
            pair, weight = w.support[i], w.support[i].weight + 0.0
            on_a = on_a + w.support[whole(pair.vertex_a)].point_a * weight
            on_b = on_b + w.support[whole(pair.vertex_b)].point_b * weight
    return state, on_a, on_b, x
