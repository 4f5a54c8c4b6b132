"""Contact points of a pair with a persistent manifold.

The points are made anew if one drifted away or if the pair moved or turned so far since they were made; else only their
distances are. A pair keeps the place on shape B; of a sphere or capsule, shape A, that of its core, less r n.

    made anew: plane, boxes: all points      sphere: the nearest one      capsule: see `capsule`
               polyhedra: all points, or one point more where there was one, unless the normal turned

A point that joins a manifold replaces a near one; of five points four stay:

    the deepest; the farthest from it; the farthest from their line; the farthest from their triangle;
    the fifth takes the place of the nearest of these if it is deeper
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Vec3, zero_vector
from ..broad_phase.speculation import contact_distance
from ..kinds import CAPSULE, SPHERE, compiles, has_law, has_radius
from ..simd import dot, rotate, unit, x_axis
from .box_box import clip_boxes, separating_face, unit_axes
from .capsule import make_capsule_points, make_sphere_point
from .contact_points import ContactPoint, add_contact
from .convex_core.gjk import nearest_points
from .manifold import (
    POINTS,
    drift_limit,
    forget_points,
    keep_pose,
    manifold_margin,
    moved_since,
    refresh,
    store_point,
    write_point,
)
from .plane import write_face_corners
from .polyhedra import clip_polyhedra
from .reduction import choose_batch, store_chosen
from .triangle import nearest_weights

CONVEX = ("SPHERE_ON_HULL", "CAPSULE_ON_CONVEX", "BOX_ON_BOX", "POLYHEDRA")
"""Laws that start from the nearest points of two convex shapes."""

KEPT = ("HULL_ON_PLANE", *CONVEX)
"""Laws with one persistent manifold, but those of all lanes at once."""


@ti.func
def generate_kept_points(w: ti.template(), g, one, two):
    """Add the points of pair g, whose shapes have these poses."""
    m = w.slot[g].manifold
    pose, margin = one.within(two), manifold_margin(w, g)
    before = w.contacts.manifold_count[m]
    lost = refresh(w, m, pose, drift_limit(w, g, margin))
    normal, exists, made = sum_of_normals(w, m), True, False
    if lost or moved_since(w, g, pose, one, two, margin):
        keep_pose(w, m, pose, one.q, two.q)
        count, made = 0, True
        if ti.static(compiles(w, "HULL_ON_PLANE")):
            if has_law(w, g, "HULL_ON_PLANE"):
                count = write_face_corners(w, g, pose)
                forget_points(w, m)
                normal = Vec3(1.0, 0.0, 0.0)
        if ti.static(compiles(w, *CONVEX)):
            if has_law(w, g, *CONVEX):
                count, exists, normal = make_points(w, g, one, two, margin, before, unit(normal, zero_vector()))
        if count > 0:
            choose_batch(w, m, count)
            normal = sum_of_normals(w, m)
            if ti.static(compiles(w, "BOX_ON_BOX")):
                if has_law(w, g, "BOX_ON_BOX"):
                    add_clipped_points(w, g, two)
                    exists = False
    if exists:
        n, kind = rotate(two.q, normal), w.collider[w.slot[g].collider_a].shape
        if ti.static(compiles(w, "HULL_ON_PLANE")):
            if has_law(w, g, "HULL_ON_PLANE"):
                n = x_axis(two.q)
        if not (kind == SPHERE or (made and kind == CAPSULE)):  # these keep the length that round-off gives n
            n = unit(n, n)
        add_points(w, g, one, two, n)


@ti.func
def sum_of_normals(w: ti.template(), m):
    """Return the sum of the normals of a manifold, in the frame of shape B."""
    normal = zero_vector()
    for i in range(w.contacts.manifold_count[m]):
        normal = normal + w.contacts.point_normal[4 * m + i]
    return normal


@ti.func
def add_clipped_points(w: ti.template(), g, two):
    """Add the points of two boxes that were clipped in this step, also those a little beyond the contact distance."""
    m, axes = w.slot[g].manifold, unit_axes(two.q)
    n = axes.apply(w.contacts.point_normal[POINTS * m])
    for i in range(w.contacts.manifold_count[m]):
        point = axes.apply(w.contacts.point_b[POINTS * m + i]) + two.p
        add_contact(w, g, point, unit(n, n), w.contacts.point_distance[POINTS * m + i])


@ti.func
def add_points(w: ti.template(), g, one, two, n):
    """Add the points of the pair's manifold within the contact distance, with one normal."""
    reach = contact_distance(w, g)
    m, kind, radius = w.slot[g].manifold, w.collider[w.slot[g].collider_a].shape, broadcast(0.0)
    if has_radius(kind):
        radius = w.param.collider_size[w.slot[g].collider_a].x
    for i in range(w.contacts.manifold_count[m]):
        depth = w.contacts.point_distance[4 * m + i] - radius
        if depth <= reach:
            point = zero_vector()
            if radius > 0.0:
                point = one.apply(w.contacts.point_a[4 * m + i]) - n * radius
            else:
                point = two.apply(w.contacts.point_b[4 * m + i])
            add_contact(w, g, point, n, depth)


