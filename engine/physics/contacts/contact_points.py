"""Contact points of a pair in this step, in the order in which its rows are solved; of one lane."""

import taichi as ti

from ..lanes import broadcast
from ..spatial import Vec3
from .scalars import whole


@ti.func
def add_contact(w: ti.template(), g, point, normal, separation):
    """Add a contact point of pair g; the normal points from shape B to shape A."""
    count = whole(w.pair[g].point_count)
    i = w.pair[g].contact + count
    if i < w.pair[g].contact_end:
        side = normal.copy()
        if w.pair[g].reversed:
            side = normal * -1.0
        w.contact[i].point = point
        w.contact[i].normal = side
        w.contact[i].separation = separation
        w.pair[g].point_count = 1.0 * (count + 1)


@ti.func
def add_manifold_points(w: ti.template(), g, base):
    """Add the points of the pair's manifold below the contact distance; `base` is the pose of shape B.

    All have the mean of the points' normals.
    """
    m = w.pair[g].manifold
    count, normal = whole(w.contacts.manifold_count[m]), Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))
    for i in range(count):
        normal = normal + w.contacts.point_normal[4 * m + i]
    n = base.q.rotate(normal * (1.0 / ti.max(normal.norm(), 1e-30)))
    for i in range(count):
        point = 4 * m + i
        depth = w.contacts.point_distance[point]
        if depth <= w.param.contact_distance[g]:
            there = w.contacts.point_b[point]
            add_contact(w, g, base.apply(there), n, depth)
