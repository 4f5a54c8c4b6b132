"""Axis along which a sphere or capsule and a box or hull overlap least.

Candidates are the normals of the faces and, of a capsule, the directions across its axis and an edge.
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Vec3
from ..kinds import CAPSULE
from ..scalars import FLOAT_EPSILON


@ti.func
def axis_of_least_overlap(w: ti.template(), g, pose):
    """Return whether the shapes of pair g are near, and the axis, from B to A in the frame of B."""
    a, hull = w.slot[g].collider_a, w.hull[w.collider[w.slot[g].collider_b].hull]
    half = pose.q.rotate(Vec3(1.0, 0.0, 0.0)) * w.param.collider_size[a].y
    capsule, near = w.collider[a].shape == CAPSULE, True
    axis, least = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0)), broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        n = w.param.face_normal[f].copy()
        together, overlap = overlap_along(w, g, pose.p, half * ti.select(capsule, 1.0, broadcast(0.0)), n)
        near = near and together
        if overlap < least:
            axis, least = n, overlap
    if capsule:
        for f in range(hull.face, hull.face_end):
            first, end = w.hull_face[f].corner, w.hull_face[f].corner_end
            for i in range(first, end):
                before = i - 1
                if i == first:
                    before = end - 1
                edge = w.param.vertex[w.hull_corner[before].vertex] - w.param.vertex[w.hull_corner[i].vertex]
                n = (half * -2.0).cross(edge)
                squared = n.dot(n)
                if squared >= FLOAT_EPSILON:
                    n = n * (1.0 / ti.sqrt(squared))
                    together, overlap = overlap_along(w, g, pose.p, half, n)
                    near = near and together
                    if overlap < least:
                        axis, least = n, overlap
    return near, axis


@ti.func
def overlap_along(w: ti.template(), g, p, half, n):
    """Return whether pair g is near along n, and how far shape A, the axis p ± half, reaches into B from there."""
    hull, distance = w.hull[w.collider[w.slot[g].collider_b].hull], w.param.contact_distance[w.slot[g].pair]
    reach = ti.abs(half.dot(n)) + w.param.collider_size[w.slot[g].collider_a].x
    low, high = broadcast(1e30), broadcast(-1e30)
    for v in range(hull.vertex, hull.vertex_end):
        along = w.param.vertex[v].dot(n)
        low, high = ti.min(low, along), ti.max(high, along)
    least, most = p.dot(n) - reach, p.dot(n) + reach
    return least <= high + distance and low <= most + distance, high - least
