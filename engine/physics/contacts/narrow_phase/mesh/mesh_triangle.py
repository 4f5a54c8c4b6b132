"""Triangles of a mesh: corners, edges, and overlap with a box."""

import taichi as ti

from ....lanes import broadcast, traced
from ....spatial import Vec3
from ...scalars import component
from ...simd import dot

ONE_NORMAL = 0.996


@ti.func
def corners_of(w: ti.template(), t):
    """Return the corners of a triangle."""
    triangle = w.triangle[t]
    return w.param.vertex[triangle.vertex0], w.param.vertex[triangle.vertex1], w.param.vertex[triangle.vertex2]


@ti.func
def edge_of(w: ti.template(), t, u, v, s):
    """Return the vertices of the edge on which a point of a triangle with these weights is.

    They are equal at a corner, and -1 within the triangle.
    """
    triangle, one, two = w.triangle[t], -1, -1
    if u == 0.0 or v == 0.0 or s == 0.0:
        one, two = triangle.vertex0, triangle.vertex1
        if u == 0.0:
            one = triangle.vertex2
        if v == 0.0:
            two = triangle.vertex2
        if u == 0.0 and v == 0.0:
            two = one
        elif u == 0.0 and s == 0.0:
            one = two
        elif v == 0.0 and s == 0.0:
            two = one
    return one, two


@ti.func
def is_convex_edge(w: ti.template(), t, edge):
    """Return whether an edge of a triangle is convex: 0 is from vertex 0 to 1, 2 from vertex 2 to 0."""
    return w.triangle[t].convex // ti.select(edge == 2, 4, edge + 1) % 2 == 1


@ti.func
def triangle_meets_box(x, y, z, half):
    """Return whether a triangle overlaps the box ± half, by all axes that may part them."""
    n = (y - x).cross(z - x)
    reach = ti.abs(n.x) * half.x + ti.abs(n.y) * half.y + ti.abs(n.z) * half.z
    meets = ti.abs(dot(n, x)) <= reach
    for axis in ti.static(range(3)):
        low = ti.min(ti.min(component(x, axis), component(y, axis)), component(z, axis))
        high = ti.max(ti.max(component(x, axis), component(y, axis)), component(z, axis))
        if low > component(half, axis) or high < 0.0 - component(half, axis):
            meets = False
    for k in range(3):
        if meets:  # one axis that parts them is enough, and few triangles come here
            edge = y - x
            if k == 1:
                edge = z - y
            elif k == 2:
                edge = x - z
            for axis in ti.static(range(3)):
                across = across_edge(edge, axis)
                a, b, c = dot(across, x), dot(across, y), dot(across, z)
                reach = ti.abs(across.x) * half.x + ti.abs(across.y) * half.y + ti.abs(across.z) * half.z
                if ti.min(ti.min(a, b), c) > reach or ti.max(ti.max(a, b), c) < 0.0 - reach:
                    meets = False
    return meets


@traced
def across_edge(edge, axis):
    """Return the direction across an edge and an axis of coordinates."""
    unit = [broadcast(0.0)] * 3
    unit[axis] = broadcast(1.0)
    return Vec3(*unit).cross(edge)
