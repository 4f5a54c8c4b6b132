"""Choice of contact points on a triangle mesh from more, so that they lie far apart or deep.

the deepest or the farthest from the mesh's origin; the farthest from it; one on each side of their line; the deepest
"""

import taichi as ti

from ....lanes import broadcast

SAME_DEPTH = 2e-7
"""Difference of depths that round-off makes of equal ones [m]: of those of a shape that lies flat, the first counts."""

SAME_DISTANCE = 1.0 + 1e-6
"""Ratio of squared distances that round-off makes of equal ones: of the corners of a centred box, the first counts."""


@ti.func
def deepest_candidate(w: ti.template(), first, end):
    """Return the index of the deepest candidate from `first` to before `end`, the first of equals."""
    found, least = first, broadcast(1e30)
    for i in range(first, end):
        if w.candidate[i].distance < least:
            found, least = i, w.candidate[i].distance + 0.0
    return found


@ti.func
def farthest_candidate(w: ti.template(), first, end, point):
    """Return the index of the candidate from `first` to before `end` that is farthest from a point, as above."""
    found, most = first, broadcast(0.0)
    for i in range(first, end):
        d = w.candidate[i].point_b - point
        if d.dot(d) > most * SAME_DISTANCE:
            found, most = i, d.dot(d)
    return found


@ti.func
def reduce_on_mesh(w: ti.template(), first, end, lead, manner):
    """Write CHOSEN of the first `places` candidates: numbers of those chosen from `first` to before `end`.

    `lead` is chosen first; `manner`: (places, whether one on each side of the line is chosen).
    """
    places, sides = manner
    for i in range(first, end):
        w.candidate[i].deep = 0.0
    choose_next(w, 0, lead)
    other = farthest_candidate(w, first, end, w.candidate[lead].point_b)
    choose_next(w, 1, other)
    number = 2
    if sides:
        line = w.candidate[other].point_b - w.candidate[lead].point_b
        across = line.cross(w.candidate[lead].normal)
        high, low, top, bottom = -1, -1, broadcast(-1e30), broadcast(1e30)
        for i in range(first, end):
            if w.candidate[i].deep == 0.0:
                d = (w.candidate[i].point_b - w.candidate[lead].point_b).dot(across)
                if d > top:
                    high, top = i, d
                if d < bottom:
                    low, bottom = i, d
        if high >= 0:
            choose_next(w, 2, high)
            number = 3
            if top * bottom > 0.0:
                low, top = -1, broadcast(-1e30)
                for i in range(first, end):
                    d = (w.candidate[i].point_b - w.candidate[lead].point_b).dot(across)
                    if w.candidate[i].deep == 0.0 and d > top:
                        low, top = i, d
            if low >= 0:
                choose_next(w, 3, low)
                number = 4
    for place in range(number, places):
        best, least = 0, broadcast(1e30)
        for i in range(first, end):
            if w.candidate[i].deep == 0.0 and w.candidate[i].distance < least - SAME_DEPTH:
                best, least = i, w.candidate[i].distance + 0.0
        choose_next(w, place, best)


@ti.func
def choose_next(w: ti.template(), place, i):
    """Choose candidate i for a place."""
    w.candidate[place].chosen = 1.0 * i
    w.candidate[i].deep = 1.0
