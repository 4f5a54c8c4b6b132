"""Contact points of a box or hull with a triangle of a mesh, in the frame of the hull.

Of the axes along which they overlap, the least decides: the triangle's normal N, that of a face of the hull, or the
direction across an edge of the hull and a convex edge of the triangle. Axes are tried in this order.

    N:    the face most opposed to N and the next one are clipped by the triangle
    face: within 45° of -N it is clipped by the triangle, else the triangle is put aside
    edge: the triangle is clipped by the face most opposed to the axis
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3
from ...kinds import BOX
from ...scalars import FLOAT_EPSILON, largest_magnitude, unit
from .mesh_triangle import is_convex_edge
from .triangle_clipping import clip_triangle

PARALLEL_EDGES = 1e-6
MISSED, BY_TRIANGLE, BY_FACE, SIDEWAYS, BY_EDGE = -1, 0, 1, 2, 3
"""Manners in which a hull meets a triangle; BY_FACE and SIDEWAYS are by a face of the hull."""


@ti.func
def meet_triangle(w: ti.template(), g, triangle, corners):
    """Return the manner in which the hull meets a triangle with these corners, and the face of the hull."""
    x, y, z = corners
    hull, distance = w.hull[w.collider[w.slot[g].collider_a].hull], w.param.contact_distance[w.slot[g].pair]
    up = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 1.0))
    low, high = extent_along(w, hull, up)
    apart = low > up.dot(x) + distance or up.dot(x) > high + distance
    least, manner, axis = up.dot(x) - low - FLOAT_EPSILON, BY_TRIANGLE, up.copy()
    apart, face, overlap = least_overlap_of_faces(w, hull, corners, distance, apart)
    if least > overlap + FLOAT_EPSILON:
        manner, least = BY_FACE, overlap
        axis = w.param.face_normal[face].copy()
        if 0.0 - axis.dot(up) <= 0.707106781:
            manner = SIDEWAYS
    if w.triangle[triangle].convex > 0:
        for f in range(hull.face, hull.face_end):
            if not apart and w.param.face_normal[f].dot(up) <= 0.0:
                for i in range(3 * w.hull_face[f].corner, 3 * w.hull_face[f].corner_end):
                    v = direction_across_edges(w, f, i // 3, corners, i % 3)
                    crosses = largest_magnitude(v) >= PARALLEL_EDGES and v.dot(up) > 0.0
                    if not apart and crosses and is_convex_edge(w, triangle, (i + 2) % 3):
                        v = unit(v, up)
                        bottom, top = extent_of_triangle(corners, v)
                        low, high = extent_along(w, hull, v)
                        apart = low > top + distance or bottom > high + distance
                        if top - low < least:
                            manner, least, axis = BY_EDGE, top - low, v
                        if high - bottom < least:
                            manner, least, axis = BY_EDGE, high - bottom, v * -1.0
    if manner == BY_TRIANGLE or manner == BY_EDGE:
        face = opposed_faces(w, hull, axis)[0]
    if apart:
        manner = MISSED
    return manner, face


@ti.func
def least_overlap_of_faces(w: ti.template(), hull: ti.template(), corners, distance, parted):
    """Return whether a face parts the hull from a triangle, the face with the least overlap, and that overlap.

    Nothing is tried if they are `parted` already.
    """
    apart, face, overlap = parted, hull.face, broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        if not apart:
            n, offset = w.param.face_normal[f], w.param.face_offset[f]
            bottom, top = extent_of_triangle(corners, n)
            low = extent_along(w, hull, n)[0]
            apart = bottom > distance - offset or low > top + distance
            if 0.0 - offset - bottom < overlap:
                face, overlap = f, 0.0 - offset - bottom
    return apart, face, overlap


@ti.func
def direction_across_edges(w: ti.template(), f, corner, corners, k):
    """Return the product of the edge of face f that ends at a corner and edge k of a triangle: 0 is from z to x."""
    x, y, z = corners
    before = corner - 1
    if corner == w.hull_face[f].corner:
        before = w.hull_face[f].corner_end - 1
    side = z - x
    if k == 1:
        side = x - y
    elif k == 2:
        side = y - z
    here = w.param.vertex[w.hull_corner[corner].vertex]
    return (w.param.vertex[w.hull_corner[before].vertex] - here).cross(side)


@ti.func
def extent_of_triangle(corners, n):
    """Return the least and the largest coordinate of a triangle along n."""
    x, y, z = corners
    a, b, c = n.dot(x), n.dot(y), n.dot(z)
    return ti.min(ti.min(a, b), c), ti.max(ti.max(a, b), c)


@ti.func
def extent_along(w: ti.template(), hull: ti.template(), n):
    """Return the least and the largest coordinate of a hull along n."""
    low, high = broadcast(1e30), broadcast(-1e30)
    for i in range(hull.vertex, hull.vertex_end):
        along = w.param.vertex[i].dot(n)
        low, high = ti.min(low, along), ti.max(high, along)
    return low, high


@ti.func
def opposed_faces(w: ti.template(), hull: ti.template(), n):
    """Return the face of a hull most opposed to n, and the one at its most opposed edge, or -1.

    An edge that is more opposed than the face makes the better of its two faces the face.
    """
    best, least = hull.face, broadcast(2.0)
    for f in range(hull.face, hull.face_end):
        along = w.param.face_normal[f].dot(n)
        if along < least:
            best, least = f, along
    edge, beside, most, widest = -1, -1, least * least, broadcast(-10.0)
    for e in range(hull.edge, hull.edge_end):
        one, two = w.hull_edge[e].face0, w.hull_edge[e].face1
        normal = w.param.face_normal[one] + w.param.face_normal[two]
        along, squared = 0.0 - normal.dot(n), normal.dot(normal)
        if (one == best or two == best) and along * along >= widest:
            widest, beside = along * along, one + two - best
        if along >= 0.0 and along * along > most * squared:
            edge, most = e, along * along / squared
    if edge >= 0:
        best, beside = w.hull_edge[edge].face1, w.hull_edge[edge].face0
        if w.param.face_normal[beside].dot(n) < w.param.face_normal[best].dot(n):
            best, beside = beside, best
    return best, beside


@ti.func
def hull_points(w: ti.template(), g, manner, face, corners, count):
    """Append the candidates of a hull on a triangle; return their number and the normal from the mesh to the hull."""
    a, distance = w.slot[g].collider_a, w.param.contact_distance[w.slot[g].pair] + 0.0
    x, y, z = corners
    up = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 1.0))
    by_triangle, rounds, other, total = manner == BY_TRIANGLE or manner == BY_FACE, 1, -1, count
    if manner == BY_TRIANGLE and w.collider[a].shape != BOX:
        _best, other = opposed_faces(w, w.hull[w.collider[a].hull], up)
        if other >= 0:
            rounds = 2
    for k in range(rounds):
        total = clip_triangle(w, by_triangle, ti.select(k == 0, face, other), (x, y, z, up), distance, total)
    normal = up.copy()
    if not by_triangle:
        normal = w.param.face_normal[face] * -1.0
    return total, normal
