"""Contact points of one lane of a capsule, box or hull on a triangle mesh; nothing is kept from step to step.

    ends of a capsule: nearest points of triangles           axis of a capsule: nearest points of edges
    vertices of a box or hull: over or below a triangle      edges within a box or hull: the middle of what is inside

Triangles have one side. A point on an edge or corner counts only if the triangles there fall away from its normal. Four
points stay: the deepest one, then always the one farthest from the others. The tree of bounding boxes is walked without
a stack: a box that is not met skips all that it contains.
"""

import taichi as ti

from ..lanes import broadcast
from ..spatial import Vec3
from .contact_points import add_contact
from .kinds import CAPSULE
from .mesh_triangle import drop_ridden_points, place_edges_in_hull, place_on_edges, place_point, place_vertex
from .scalars import least
from .shape_sizes import inner_sides
from .support import core_vertex

MOST_POINTS = 4


@ti.func
def shape_on_mesh(w: ti.template(), g, one, two):
    """Add the points of a shape on a mesh."""
    a, pose = w.slot[g].collider_a, one.within(two)
    shape, radius, reach = w.collider[a].shape, broadcast(0.0), w.param.contact_distance[w.slot[g].pair] + 0.0
    rounds, vertices = shape == CAPSULE, 2
    if rounds:
        radius = w.param.collider_size[a].x
        reach = reach + radius
    else:
        vertices = w.hull[w.collider[a].hull].vertex_end - w.hull[w.collider[a].hull].vertex
        reach = ti.max(reach, least(inner_sides(w, a)))
    count = 0
    for part in range(vertices + 2):  # vertices of the core, then the rest of it, then what is to be dropped
        middle, half = pose.p.copy(), Vec3(reach, reach, reach)
        if part < vertices:
            middle = pose.apply(vertex_of(w, a, part, rounds))
        else:
            half = box_of_shape(w, g, two)
            middle = two.unapply((w.collider[a].low + w.collider[a].high) * 0.5)
        root = w.collider[w.slot[g].collider_b].tree
        i, end = root, w.bound[root].skip
        while i < end:
            step = w.bound[i].skip
            if meets(middle, half, w.param.bound_low[i], w.param.bound_high[i]):
                for t in range(w.bound[i].triangle, w.bound[i].triangle_end):
                    if part < vertices:
                        if rounds:
                            count = place_point(w, t, middle, reach, part, count)
                        else:
                            count = place_vertex(w, g, t, middle, reach, part, count)
                    elif part == vertices:
                        if rounds:
                            count = place_on_edges(w, g, t, pose, reach, count)
                        else:
                            count = place_edges_in_hull(w, g, t, pose, count)
                    elif rounds:
                        drop_ridden_points(w, t, count)
                step = i + 1
            i = step
    add_chosen(w, g, two, count, radius)


@ti.func
def vertex_of(w: ti.template(), c, i, rounds):
    """Return vertex i of the core of a capsule, or of the hull of another shape."""
    vertex = core_vertex(w, c, i)
    if not rounds:
        vertex = w.param.vertex[w.hull[w.collider[c].hull].vertex + i]
    return vertex


@ti.func
def box_of_shape(w: ti.template(), g, mesh):
    """Return half the sides of the box along the mesh's axes around the shape's bounding box."""
    a, grown = w.slot[g].collider_a, w.param.contact_distance[w.slot[g].pair]
    half, r = (w.collider[a].high - w.collider[a].low) * 0.5, mesh.q.matrix()
    return Vec3(
        ti.abs(r.a.x) * half.x + ti.abs(r.a.y) * half.y + ti.abs(r.a.z) * half.z + grown,
        ti.abs(r.b.x) * half.x + ti.abs(r.b.y) * half.y + ti.abs(r.b.z) * half.z + grown,
        ti.abs(r.c.x) * half.x + ti.abs(r.c.y) * half.y + ti.abs(r.c.z) * half.z + grown,
    )


@ti.func
def meets(middle, half, low, high):
    """Return whether two boxes along the same axes overlap."""
    x = middle.x - half.x <= high.x and middle.x + half.x >= low.x
    y = middle.y - half.y <= high.y and middle.y + half.y >= low.y
    return x and y and middle.z - half.z <= high.z and middle.z + half.z >= low.z


@ti.func
def add_chosen(w: ti.template(), g, mesh, count, radius):
    """Add up to four candidates: the deepest, then those farthest from the others."""
    for i in range(count):
        w.candidate[i].chosen = 1e30  # squared distance from the nearest one that was added
    for place in range(MOST_POINTS):
        best, most = -1, broadcast(0.0)
        for i in range(count):
            far = w.candidate[i].chosen + 0.0
            if place == 0:
                far = 1e10 - w.candidate[i].distance
            if (
                w.candidate[i].deep > 0.0
                and w.candidate[i].distance - radius < w.param.contact_distance[w.slot[g].pair]
                and far > most
            ):
                best, most = i, far
        if best >= 0:
            n, d = mesh.q.rotate(w.candidate[best].normal), w.candidate[best].distance + 0.0
            w.candidate[best].deep = 0.0
            add_contact(w, g, mesh.apply(w.candidate[best].point_a) - n * radius, n, d - radius)
            for i in range(count):
                apart = w.candidate[i].point_a - w.candidate[best].point_a
                w.candidate[i].chosen = ti.min(w.candidate[i].chosen, apart.dot(apart))