@ti.func
def make_points(w: ti.template(), g, one, two, margin, before, old_normal):
    """Make the points of two convex shapes; `before` points were kept before this step.

    Returns the number of candidates to choose from, 0 if the manifold is complete; whether the shapes are near; and the
    normal of a complete manifold.
    """
    count, near, seeks = 0, True, True
    if ti.static(compiles(w, "BOX_ON_BOX")):
        if has_law(w, g, "BOX_ON_BOX"):
            face = separating_face(w, g, one, two)
            near = face >= 0
            if near:
                count = clip_boxes(w, g, one, two, face)
            seeks = near and count == 0
    normal = old_normal.copy()
    if seeks:
        placement = one.within(two).placed()
        found, a, b, n, d = nearest_points(w, g, placement)
        near = found > 0
        if near:
            normal = n
            nearest, sound = ContactPoint(placement.unapply(a), b, n, d), found == 1
            if ti.static(compiles(w, "SPHERE_ON_HULL")):
                if has_law(w, g, "SPHERE_ON_HULL"):
                    near, normal = make_sphere_point(w, g, placement, nearest, sound)
            if ti.static(compiles(w, "CAPSULE_ON_CONVEX")):
                if has_law(w, g, "CAPSULE_ON_CONVEX"):
                    near, normal = make_capsule_points(w, g, placement, before, nearest, sound)
            if ti.static(compiles(w, "BOX_ON_BOX", "POLYHEDRA")):
                if has_law(w, g, "BOX_ON_BOX") or (sound and has_law(w, g, "POLYHEDRA")):
                    grow_manifold(w, w.slot[g].manifold, nearest, 0.05 * margin)
            if ti.static(compiles(w, "POLYHEDRA")):
                if has_law(w, g, "POLYHEDRA"):
                    count, near, normal = make_polyhedra_points(w, g, one, two, nearest, sound, before, old_normal)
    return count, near, normal


@ti.func
def make_polyhedra_points(w: ti.template(), g, one, two, nearest, sound, before, old_normal):
    """Make the points of two polyhedra, of which `before` were kept; return as `make_points`."""
    count, near, normal = 0, True, nearest.normal.copy()
    # PhysX clips anew unless the pair had at most one point, which is still there
    again = before > 1 or w.contacts.manifold_count[w.slot[g].manifold] < before
    if not sound or again or dot(old_normal, normal) < 0.70710678:
        count = clip_polyhedra(w, g, one, two, nearest, sound)
        near = sound or count > 0
        normal = sum_of_normals(w, w.slot[g].manifold)
    else:
        normal = old_normal + normal
    return count, near, normal


@ti.func
def grow_manifold(w: ti.template(), m, point, threshold):
    """Add a point to a manifold."""
    a, b, normal, distance = point.on_a, point.on_b, point.normal, point.distance
    count, place = w.contacts.manifold_count[m], -1
    for i in range(count):
        here, there = w.contacts.point_a[POINTS * m + i] - a, w.contacts.point_b[POINTS * m + i] - b
        if place < 0 and ti.min(dot(here, here), dot(there, there)) < threshold * threshold:
            place = i
    if place >= 0:
        write_point(w, POINTS * m + place, a, b, normal, distance)
    elif count < POINTS:
        store_point(w, m, a, b, normal, distance)
    else:
        for i in range(POINTS):
            kept = POINTS * m + i
            write_kept(w, i, w.contacts.point_a[kept], w.contacts.point_b[kept], w.contacts.point_normal[kept])
            w.candidate[i].distance = w.contacts.point_distance[kept]
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
        w.candidate[i].listed = False
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
            if not w.candidate[k].listed:
                p = w.candidate[k].point_b
                x = w.candidate[w.candidate[0].chosen].point_b - p
                y = w.candidate[w.candidate[i].chosen].point_b - p
                z = w.candidate[w.candidate[j].chosen].point_b - p
                u, v, t = nearest_weights(x, y, z)
                apart = x * u + y * v + z * t
                if dot(apart, apart) > most:
                    best, most = k, dot(apart, apart)
        choose(w, place, best)
    for k in range(5):
        if not w.candidate[k].listed:
            replace_nearest(w, k)


@ti.func
def choose(w: ti.template(), place, i):
    """Choose candidate i for a place."""
    w.candidate[place].chosen = i
    w.candidate[i].listed = True


@ti.func
def replace_nearest(w: ti.template(), left):
    """Let the candidate that is left take the place of the nearest chosen one, if it is deeper."""
    nearest, least = 0, broadcast(0.0)
    for place in range(4):
        apart = w.candidate[w.candidate[place].chosen].point_a - w.candidate[left].point_a
        if place == 0 or dot(apart, apart) < least:
            nearest, least = place, dot(apart, apart)
    if w.candidate[w.candidate[nearest].chosen].distance > w.candidate[left].distance:
        w.candidate[nearest].chosen = left
