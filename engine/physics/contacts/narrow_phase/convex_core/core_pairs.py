"""Farthest points of two cores that a search keeps, and where it begins.

A new point of a core that is nearer to a kept one than a hundredth of the core is that one: they are welded. A pair of
welded points, one of each core, is a corner of a simplex or polytope within the differences a − b.
"""

import taichi as ti

from .....tables.contacts import SUPPORT_SLOTS
from ....lanes import broadcast, traced
from ....spatial import Vec3
from ...scalars import FLOAT_EPSILON, unit, whole
from .cores import farthest_point, turned, turned_back

MOST_WELDED = SUPPORT_SLOTS // 2


@ti.func
def farthest_in_frame(w: ti.template(), side, d):
    """Return the point of a core that is farthest along d, both in the frame of the search."""
    q = w.core[side].orientation.copy()
    return turned(q, farthest_point(w, side, turned_back(q, d))) + w.core[side].position


@ti.func
def farthest_pair(w: ti.template(), d):
    """Return the numbers of the welded points of core 0 along d and of core 1 along −d."""
    one, two = 0, 0
    for side in range(2):
        direction = d.copy()
        if side == 1:
            direction = d * -1.0
        i = weld(w, side, farthest_in_frame(w, side, direction))
        if side == 0:
            one = i
        else:
            two = i
    return one, two


@ti.func
def weld(w: ti.template(), side, point):
    """Return the number of the welded point of a core that a point is, a new one if it is far from all of them."""
    count, accuracy = whole(w.core[side].points), w.core[side].accuracy + 0.0
    found, nearest, least = -1, 0, broadcast(1e30)
    for back in range(count):
        i = count - 1 - back
        if found < 0:
            away = welded_point(w, side, i) - point
            squared = away.dot(away)
            if squared < accuracy * accuracy:
                found = i
            elif squared < least:
                nearest, least = i, squared
    if found < 0:
        found = nearest
        if count < MOST_WELDED:
            found = count
            w.core[side].points = 1.0 * (count + 1)
            if side == 0:
                w.support[count].point_a = point
            else:
                w.support[count].point_b = point
    return found


@ti.func
def welded_point(w: ti.template(), side, i):
    """Return a welded point of a core."""
    point = w.support[i].point_a.copy()
    if side == 1:
        point = w.support[i].point_b.copy()
    return point


@ti.func
def forget_welded_points(w: ti.template()):
    """Begin a search without welded points."""
    for side in range(2):
        w.core[side].points = 0.0


@traced
def pair_difference(w, i):
    """Return the difference of the two welded points of pair i: a corner of a simplex or polytope."""
    pair = w.support[i]
    return w.support[whole(pair.vertex_a)].point_a - w.support[whole(pair.vertex_b)].point_b


@traced
def inverse_basis(q):
    """Return the axes of the outer frame in the frame of a quaternion, by PhysX's operations."""
    x, y, z, w2 = q.v.x, q.v.y, q.v.z, q.w * 2.0
    return (
        Vec3((q.w * w2) - 1.0 + x * (x * 2.0), (0.0 - z) * w2 + y * (x * 2.0), (y * w2) + z * (x * 2.0)),
        Vec3((z * w2) + x * (y * 2.0), (q.w * w2) - 1.0 + y * (y * 2.0), (0.0 - x) * w2 + z * (y * 2.0)),
        Vec3((0.0 - y) * w2 + x * (z * 2.0), (x * w2) + y * (z * 2.0), (q.w * w2) - 1.0 + z * (z * 2.0)),
    )


@ti.func
def direction_between(w: ti.template()):
    """Return the direction from the middle of the box around core 0 to that of core 1; x if they are one."""
    between = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))
    for side in range(2):
        middle = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))
        x, y, z = inverse_basis(w.core[side].orientation)
        for k in range(6):  # the ends along three axes; in a loop, as a support is much code
            d = x.copy()
            if k // 2 == 1:
                d = y
            elif k // 2 == 2:
                d = z
            if k % 2 == 0:
                d = d * -1.0
            q = w.core[side].orientation.copy()
            point = (turned(q, farthest_point(w, side, d)) + w.core[side].position) * 0.5
            if k // 2 == 0:
                middle.x = middle.x + point.x
            elif k // 2 == 1:
                middle.y = middle.y + point.y
            else:
                middle.z = middle.z + point.z
        between = between + middle * (2.0 * side - 1.0)
    direction = Vec3(1.0, 0.0, 0.0)
    if between.norm() >= FLOAT_EPSILON:
        direction = unit(between, direction)
    return direction
