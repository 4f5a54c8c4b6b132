"""Contact points of a cylinder or cone on a plane; nothing is kept from step to step.

The shape's x axis is its own, r its radius, H half its height, d = −n in its frame. The point of support is that of the
rim, or the tip of a cone. Standing on a disc it has four points on the rim, 90° apart; lying, the two ends of a line.
Every point is put half way between the surface and the plane.
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Vec3
from ..kinds import CONE
from ..scalars import unit
from .contact_points import add_contact
from .convex_core.cores import place_core, turned, turned_back

STANDING = 0.99
LYING = 0.14


@ti.func
def round_on_plane(w: ti.template(), g, one, plane):
    """Add the points of a cylinder or cone on a plane."""
    shape, size = place_core(w, w.slot[g].collider_a), w.param.collider_size[w.slot[g].collider_a]
    r, half, cone = size.x, size.y, w.collider[w.slot[g].collider_a].shape == CONE
    n = plane.q.rotate(Vec3(1.0, 0.0, 0.0))
    d = turned_back(shape.q, n * -1.0)
    side = ti.select(d.x >= 0.0, broadcast(1.0), -1.0)
    outward = Vec3(0.0, 1.0, 0.0)
    if ti.abs(d.y) >= 1e-5 or ti.abs(d.z) >= 1e-5:
        outward = unit(Vec3(0.0, d.y, d.z), outward)
    sine = r / ti.sqrt(4.0 * half * half + r * r)  # of half the angle of a cone
    standing, lying = ti.abs(d.x) > STANDING, ti.abs(d.x) < LYING
    if cone:
        side = broadcast(-1.0)
        standing = d.x < 0.0 - STANDING
        across = ti.sqrt(ti.max(1.0 - d.x * d.x, 0.0))
        lying = ti.abs(d.x * ti.sqrt(1.0 - sine * sine) - across * sine) < LYING
    first = Vec3(side * half, 0.0, 0.0) + outward * r
    if cone and d.x > sine:
        first = Vec3(half, 0.0, 0.0)
    if (turned(shape.q, first) + shape.p - plane.p).dot(n) < w.param.contact_distance[w.slot[g].pair]:
        count = 1
        if standing:
            count = 4
        elif lying:
            count = 2
        for i in range(count):
            point = first.copy()
            if standing:
                spoke = outward.copy()
                for _ in range(i):  # a quarter turn about x
                    spoke = Vec3(0.0, 0.0 - spoke.z, spoke.y)
                point = Vec3(side * half, 0.0, 0.0) + spoke * r
            elif lying:
                point = Vec3(ti.select(i == 0, half, 0.0 - half), 0.0, 0.0)
                if not cone or i == 1:
                    point = point + outward * r
            there = turned(shape.q, point) + shape.p
            distance = (there - plane.p).dot(n)
            add_contact(w, g, there - n * (0.5 * distance), n, distance)
