"""Contact points with a plane, whose normal n is the x axis of its frame.

    capsule: both ends      box: its corners below the contact distance, put on the plane
    hull: the vertices of the face that is most opposed to n
    cylinder, cone: standing on a disc four points on the rim, 90° apart; lying the two ends of a line; else one

PhysX looks for a hull's most opposed edge, too, and where it is more opposed than the face takes the better one of its
faces twice. Nothing of a cylinder or cone is kept from step to step. Its x axis is its own, r its radius, H half its
height, d = −n in its frame. The point of support is that of the rim, or the tip of a cone. Every point is put half way
between the surface and the plane.
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Vec3
from .. import simd
from ..broad_phase.speculation import contact_distance
from ..kinds import CAPSULE, CONE
from ..pose import collider_pose
from ..scalars import unit_by_reciprocal
from .contact_points import add_contact
from .convex_core.cores import place_core, turned, turned_back
from .hull_faces import unscaled
from .manifold import forget_points, keep_pose, store_point
from .reduction import choose_clustered

EDGE_BIAS = 5e-4
"""Margin of the cosine by which an edge must be more opposed to the plane than a face."""
STANDING = 0.99
LYING = 0.14


@ti.func
def remake_points(w: ti.template(), g):
    """Make the points of the manifold of a capsule or box on a plane anew."""
    m, a = w.slot[g].manifold, w.slot[g].collider_a
    one, two = collider_pose(w, a), collider_pose(w, w.slot[g].collider_b)
    pose = one.within(two)
    keep_pose(w, m, pose, one.q, two.q)
    if w.collider[a].shape == CAPSULE:
        make_capsule_ends(w, g, pose)
    else:
        count = write_box_corners(w, g, pose)
        forget_points(w, m)
        choose_clustered(w, m, count)


@ti.func
def make_capsule_ends(w: ti.template(), g, pose):
    """Make the points of the manifold of a capsule on a plane: those of its ends."""
    m, size = w.slot[g].manifold, w.param.collider_size[w.slot[g].collider_a]
    forget_points(w, m)
    half = simd.x_axis(pose.q) * size.y
    for end in range(2):
        centre = pose.p + half * (1.0 - 2.0 * end)
        if centre.x < size.x + contact_distance(w, g):
            store_point(w, m, pose.unapply(centre), Vec3(0.0, centre.y, centre.z), Vec3(1.0, 0.0, 0.0), centre.x)


@ti.func
def write_corner(w: ti.template(), g, placement, corner, count):
    """Write a corner as a candidate, put on the plane, if it is below the contact distance; return their number."""
    there, total = placement.apply(corner), count
    if there.x < contact_distance(w, g):
        below, up = Vec3(0.0, there.y, there.z), Vec3(1.0, 0.0, 0.0)
        total = w.candidate.push(count, point_a=corner, point_b=below, normal=up, distance=there.x)
    return total


@ti.func
def write_box_corners(w: ti.template(), g, pose):
    """Write the corners of a box as candidates; return their number."""
    half, count, axes = w.param.collider_size[w.slot[g].collider_a], 0, pose.q.columns()
    for i in range(8):
        corner = Vec3(
            half.x * (1.0 - 2.0 * (i // 4)), half.y * (1.0 - 2.0 * (i // 2 % 2)), half.z * (1.0 - 2.0 * (i % 2))
        )
        x, y, z = axes.a * corner.x, axes.b * corner.y, axes.c * corner.z
        height, there = (z.x + (x.x + y.x)) + pose.p.x, (x + y + z) + pose.p
        if height < contact_distance(w, g):
            below, up = Vec3(there.x - height, there.y, there.z), Vec3(1.0, 0.0, 0.0)
            count = w.candidate.push(count, point_a=corner, point_b=below, normal=up, distance=height)
    return count


@ti.func
def write_face_corners(w: ti.template(), g, pose):
    """Write the vertices of the face of a hull that is most opposed to the plane as candidates; return their number."""
    placement, hull = pose.placed(), w.hull[w.collider[w.slot[g].collider_a].hull]
    scale, seen = (
        w.param.hull_scale[w.collider[w.slot[g].collider_a].hull],
        simd.transposed(placement.axes, Vec3(1.0, 0.0, 0.0)),
    )
    up = simd.unit(unscaled(scale, seen), seen)
    face, lowest = hull.face, broadcast(2.0)
    for f in range(hull.face, hull.face_end):
        along = simd.dot(w.param.unscaled_normal[f], up)
        if along < lowest:
            face, lowest = f, along
    edge, most = -1, (lowest - EDGE_BIAS) * (lowest - EDGE_BIAS)
    for e in range(hull.edge, hull.edge_end):
        normal = w.param.unscaled_normal[w.hull_edge[e].face0] + w.param.unscaled_normal[w.hull_edge[e].face1]
        along, squared = 0.0 - simd.dot(normal, up), simd.dot(normal, normal)
        if along >= 0.0 and along * along > most * squared:
            edge, most = e, along * along / squared
    rounds = 1
    if edge >= 0:
        rounds, face = 2, w.hull_edge[edge].face0
        other = w.hull_edge[edge].face1
        if simd.dot(w.param.unscaled_normal[other], up) < simd.dot(w.param.unscaled_normal[face], up):
            face = other
    count, first, end = 0, w.hull_face[face].corner, w.hull_face[face].corner_end
    for i in range(rounds * (end - first)):
        corner = w.param.vertex[w.hull_corner[first + i % (end - first)].vertex]
        count = write_corner(w, g, placement, corner, count)
    return count


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
        outward = unit_by_reciprocal(Vec3(0.0, d.y, d.z), outward)
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
    if (turned(shape.q, first) + shape.p - plane.p).dot(n) < contact_distance(w, g):
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
