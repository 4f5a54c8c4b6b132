"""Contact points of a capsule, box or hull on a triangle mesh, kept while the shape hardly moves.

The points lie direction by direction, up to six in each of six, which are consecutive manifolds of the pair. They are
made anew when the shape moved by more than a share of its margin or turned; until then their distances follow, and what
drifts too far is removed.

    box, hull: moved 0.2 margin, drifted 0.8 margin      capsule: moved 0.02 r, drifted 0.05 r
"""

import taichi as ti

from .....tables.contacts import PATCHES_ON_MESH, POINTS_OF_DIRECTION
from ....lanes import broadcast
from ....spatial import Vec3
from ...kinds import CAPSULE
from ...scalars import largest_magnitude, quaternion_dot, unit, whole
from ..contact_points import add_contact
from ..manifold import POINTS, keep_pose, move_point
from ..shape_sizes import least_side
from .mesh_search import make_mesh_points

TURNED_ON_MESH = 0.9998
MARGIN_ON_MESH = 0.05  # [m], at most


@ti.func
def shape_on_mesh(w: ti.template(), g, one, two):
    """Add the points of a shape on a mesh."""
    m, a, pose = w.slot[g].manifold, w.slot[g].collider_a, one.within(two)
    capsule, radius = w.collider[a].shape == CAPSULE, broadcast(0.0)
    moved, drifted, replaced = broadcast(0.2), broadcast(0.8), broadcast(0.05)
    margin = broadcast(0.0)
    if capsule:
        radius = w.param.collider_size[a].x
        margin, moved, drifted, replaced = radius, broadcast(0.02), broadcast(0.05), broadcast(0.001)
    else:
        margin = ti.min(least_side(w, a, 0.15, 0.25, MARGIN_ON_MESH), MARGIN_ON_MESH)
    far = largest_magnitude(pose.p - w.contacts.manifold_position[m]) > moved * margin
    turned = quaternion_dot(pose.q, w.contacts.manifold_rotation[m]) < TURNED_ON_MESH
    if w.contacts.manifold_made[m] == 0.0 or far or turned:
        keep_pose(w, m, pose, one.q, two.q)
        make_mesh_points(w, g, pose, replaced * margin)
    else:
        refresh_directions(w, m, pose, drifted * margin)
    for k in range(PATCHES_ON_MESH):
        first, count = first_point(m, k), whole(w.contacts.manifold_count[m + k])
        n = two.q.rotate(mean_direction(w, m, k))
        for i in range(first, first + count):
            point = two.apply(w.contacts.point_b[i])
            if capsule:
                point = one.apply(w.contacts.point_a[i]) - n * radius
            add_contact(w, g, point, n, w.contacts.point_distance[i] - radius)


@ti.func
def first_point(m, k):
    """Return the first point of direction k of the pair whose first manifold is m."""
    return POINTS * m + POINTS_OF_DIRECTION * k


@ti.func
def mean_direction(w: ti.template(), m, k):
    """Return the direction of the sum of the normals of direction k, in the frame of the mesh."""
    normal, first = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), first_point(m, k)
    for i in range(first, first + whole(w.contacts.manifold_count[m + k])):
        normal = normal + w.contacts.point_normal[i]
    return unit(normal, Vec3(0.0, 0.0, 0.0))


@ti.func
def refresh_directions(w: ti.template(), m, pose, threshold):
    """Update the distances of all points and remove those that drifted; the last direction replaces an empty one."""
    for k in range(PATCHES_ON_MESH):
        first, count = first_point(m, k), whole(w.contacts.manifold_count[m + k])
        for back in range(POINTS_OF_DIRECTION):
            i = POINTS_OF_DIRECTION - 1 - back
            if i < count:
                there, n = w.contacts.point_b[first + i], w.contacts.point_normal[first + i]
                a = pose.apply(w.contacts.point_a[first + i])
                distance = (a - there).dot(n)
                drift = there - (a - n * distance)
                if drift.dot(drift) > threshold * threshold:
                    count -= 1
                    if i < count:
                        move_point(w, first + i, first + count)
                else:
                    w.contacts.point_distance[first + i] = distance
        w.contacts.manifold_count[m + k] = 1.0 * count
    for k in range(PATCHES_ON_MESH):
        for back in range(PATCHES_ON_MESH - 1 - k):
            last = PATCHES_ON_MESH - 1 - back
            count = whole(w.contacts.manifold_count[m + last])
            if w.contacts.manifold_count[m + k] == 0.0 and count > 0:
                for i in range(count):
                    move_point(w, first_point(m, k) + i, first_point(m, last) + i)
                w.contacts.manifold_count[m + k] = 1.0 * count
                w.contacts.manifold_count[m + last] = 0.0
