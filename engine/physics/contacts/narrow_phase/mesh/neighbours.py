"""Test whether a contact with an edge or corner of a triangle is hidden by the triangles beside it.

    at an edge from p to q: the third corner r of the triangle beyond it has (r − q) · n > 0
    at a corner p: another end q of an edge at p has (q − p) · n > 0, as found by walking around p

Differences are unit vectors, and 0 is a little more. A contact within the face, or along its normal, is never hidden.
"""

import taichi as ti

from ....lanes import traced
from ...simd import dot, unit
from .mesh_triangle import corners_of

AT_EDGE = 1e-5
ALONG_NORMAL = 0.99
MOST_AROUND = 64
"""Most triangles that are visited around a corner."""


@traced
def vertex_of(w, t, i):
    """Return vertex i of a triangle, counted on beyond the third."""
    triangle = w.triangle[t]
    return ti.select(i % 3 == 0, triangle.vertex0, ti.select(i % 3 == 1, triangle.vertex1, triangle.vertex2))


@traced
def neighbour_of(w, t, i):
    """Return the triangle beyond edge i of a triangle, from vertex i to the next one; -1 for none."""
    triangle = w.triangle[t]
    return ti.select(i % 3 == 0, triangle.next0, ti.select(i % 3 == 1, triangle.next1, triangle.next2))


@ti.func
def rises(w: ti.template(), n, source, to):
    """Return whether the direction from one vertex to another rises along n."""
    d = w.param.vertex[to] - w.param.vertex[source]
    return dot(n, unit(d, d)) > AT_EDGE


@ti.func
def is_hidden(w: ti.template(), t, n, point):
    """Return whether a contact with normal n at a point of triangle t is hidden by another triangle."""
    x, y, z = corners_of(w, t)
    front, hidden = (y - x).cross(z - x), False
    if dot(unit(front, front), n) <= ALONG_NORMAL:
        u, v, s = weights_of(x, y, z, point)
        corner, edge = -1, -1
        if u > 1.0 - AT_EDGE:
            corner = 0
        elif v > 1.0 - AT_EDGE:
            corner = 1
        elif s > 1.0 - AT_EDGE:
            corner = 2
        elif u < AT_EDGE:
            edge = 1
        elif v < AT_EDGE:
            edge = 2
        elif s < AT_EDGE:
            edge = 0
        if corner >= 0:
            hidden = corner_is_hidden(w, t, n, corner)
        elif edge >= 0:
            one, two, other = vertex_of(w, t, edge), vertex_of(w, t, edge + 1), neighbour_of(w, t, edge)
            if other >= 0:
                for i in range(3):
                    if vertex_of(w, other, i) == two and vertex_of(w, other, i + 1) == one:
                        hidden = rises(w, n, one, vertex_of(w, other, i + 2))
    return hidden


@ti.func
def weights_of(x, y, z, point):
    """Return the weights of the corners of a triangle at a point of its plane."""
    u, v, p = y - x, z - x, point - x
    uu, uv, vv, pu, pv = dot(u, u), dot(u, v), dot(v, v), dot(p, u), dot(p, v)
    area = uu * vv - uv * uv
    second, third = (vv * pu - uv * pv) / area, (uu * pv - uv * pu) / area
    return 1.0 - second - third, second, third


@ti.func
def corner_is_hidden(w: ti.template(), t, n, corner):
    """Return whether an edge at a corner of triangle t rises along n, of the triangles around the corner."""
    vertex, at, steps, hidden = vertex_of(w, t, corner), neighbour_of(w, t, corner + 2), 0, False
    while at >= 0 and at != t and steps < MOST_AROUND and not hidden:
        place = -1
        for i in range(3):
            if place < 0 and vertex_of(w, at, i + 1) == vertex:
                place = i
        if place < 0:
            at = -1
        else:
            hidden = rises(w, n, vertex, vertex_of(w, at, place)) or rises(w, n, vertex, vertex_of(w, at, place + 2))
            at = neighbour_of(w, at, place)
        steps += 1
    return hidden
