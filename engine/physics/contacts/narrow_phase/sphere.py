"""Contact points between a sphere and a sphere, capsule or box.

n = unit(c − p),  point p on the other surface or c − r n,  separation |c − p| − r,  p nearest on the other core
"""

import taichi as ti

from ...lanes import clamp
from ...spatial import Vec3
from ..broad_phase.speculation import contact_distance
from ..scalars import FLOAT_EPSILON, least
from ..simd import dot, norm, rotate, unit, x_axis
from .contact_points import add_contact

COINCIDENT = 1e-5
"""Distance of two centres that has no direction, in stage units."""


@ti.func
def sphere_on_sphere(w: ti.template(), g, one, two):
    """Add the point of two spheres."""
    r0, r1 = w.param.collider_size[w.slot[g].collider_a].x, w.param.collider_size[w.slot[g].collider_b].x
    apart = one.p - two.p
    length, n = norm(apart), Vec3(1.0, 0.0, 0.0)
    if length > COINCIDENT:
        n = unit(apart, n)
    separation = length - (r0 + r1)
    if separation < contact_distance(w, g):
        add_contact(w, g, two.p + n * r1, n, separation)


@ti.func
def sphere_on_capsule(w: ti.template(), g, sphere, capsule):
    """Add the point of a sphere on a capsule."""
    r, size = w.param.collider_size[w.slot[g].collider_a].x, w.param.collider_size[w.slot[g].collider_b]
    half = x_axis(capsule.q) * size.y
    start, end = capsule.p + half, capsule.p - half
    from_start, axis = sphere.p - start, end - start
    t = clamp(dot(from_start, axis) / ti.max(dot(axis, axis), 1e-30), 0.0, 1.0)
    separation = norm(from_start - axis * t) - (r + size.x)
    if separation < contact_distance(w, g):
        apart, n = sphere.p - (axis * t + start), Vec3(1.0, 0.0, 0.0)
        if norm(apart) > FLOAT_EPSILON:
            n = unit(apart, n)
        add_contact(w, g, sphere.p - n * r, n, separation)


@ti.func
def sphere_on_box(w: ti.template(), g, sphere, box):
    """Add the point of a sphere on a box; a centre inside is pushed out through the nearest face."""
    r, half = w.param.collider_size[w.slot[g].collider_a].x, w.param.collider_size[w.slot[g].collider_b]
    c = box.unapply(sphere.p)
    p = Vec3(clamp(c.x, 0.0 - half.x, half.x), clamp(c.y, 0.0 - half.y, half.y), clamp(c.z, 0.0 - half.z, half.z))
    apart = c - p
    squared = dot(apart, apart)
    if ti.sqrt(squared) < r + contact_distance(w, g):
        if squared > 0.0:
            reciprocal = 1.0 / ti.sqrt(squared)
            add_contact(w, g, box.apply(p), rotate(box.q, apart * reciprocal), 1.0 / reciprocal - r)
        else:
            gap = Vec3(half.x - ti.abs(p.x), half.y - ti.abs(p.y), half.z - ti.abs(p.z))
            depth = least(gap)
            n = Vec3(0.0, 0.0, 0.0)
            if gap.z <= depth:
                n.z = ti.select(p.z >= 0.0, 1.0, -1.0)
            elif gap.x <= depth:
                n.x = ti.select(p.x >= 0.0, 1.0, -1.0)
            else:
                n.y = ti.select(p.y >= 0.0, 1.0, -1.0)
            out = rotate(box.q, n)
            add_contact(w, g, sphere.p + out * depth, out, 0.0 - depth - r)
