"""Persistent manifold: up to four points that a pair keeps while its shapes hardly move.

    refresh: a = T A,  d = (a − B) · n;  a point whose drift |B − (a − d n)| exceeds a threshold is removed

A is in the frame of shape A, B and n in that of shape B, and T takes the former to the latter. The last point takes the
place of a removed one. A pair moves no further, before its points are made anew, than these bounds:

    plane:       position, relative rotation            0.2 m, 0.99996  (capsule 0.02 r)
    sphere, capsule with box or hull: the same         m (0.5, 0.1, 0.75)[n], (0.9995, 0.9999, 0.9997)[n]
    polyhedra:   position, rotation of each, turned length  m (0.5, 0.125, 0.25, 0.375, 0.375)[n], 0.9999 (none: 0.9998)

m is the margin of the pair, which follows from the sizes of its shapes, n the number of its points, and rotations are
compared by q · q₀.
"""

import taichi as ti

from ...lanes import broadcast, clamp, materialize, traced
from ...spatial import Vec3
from ..kinds import BOX, CAPSULE, HULL, PLANE, SPHERE, has_radius
from ..scalars import largest_magnitude, least
from ..simd import dot, norm, quaternion_dot

POINTS = 4
TURNED_ON_PLANE = 0.99996
ENDLESS = 1e30
NEAR_ANGLE = 2.1
"""A little more than the square of a small angle by 1 less its cosine."""


@traced
def move_point(w, to, source):
    """Copy a point of a manifold."""
    for name in ("point_a", "point_b", "point_normal", "point_distance"):
        row = getattr(w.contacts, name)
        row[to] = materialize(row[source])


@ti.func
def refresh(w: ti.template(), m, pose, threshold):
    """Update the distances of a manifold and remove points that drifted; return whether any was removed."""
    count, axes = w.contacts.manifold_count[m], pose.q.columns()
    before = count
    for back in range(POINTS):
        i = POINTS - 1 - back
        if i < count:
            point = POINTS * m + i
            there, n = w.contacts.point_b[point], w.contacts.point_normal[point]
            a = axes.apply(w.contacts.point_a[point]) + pose.p
            distance = dot(a - there, n)
            drift = there - (a - n * distance)
            if dot(drift, drift) > threshold * threshold:
                count -= 1
                if i < count:
                    move_point(w, point, POINTS * m + count)
            else:
                w.contacts.point_distance[point] = distance
    w.contacts.manifold_count[m] = count
    return count < before


@ti.func
def keep_pose(w: ti.template(), m, pose, orientation_a, orientation_b):
    """Keep the poses at which the points of a manifold are made."""
    w.contacts.manifold_made[m] = True
    w.contacts.manifold_position[m] = pose.p
    w.contacts.manifold_rotation[m] = pose.q
    w.contacts.manifold_orientation_a[m] = orientation_a
    w.contacts.manifold_orientation_b[m] = orientation_b


@ti.func
def forget_points(w: ti.template(), m):
    """Remove all points of a manifold."""
    w.contacts.manifold_count[m] = 0


@ti.func
def write_point(w: ti.template(), point, a, b, normal, distance):
    """Write a point of a manifold."""
    w.contacts.point_a[point] = a
    w.contacts.point_b[point] = b
    w.contacts.point_normal[point] = normal
    w.contacts.point_distance[point] = distance


@ti.func
def store_point(w: ti.template(), m, a, b, normal, distance):
    """Append a point to a manifold that has room for it."""
    count = w.contacts.manifold_count[m]
    write_point(w, POINTS * m + count, a, b, normal, distance)
    w.contacts.manifold_count[m] = count + 1


@ti.func
def store_candidate(w: ti.template(), m, i):
    """Append candidate i to a manifold."""
    candidate = w.candidate[i]
    store_point(w, m, candidate.point_a, candidate.point_b, candidate.normal, candidate.distance)


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
    kind, count = w.collider[a].shape, w.contacts.manifold_count[m]
    moved, share, turned = not w.contacts.manifold_made[m], broadcast(0.2), broadcast(TURNED_ON_PLANE)
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
        radius = norm(inner_sides(w, c))
        if cosine < turned:
            too_far = True
        elif NEAR_ANGLE * (1.0 - cosine) * radius * radius > length * length:  # else the angle is surely too small
            if ti.acos(ti.min(cosine, 1.0)) * radius > length:
                too_far = True
    return too_far


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
        length = ti.min(of_hull * side, most_of_hull * w.param.metre[0])
    return length


@ti.func
def manifold_margin(w: ti.template(), g):
    """Return the length by which the limits of a manifold's motion are measured [m]."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    kind, radius = w.collider[a].shape, w.param.collider_size[a].x
    margin = ti.min(least_side(w, a, 0.15, 0.25, 0.05), least_side(w, b, 0.15, 0.25, 0.05))
    margin = ti.min(margin, 0.15 * w.param.metre[0])
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
    return clamp(least_side(w, c, 0.15, 0.1, 0.08), 0.01 * w.param.metre[0], 0.05 * w.param.metre[0])
