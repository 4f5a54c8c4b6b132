"""Contact points of one lane with a plane, whose normal n is the x axis of its frame.

sphere: c − r n      capsule: both ends      box: its corners below the contact distance, put on the plane
"""

import taichi as ti

from ..spatial import Vec3
from .contact_points import add_contact, add_manifold_points
from .manifold import forget_points, keep_pose, refresh, store_point
from .reduction import choose_clustered
from .scalars import largest_magnitude, least, quaternion_dot, whole

TURNED = 0.99996


@ti.func
def sphere_on_plane(w: ti.template(), g, sphere, plane):
    """Add the point of a sphere on a plane."""
    n = plane.q.rotate(Vec3(1.0, 0.0, 0.0))
    r = w.param.collider_size[w.pair[g].collider_a].x
    separation = (sphere.p - plane.p).dot(n) - r
    if separation <= w.param.contact_distance[g]:
        add_contact(w, g, sphere.p - n * r, n, separation)


@ti.func
def moved_on_plane(w: ti.template(), m, pose, length):
    """Return whether a shape moved by more than a length along an axis, or turned, since its points were made."""
    there = w.contacts.manifold_position[m]
    moved = w.contacts.manifold_made[m] == 0.0
    if largest_magnitude(pose.p - there) > length:
        moved = True
    if quaternion_dot(pose.q, w.contacts.manifold_rotation[m]) < TURNED:
        moved = True
    return moved


@ti.func
def capsule_on_plane(w: ti.template(), g, capsule, plane):
    """Add the points of a capsule on a plane: those of its ends."""
    m, size = w.pair[g].manifold, w.param.collider_size[w.pair[g].collider_a]
    r, distance = size.x, w.param.contact_distance[g]
    pose, n = capsule.within(plane), plane.q.rotate(Vec3(1.0, 0.0, 0.0))
    lost = refresh(w, m, pose, 0.05 * r)
    if lost or moved_on_plane(w, m, pose, 0.02 * r):
        keep_pose(w, m, pose, capsule.q, plane.q)
        forget_points(w, m)
        up = Vec3(1.0, 0.0, 0.0)
        for end in range(2):
            here = Vec3((1.0 - 2.0 * end) * size.y, 0.0, 0.0)
            centre = pose.apply(here)
            if centre.x < r + distance:
                store_point(w, m, here, Vec3(0.0, centre.y, centre.z), up, centre.x)
    for i in range(whole(w.contacts.manifold_count[m])):
        point = 4 * m + i
        depth = w.contacts.point_distance[point] - r
        if depth <= distance:
            here = w.contacts.point_a[point]
            add_contact(w, g, capsule.apply(here) - n * r, n, depth)


@ti.func
def box_on_plane(w: ti.template(), g, box, plane):
    """Add the points of a box on a plane: corners below the contact distance, of more than four the chosen ones."""
    m, half = w.pair[g].manifold, w.param.collider_size[w.pair[g].collider_a]
    margin, distance = 0.15 * ti.min(least(half), 1.0), w.param.contact_distance[g]
    pose = box.within(plane)
    lost = refresh(w, m, pose, 0.2 * margin)
    if lost or moved_on_plane(w, m, pose, 0.2 * margin):
        keep_pose(w, m, pose, box.q, plane.q)
        count = 0
        for i in range(8):
            corner = Vec3(
                half.x * (1.0 - 2.0 * (i // 4)), half.y * (1.0 - 2.0 * (i // 2 % 2)), half.z * (1.0 - 2.0 * (i % 2))
            )
            there = pose.apply(corner)
            if there.x < distance:
                candidate = w.candidate[count]
                candidate.point_a = corner
                candidate.point_b = Vec3(0.0, there.y, there.z)
                candidate.normal = Vec3(1.0, 0.0, 0.0)
                candidate.distance = there.x
                count += 1
        choose_clustered(w, m, count)
    add_manifold_points(w, g, plane)
