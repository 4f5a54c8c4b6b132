"""Faces of hulls: the one that a point lies on, and faces as polygons in the plane of another one."""

import taichi as ti

from ...lanes import Struct, broadcast, traced
from ...spatial import Mat3, Vec3
from ..simd import dot, unit

ON_EDGE = 1.2e-7
"""Length in stage units within which a point is on an edge."""


class ClipFrame(Struct):
    """Axes of which z is the normal of the clipping polygon, its height along z, and the distance of what is near."""

    parts, types = ("axes", "height", "distance"), (Mat3, None, None)


class Edge(Struct):
    """Edge of a polygon, between two corners."""

    parts, types = ("a", "b"), (Vec3, Vec3)


@ti.func
def clipped_edge(w: ti.template(), i, corners):
    """Return the edge of the clipped polygon, which has so many corners, from corner i back to the one before."""
    return Edge(w.candidate[i].corner, w.candidate[(i + corners - 1) % corners].corner)


@ti.func
def clipping_edge(w: ti.template(), i, corners):
    """Return the edge of the clipping polygon, which has so many corners, from corner i back to the one before."""
    return Edge(w.candidate[i].outline, w.candidate[(i + corners - 1) % corners].outline)


@traced
def first_corner(w, face):
    """Return the first corner of a face."""
    return w.param.vertex[w.hull_corner[w.hull_face[face].corner].vertex]


@traced
def unit_normal(w, face):
    """Return the normal of a face, made unit: in single precision the stored one is not."""
    normal = w.param.face_normal[face]
    return unit(normal, normal)


@traced
def height_over(w, f, point):
    """Return the height of a point over the plane of face f, as it is before the hull is scaled.

    The point p is in the frame of the scaled hull. Before a scale S, its height over a face with unit normal N and
    offset D is N · S⁻¹ p + D. Normal and offset of the scaled face are S⁻¹ N and D over |S⁻¹ N| / |N|, the shrinkage.
    """
    return (dot(w.param.face_normal[f], point) + w.param.face_offset[f]) * w.param.face_shrinkage[f]


@ti.func
def face_at(w: ti.template(), c, n, point, tolerance):
    """Return the face of the hull of collider c most opposed to n, among those that a point in its frame lies on."""
    hull = w.hull[w.collider[c].hull]
    outermost, most, nearest, least = hull.face, broadcast(-1e30), -1, broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        d = height_over(w, f, point)
        if d > most:
            outermost, most = f, d
        if d >= 0.0 - tolerance and ti.abs(d) < least:
            nearest, least = f, ti.abs(d)
    best = nearest
    if nearest < 0:
        best = outermost
    else:
        opposed = dot(w.param.face_normal[nearest], n)
        for f in range(hull.face, hull.face_end):
            d = height_over(w, f, point)
            along = dot(w.param.face_normal[f], n)
            if f != nearest and d >= 0.0 - tolerance and ti.abs(d) < least + tolerance and along < opposed:
                best, opposed = f, along
    return best


@traced
def unscaled(scale, n):
    """Return the normal S n of a plane before its hull is scaled by S, from its normal n afterwards.

    Points p become S p, so that n · S p = S n · p. The length is not 1: only signs and comparisons matter.
    """
    return Vec3(n.x * scale.x, n.y * scale.y, n.z * scale.z)


@ti.func
def opposed_faces(w: ti.template(), c, n):
    """Return the face of the hull of collider c most opposed to a direction in its frame, and that beside it, or -1.

    An edge that is more opposed than the face makes the better of its two faces the face. Before the hull is scaled.
    """
    hull, direction = w.hull[w.collider[c].hull], unscaled(w.param.hull_scale[w.collider[c].hull], n)
    best, least = hull.face, broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        along = dot(w.param.unscaled_normal[f], direction)
        if along < least:
            best, least = f, along
    edge, beside, most, widest = -1, -1, least * least, broadcast(-10.0)
    for e in range(hull.edge, hull.edge_end):
        one, two = w.hull_edge[e].face0, w.hull_edge[e].face1
        normal = w.param.unscaled_normal[one] + w.param.unscaled_normal[two]
        along, squared = 0.0 - dot(normal, direction), dot(normal, normal)
        if (one == best or two == best) and along * along >= widest:
            widest, beside = along * along, one + two - best
        if along >= 0.0 and along * along > most * squared:
            edge, most = e, along * along / squared
    if edge >= 0:
        best, beside = w.hull_edge[edge].face1, w.hull_edge[edge].face0
        if dot(w.param.unscaled_normal[beside], direction) < dot(w.param.unscaled_normal[best], direction):
            best, beside = beside, best
    return best, beside


@ti.func
def face_axes(n):
    """Return a rotation whose z axis is n, as PhysX builds it."""
    e = n.z
    axes = Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    if ti.abs(e) < 0.9999:
        x, y, h = 0.0 - n.y, n.x, 1.0 / (1.0 + e)
        axes = Mat3(Vec3(e + h * x * x, h * x * y, 0.0 - y), Vec3(h * x * y, e + h * (y * y), x), Vec3(y, 0.0 - x, e))
        axes = Mat3(*axes.rows())
    else:  # two reflections: from z to y, then to n
        u, v = Vec3(0.0, 1.0, -1.0), Vec3(0.0 - n.x, 1.0 - n.y, 0.0 - n.z)
        c, d = broadcast(-1.0), -2.0 / ti.max(dot(v, v), 1e-30)
        k = c * (d * dot(u, v))
        axes.a = v * (d * v.x) + u * (k * v.x)
        axes.b = u * c + (v * (d * v.y) + u * (k * v.y))
        axes.c = u * (0.0 - c) + (v * (d * v.z) + u * (k * v.z))
        axes.a.x, axes.b.y, axes.c.z = axes.a.x + 1.0, axes.b.y + 1.0, axes.c.z + 1.0
    return axes


@ti.func
def within_polygon(w: ti.template(), outline, count, x, y):
    """Return whether a point is within a polygon of candidates: their OUTLINE, or else their CORNER."""
    low_x, high_x, low_y, high_y = x + 1.0, x - 1.0, y + 1.0, y - 1.0
    crossings, at_corner, close = 0, False, ON_EDGE
    for i in range(count):
        before = (i + count - 1) % count
        a, b = w.candidate[before].corner, w.candidate[i].corner
        if outline:
            a, b = w.candidate[before].outline, w.candidate[i].outline
        if i == 0:
            low_x, high_x, low_y, high_y = b.x, b.x, b.y, b.y
        low_x, high_x, low_y, high_y = ti.min(low_x, b.x), ti.max(high_x, b.x), ti.min(low_y, b.y), ti.max(high_y, b.y)
        if (x == a.x and y == a.y) or (x == b.x and y == b.y):
            at_corner = True
        if (a.y > y) != (b.y > y):
            dy = b.y - a.y
            left, right = (y - a.y) * (b.x - a.x) + (a.x + close) * dy, x * dy
            if (dy > 0.0 and left >= right) or (dy <= 0.0 and right >= left):
                crossings += 1
    near = x >= low_x - close and x <= high_x + close and y >= low_y - close and y <= high_y + close
    return near and (at_corner or crossings == 1)


@ti.func
def area(a, b, c):
    """Return twice the area of a triangle in the plane."""
    return (a.x - c.x) * (b.y - c.y) - (a.y - c.y) * (b.x - c.x)
