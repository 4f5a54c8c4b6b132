"""One more point for a manifold: it replaces a near one; of five points four stay.

the deepest; the farthest from it; the farthest from their line; the farthest from their triangle;
the fifth takes the place of the nearest of these if it is deeper
"""

import taichi as ti

from ...lanes import broadcast
from ..scalars import whole
from .manifold import POINTS, store_point, write_point
from .reduction import store_chosen
from .triangle import nearest_weights


@ti.func
def grow_manifold(w: ti.template(), m, point, threshold):
    """Add a point, (A, B, normal, distance), to a manifold."""
    a, b, normal, distance = point
    count, place = whole(w.contacts.manifold_count[m]), -1
    for i in range(count):
        here, there = w.contacts.point_a[POINTS * m + i] - a, w.contacts.point_b[POINTS * m + i] - b
        if place < 0 and ti.min(here.dot(here), there.dot(there)) < threshold * threshold:
            place = i
    if place >= 0:
        write_point(w, POINTS * m + place, a, b, normal, distance)
    elif count < POINTS:
        store_point(w, m, a, b, normal, distance)
    else:
        for i in range(POINTS):
            kept = POINTS * m + i
            write_kept(w, i, w.contacts.point_a[kept], w.contacts.point_b[kept], w.contacts.point_normal[kept])
            w.candidate[i].distance = w.contacts.point_distance[kept] + 0.0
        write_kept(w, POINTS, a, b, normal)
        w.candidate[POINTS].distance = distance
        choose_four_of_five(w)
        store_chosen(w, m)


@ti.func
def write_kept(w: ti.template(), i, a, b, normal):
    """Write candidate i, except its distance."""
    w.candidate[i].point_a = a
    w.candidate[i].point_b = b
    w.candidate[i].normal = normal


@ti.func
def choose_four_of_five(w: ti.template()):
    """Write CHOSEN of the first four of five candidates."""
    for i in range(5):
        w.candidate[i].deep = 0.0
    first = 4
    for i in range(4):
        if w.candidate[i].distance < w.candidate[first].distance:
            first = i
    choose(w, 0, first)
    for place in range(1, 4):  # from the point, segment or triangle of those chosen
        i = ti.min(place - 1, 1)
        j = ti.min(place - 1, 2)
        best, most = -1, broadcast(-1.0)
        for k in range(5):
            if w.candidate[k].deep == 0.0:
                p = w.candidate[k].point_b
                x = w.candidate[whole(w.candidate[0].chosen)].point_b - p
                y = w.candidate[whole(w.candidate[i].chosen)].point_b - p
                z = w.candidate[whole(w.candidate[j].chosen)].point_b - p
                u, v, t = nearest_weights(x, y, z)
                apart = x * u + y * v + z * t
                if apart.dot(apart) > most:
                    best, most = k, apart.dot(apart)
        choose(w, place, best)
    for k in range(5):
        if w.candidate[k].deep == 0.0:
            replace_nearest(w, k)


@ti.func
def choose(w: ti.template(), place, i):
    """Choose candidate i for a place."""
    w.candidate[place].chosen = 1.0 * i
    w.candidate[i].deep = 1.0


@ti.func
def replace_nearest(w: ti.template(), left):
    """Let the candidate that is left take the place of the nearest chosen one, if it is deeper."""
    nearest, least = 0, broadcast(0.0)
    for place in range(4):
        apart = w.candidate[whole(w.candidate[place].chosen)].point_a - w.candidate[left].point_a
        if place == 0 or apart.dot(apart) < least:
            nearest, least = place, apart.dot(apart)
    if w.candidate[whole(w.candidate[nearest].chosen)].distance > w.candidate[left].distance:
        w.candidate[nearest].chosen = 1.0 * left
