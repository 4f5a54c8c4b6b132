"""Choice of four contact points from more: the deepest, the farthest, and one on each side of their line.

The deepest keeps the depth of the contact. The others span a large polygon, on which a body rests without tilting. All
beyond four would cost rows of the solver and, in a flat contact, add no direction in which it resists.

clustered (box on plane): every other point is handed to the nearest of the four, and replaces it if it is deeper.
batch (boxes, hulls): points above a tolerance are exchanged for deeper ones that were left over.
polygon (cylinders, cones): the first point instead of the deepest, so that the four span the largest polygon with it.
"""

import taichi as ti

from ...lanes import broadcast
from ..scalars import FLOAT_EPSILON
from ..simd import dot, unit
from .manifold import forget_points, store_candidate

BATCH_TOLERANCE = 0.02  # [m]
POLYGON = 4
"""Most points of a polygon."""


@ti.func
def squared_distance(w: ti.template(), i, j):
    """Return the squared distance of two candidates on shape B."""
    d = w.candidate[i].point_b - w.candidate[j].point_b
    return dot(d, d)


@ti.func
def deepest(w: ti.template(), count):
    """Return the index of the deepest candidate, the first of equals."""
    best = 0
    for i in range(1, count):
        if w.candidate[i].distance < w.candidate[best].distance:
            best = i
    return best


@ti.func
def farthest(w: ti.template(), count, origin):
    """Return the index of the candidate farthest from candidate `origin`, the first of equals."""
    best, most = 0, broadcast(-1.0)
    for i in range(count):
        d = squared_distance(w, i, origin)
        if d > most:
            best, most = i, d
    return best


@ti.func
def across(w: ti.template(), first, second):
    """Return the direction across the line between two candidates, in the plane of contact."""
    n = w.candidate[first].normal
    return unit((w.candidate[second].point_b - w.candidate[first].point_b).cross(n), n)


@ti.func
def offset_across(w: ti.template(), i, origin, direction):
    """Return how far candidate i is from candidate `origin` along a direction."""
    return dot(w.candidate[i].point_b - w.candidate[origin].point_b, direction)


@ti.func
def store_all(w: ti.template(), m, count):
    """Store all candidates in a manifold; they are at most four."""
    forget_points(w, m)
    for i in range(count):
        store_candidate(w, m, i)


@ti.func
def store_chosen(w: ti.template(), m):
    """Store the four chosen candidates in a manifold."""
    forget_points(w, m)
    for i in range(4):
        store_candidate(w, m, w.candidate[i].chosen)


@ti.func
def choose_clustered(w: ti.template(), m, count):
    """Store the candidates in a manifold, of more than four the chosen ones."""
    if count <= 4:
        store_all(w, m, count)
    else:
        first = deepest(w, count)
        second = farthest(w, count, first)
        side = across(w, first, second)
        third, fourth, high, low = -1, -1, broadcast(0.0), broadcast(0.0)
        for i in range(count):
            if i != first and i != second:
                d = offset_across(w, i, first, side)
                if third < 0 or d > high:
                    third, high = i, d
                if fourth < 0 or d < low:
                    fourth, low = i, d
        if high * low > 0.0:  # all on one side: the second farthest
            fourth, low = -1, broadcast(0.0)
            for i in range(count):
                if i != first and i != second and i != third:
                    d = offset_across(w, i, first, side)
                    if fourth < 0 or d > low:
                        fourth, low = i, d
        seeds = ti.Vector([first, second, third, fourth])
        for i in ti.static(range(4)):
            w.candidate[i].chosen = seeds[i]
        for i in range(count):
            if i != first and i != second and i != third and i != fourth:
                nearest, least = 0, broadcast(0.0)
                for j in ti.static(range(4)):
                    d = squared_distance(w, i, seeds[j])
                    if j == 0 or d < least:
                        nearest, least = j, d
                if w.candidate[w.candidate[nearest].chosen].distance > w.candidate[i].distance:
                    w.candidate[nearest].chosen = i
        store_chosen(w, m)


