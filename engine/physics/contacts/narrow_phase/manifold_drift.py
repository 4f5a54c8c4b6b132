"""Bounds on how far a pair may move before its contact points are made anew, by the kinds of its shapes.

    plane:       position, relative rotation            0.2 m, 0.99996  (capsule 0.02 r)
    sphere, capsule with box or hull: the same         m (0.5, 0.1, 0.75)[n], (0.9995, 0.9999, 0.9997)[n]
    polyhedra:   position, rotation of each, turned length  m (0.5, 0.125, 0.25, 0.375, 0.375)[n], 0.9999 (none: 0.9998)

m is the margin of the pair, n the number of its points, and rotations are compared by q · q₀.
"""

import taichi as ti

from ...lanes import broadcast
from ..kinds import CAPSULE, HULL, PLANE, SPHERE, has_radius
from ..scalars import largest_magnitude, quaternion_dot, whole
from .shape_sizes import inner_sides

TURNED_ON_PLANE = 0.99996


@ti.func
def drift_limit(w: ti.template(), g, margin):
    """Return how far a point may drift along the surface before it is removed [m]."""
    kind, other = w.collider[w.slot[g].collider_a].shape, w.collider[w.slot[g].collider_b].shape
    share = broadcast(0.8)
    if other == PLANE:
        share = ti.select(kind == CAPSULE, 0.05, broadcast(0.2))
    elif kind == SPHERE:
        share = broadcast(0.05)
    elif kind == CAPSULE and other == HULL:
        share = broadcast(1.25)
    return margin * share


@ti.func
def moved_since(w: ti.template(), g, pose, one, two, margin):
    """Return whether a pair moved or turned so far since its manifold was made that the points are made anew."""
    m, a, b = w.slot[g].manifold, w.slot[g].collider_a, w.slot[g].collider_b
    kind, count = w.collider[a].shape, whole(w.contacts.manifold_count[m])
    moved, share, turned = w.contacts.manifold_made[m] == 0.0, broadcast(0.2), broadcast(TURNED_ON_PLANE)
    if w.collider[b].shape == PLANE:
        if kind == CAPSULE:
            share = broadcast(0.02)
    elif has_radius(kind):
        share, turned = broadcast(0.5), broadcast(0.9995)
        if count == 1:
            share, turned = broadcast(0.1), broadcast(0.9999)
        elif count > 1:
            share, turned = broadcast(0.75), broadcast(0.9997)
    else:
        share, turned = broadcast(0.5), broadcast(0.9998)
        if count > 0:
            share, turned = broadcast(0.125) * ti.min(count, 3), broadcast(0.9999)
        moved = polyhedra_turned(w, g, one, two, margin * share, turned) or moved
    if has_radius(kind) or w.collider[b].shape == PLANE:
        if quaternion_dot(pose.q, w.contacts.manifold_rotation[m]) < turned:
            moved = True
    if largest_magnitude(pose.p - w.contacts.manifold_position[m]) > margin * share:
        moved = True
    return moved


@ti.func
def polyhedra_turned(w: ti.template(), g, one, two, length, turned):
    """Return whether a body of the pair turned too far: by a cosine, or a point at its radius by a length."""
    m, too_far = w.slot[g].manifold, False
    for side in range(2):
        cosine, c = quaternion_dot(one.q, w.contacts.manifold_orientation_a[m]), w.slot[g].collider_a
        if side == 1:
            cosine, c = quaternion_dot(two.q, w.contacts.manifold_orientation_b[m]), w.slot[g].collider_b
        radius = inner_sides(w, c).norm()
        if cosine < turned or ti.acos(ti.min(cosine, 1.0)) * radius > length:
            too_far = True
    return too_far
