"""Vertices of the cores of convex shapes, and points of the difference A − B of two cores.

core: the centre of a sphere, the axis of a capsule, else the shape itself
"""

import taichi as ti

from ....lanes import broadcast, materialize, traced
from ....spatial import zero_vector
from ...kinds import BOX, CAPSULE, SPHERE
from ...simd import dot, transposed


@ti.func
def core_vertex(w: ti.template(), c, i):
    """Return vertex i of the core of collider c, in its frame."""
    shape, size = w.collider[c].shape, w.param.collider_size[c]
    vertex = zero_vector()
    if shape == CAPSULE:
        vertex.x = size.y * (1.0 - 2.0 * i)
    elif shape == BOX:
        vertex.x = size.x * (1.0 - 2.0 * (i // 4))
        vertex.y = size.y * (1.0 - 2.0 * (i // 2 % 2))
        vertex.z = size.z * (1.0 - 2.0 * (i % 2))
    elif shape != SPHERE:
        vertex = w.param.vertex[w.hull[w.collider[c].hull].vertex + i]
    return vertex


@ti.func
def farthest_vertex(w: ti.template(), c, d):
    """Return the vertex of the core of collider c that is farthest along d, in its frame.

    Of equals the first vertex of a hull, the end of a capsule at -x, the corner of a box at -x, -y, -z.
    """
    shape, best = w.collider[c].shape, 0
    if shape == CAPSULE:
        if d.x <= 0.0:
            best = 1
    elif shape == BOX:
        if d.x <= 0.0:
            best += 4
        if d.y <= 0.0:
            best += 2
        if d.z <= 0.0:
            best += 1
    elif shape != SPHERE:
        hull = w.hull[w.collider[c].hull]
        most = broadcast(-1e30)
        for i in range(hull.vertex, hull.vertex_end):
            along = dot(w.param.vertex[i], d)
            if along > most:
                best, most = i - hull.vertex, along
    return best


@ti.func
def add_support(w: ti.template(), g, placement, i, x):
    """Write support i: the point of A − B that is farthest along −x; `placement` is that of A in the frame of B."""
    for side in range(2):
        c, direction = w.slot[g].collider_a, transposed(placement.axes, x * -1.0)
        if side == 1:
            c, direction = w.slot[g].collider_b, x
        write_vertex(w, g, placement, i, side, farthest_vertex(w, c, direction))


@ti.func
def write_vertex(w: ti.template(), g, placement, i, side, vertex):
    """Write the vertex of side 0 (A) or 1 (B) of support i."""
    c = w.slot[g].collider_a
    if side == 1:
        c = w.slot[g].collider_b
    point = core_vertex(w, c, vertex)
    if side == 0:
        w.support[i].vertex_a = vertex
        w.support[i].point_a = placement.apply(point)
    else:
        w.support[i].vertex_b = vertex
        w.support[i].point_b = point


@traced
def difference(w, i):
    """Return the point a − b of support i."""
    return w.support[i].point_a - w.support[i].point_b


@traced
def copy_support(w, to, source):
    """Copy a support."""
    for name in ("vertex_a", "vertex_b", "point_a", "point_b"):
        w.support[to][name]._assign(materialize(w.support[source][name]))
