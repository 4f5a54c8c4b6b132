"""Choice of up to four points that span the largest polygon, the first one among them."""

import taichi as ti

from ...lanes import broadcast
from ..scalars import FLOAT_EPSILON

MOST = 4


@ti.func
def reduce_to_polygon(w: ti.template(), start, count, normal):
    """Choose from the points POINT_B of `count` candidates from `start` on; return how many.

    The first point stays, with the one farthest from it, and the farthest on either side of their line. CHOSEN of the
    candidates from `start` on are their numbers, from 0 on.
    """
    origin, other, most = w.candidate[start].point_b.copy(), 0, broadcast(0.0)
    for i in range(count):
        away = w.candidate[start + i].point_b - origin
        squared = away.dot(away)
        if squared > most + FLOAT_EPSILON:
            other, most = i, squared
    w.candidate[start].chosen = 0.0
    total = 1
    if other > 0:
        across = normal.cross(w.candidate[start + other].point_b - origin)
        low, high, left, right = -1, -1, broadcast(0.0), broadcast(0.0)
        for i in range(count):
            along = across.dot(w.candidate[start + i].point_b - origin)
            if along < left - FLOAT_EPSILON:
                low, left = i, along
            if along > right + FLOAT_EPSILON:
                high, right = i, along
        w.candidate[start + 1].chosen = 1.0 * other
        total = 2
        if low > 0 and low != other:
            w.candidate[start + total].chosen = 1.0 * low
            total += 1
        if high > 0 and high != other:
            w.candidate[start + total].chosen = 1.0 * high
            total += 1
    return total