@ti.func
def choose_batch(w: ti.template(), m, count):
    """Store the candidates in a manifold, of more than four the chosen ones, high ones exchanged for deeper ones."""
    if count <= 4:
        store_all(w, m, count)
    else:
        write_extremes(w, count)
        exchange_high_points(w, count)
        store_chosen(w, m)


@ti.func
def write_extremes(w: ti.template(), count):
    """Write CHOSEN of `count` candidates: the four chosen ones, then those left over in the order PhysX leaves them.

    Taking one moves the last of those left over to its place.
    """
    for i in range(count):
        w.candidate[i].chosen = i
    take(w, 0, count, deepest(w, count))
    origin = w.candidate[0].chosen
    best, most = 1, broadcast(-1.0)
    for i in range(1, count):
        d = squared_distance(w, w.candidate[i].chosen, origin)
        if d > most:
            best, most = i, d
    take(w, 1, count, best)
    side = across(w, origin, w.candidate[1].chosen)
    high, low, top, bottom = 2, 2, broadcast(0.0), broadcast(0.0)
    for i in range(2, count):
        d = offset_across(w, w.candidate[i].chosen, origin, side)
        if i == 2 or d > top:
            high, top = i, d
        if i == 2 or d < bottom:
            low, bottom = i, d
    lowest = w.candidate[low].chosen
    take(w, 2, count, high)
    fourth = 3
    if top * bottom > 0.0:
        most = broadcast(0.0)
        for i in range(3, count):
            d = offset_across(w, w.candidate[i].chosen, origin, side)
            if i == 3 or d > most:
                fourth, most = i, d
    else:
        for i in range(3, count):
            if w.candidate[i].chosen == lowest:
                fourth = i
    take(w, 3, count, fourth)


@ti.func
def take(w: ti.template(), place, count, i):
    """Move entry i of the list to its chosen `place`.

    The list is chosen entries, then those left over. PhysX moves the last one left over to the place of a taken one.
    """
    taken = w.candidate[i].chosen
    w.candidate[i].chosen = w.candidate[count - 1].chosen
    for back in range(count - 1 - place):
        j = count - 1 - back
        w.candidate[j].chosen = w.candidate[j - 1].chosen
    w.candidate[place].chosen = taken


@ti.func
def exchange_high_points(w: ti.template(), count):
    """Exchange chosen points above a tolerance for deeper ones left over, if others are below it."""
    low, high = w.candidate[0].distance, w.candidate[0].distance
    for i in range(count):
        low, high = ti.min(low, w.candidate[i].distance), ti.max(high, w.candidate[i].distance)
    bound = BATCH_TOLERANCE * w.param.metre[0]
    if low < bound and high > bound:
        for i in range(4):
            own = w.candidate[w.candidate[i].chosen].distance
            if own > bound:
                best = -1
                for j in range(4, count):
                    d = w.candidate[w.candidate[j].chosen].distance
                    if d < own and d < bound:
                        best, own = j, d
                if best >= 0:
                    kept = w.candidate[i].chosen
                    w.candidate[i].chosen = w.candidate[best].chosen
                    w.candidate[best].chosen = kept


@ti.func
def reduce_to_polygon(w: ti.template(), start, count, normal):
    """Choose from the points POINT_B of `count` candidates from `start` on; return how many.

    The first point stays, with the one farthest from it, and the farthest on either side of their line. CHOSEN of the
    candidates from `start` on are their numbers, from 0 on.
    """
    origin, other, most = w.candidate[start].point_b, 0, broadcast(0.0)
    for i in range(count):
        away = w.candidate[start + i].point_b - origin
        squared = away.dot(away)
        if squared > most + FLOAT_EPSILON:
            other, most = i, squared
    w.candidate[start].chosen = 0
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
        w.candidate[start + 1].chosen = other
        total = 2
        if low > 0 and low != other:
            w.candidate[start + total].chosen = low
            total += 1
        if high > 0 and high != other:
            w.candidate[start + total].chosen = high
            total += 1
    return total
