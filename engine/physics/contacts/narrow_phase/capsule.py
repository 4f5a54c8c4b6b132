"""Contact points between two capsules: one at the nearest points of their axes, or up to four if parallel.

n = unit(a − b),  point a − r_a n,  separation |a − b| − r_a − r_b
"""

import taichi as ti

from ...lanes import broadcast, clamp
from ...spatial import Vec3
from ..scalars import unit, whole
from .contact_points import add_contact

PARALLEL = 0.9998
SHORT = 1e-6  # squared lengths below this have no direction [m²]


@ti.func
def nearest_on_segments(p, d, q, e):
    """Return s and t in 0..1 of the nearest points p + s d and q + t e of two segments."""
    a, b, c = d.dot(d), d.dot(e), e.dot(e)
    f, g = d.dot(p - q), e.dot(p - q)
    s, t = broadcast(0.0), broadcast(0.0)
    if a > 1e-12 and c > 1e-12:
        den = a * c - b * b
        s = 0.5 + 0.0 * a
        if den > 1e-6 * a * c:
            s = clamp((b * g - c * f) / den, 0.0, 1.0)
        t = (b * s + g) / c
        if t < 0.0:
            t = 0.0
            s = clamp(0.0 - f / a, 0.0, 1.0)
        elif t > 1.0:
            t = 1.0
            s = clamp((b - f) / a, 0.0, 1.0)
    elif c > 1e-12:
        t = clamp(g / c, 0.0, 1.0)
    elif a > 1e-12:
        s = clamp(0.0 - f / a, 0.0, 1.0)
    return s, t


@ti.func
def capsule_on_capsule(w: ti.template(), g, one, two):
    """Add the points of two capsules."""
    size0, size1 = w.param.collider_size[w.slot[g].collider_a], w.param.collider_size[w.slot[g].collider_b]
    reach = size0.x + size1.x + w.param.contact_distance[w.slot[g].pair]
    half0, half1 = one.q.rotate(Vec3(1.0, 0.0, 0.0)) * size0.y, two.q.rotate(Vec3(1.0, 0.0, 0.0)) * size1.y
    start0, start1, d0, d1 = one.p + half0, two.p + half1, half0 * -2.0, half1 * -2.0
    s, t = nearest_on_segments(start0, d0, start1, d1)
    a, b = start0 + d0 * s, start1 + d1 * t
    apart = a - b
    squared = apart.dot(apart)
    if squared <= reach * reach:
        long0, long1 = d0.dot(d0), d1.dot(d1)
        x = Vec3(1.0, 0.0, 0.0)
        if long0 > SHORT and long1 > SHORT and ti.abs(unit(d0, x).dot(unit(d1, x))) > PARALLEL:
            for end in range(2):
                point = start1 + d1 * (1.0 * end)
                along = (point - start0).dot(d0) / long0
                if along >= 0.0 and along <= 1.0:
                    add_pair_of_points(w, g, start0 + d0 * along, point)
            for end in range(2):
                point = start0 + d0 * (1.0 * end)
                along = (point - start1).dot(d1) / long1
                if along >= 0.0 and along <= 1.0:
                    add_pair_of_points(w, g, point, start1 + d1 * along)
        if whole(w.slot[g].point_count) == 0:
            n = x.copy()
            length = broadcast(0.0)
            if squared > SHORT:
                length = ti.sqrt(squared)
                n = apart * (1.0 / length)
            elif long0 > SHORT:
                n = unit(d0, x)
            add_contact(w, g, a - n * size0.x, n, length - size0.x - size1.x)


@ti.func
def add_pair_of_points(w: ti.template(), g, a, b):
    """Add the point between a on the axis of one capsule and b on that of the other, if they are near but apart."""
    r0, r1 = w.param.collider_size[w.slot[g].collider_a].x, w.param.collider_size[w.slot[g].collider_b].x
    apart, reach = a - b, r0 + r1 + w.param.contact_distance[w.slot[g].pair]
    squared = apart.dot(apart)
    if squared > SHORT and squared < reach * reach:
        length = ti.sqrt(squared)
        n = apart * (1.0 / length)
        add_contact(w, g, a - n * r0, n, length - r0 - r1)
