"""Lengths that follow from the size of a convex shape, as PhysX's tolerances do."""

import taichi as ti

from ...lanes import broadcast, clamp
from ...spatial import Vec3
from ..kinds import BOX, CAPSULE, HULL, PLANE, has_radius
from ..scalars import least

ENDLESS = 1e30


@ti.func
def inner_sides(w: ti.template(), c):
    """Return half the sides of a box, or of the box inside a hull; those of a round core are endless."""
    half = Vec3(broadcast(ENDLESS), broadcast(ENDLESS), broadcast(ENDLESS))
    if w.collider[c].shape == BOX:
        half = w.param.collider_size[c]
    elif w.collider[c].hull >= 0:
        half = w.param.hull_inner[w.collider[c].hull]
    return half


@ti.func
def least_side(w: ti.template(), c, of_box, of_hull, most_of_hull):
    """Return a share of the least of half the sides of a box, or of the box inside a hull, which has a maximum [m]."""
    side = least(inner_sides(w, c))
    length = of_box * side
    if w.collider[c].shape == HULL:
        length = ti.min(of_hull * side, most_of_hull)
    return length


@ti.func
def manifold_margin(w: ti.template(), g):
    """Return the length by which the limits of a manifold's motion are measured [m]."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    kind, radius = w.collider[a].shape, w.param.collider_size[a].x
    margin = ti.min(ti.min(least_side(w, a, 0.15, 0.25, 0.05), least_side(w, b, 0.15, 0.25, 0.05)), 0.15)
    if has_radius(kind):
        if w.collider[b].shape == PLANE:
            margin = radius
        elif kind == CAPSULE and w.collider[b].shape == HULL:
            margin = ti.min(margin, 0.05 * radius)
        else:
            margin = ti.min(margin, radius)
    return margin


@ti.func
def least_margin(w: ti.template(), c):
    """Return the length by which nearest points are measured [m]."""
    return least_side(w, c, 0.05, 0.05, 0.05)


@ti.func
def face_tolerance(w: ti.template(), c):
    """Return how far a point may be from a face of a box or hull that it lies on [m]."""
    return clamp(least_side(w, c, 0.15, 0.1, 0.08), 0.01, 0.05)
