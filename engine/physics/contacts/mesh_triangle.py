"""Contact points of one lane at a triangle of a mesh: candidates in the frame of the mesh.

POINT_A is on the core of the shape, POINT_B on the mesh; WITHIN is the vertex of the shape that it belongs to. CORNER
are the two vertices of the mesh whose edge it is on, equal ones for a corner, -1 within a triangle; DEEP is 0 for a
dropped candidate. A normal that a vertex of the shape has already is not added: the nearer point stays.
"""

import taichi as ti

from ..lanes import broadcast
from ..spatial import Vec3
from .capsule import nearest_on_segments
from .scalars import unit
from .triangle import nearest_weights

ONE_NORMAL = 0.996
MOST = 24
FALLS_AWAY = 1e-4
"""Largest sine of the angle by which a triangle rises above the plane of contact at its edge or corner."""


@ti.func
def corners_of(w: ti.template(), t):
    """Return the corners of a triangle."""
    triangle = w.triangle[t]
    return w.param.vertex[triangle.vertex0], w.param.vertex[triangle.vertex1], w.param.vertex[triangle.vertex2]


@ti.func
def keep_candidate(w: ti.template(), count, points, owner, edge):
    """Add a candidate (A, B, normal, distance) of a vertex of the shape, or replace one; return their number."""
    a, b, n, d = points
    place, total = count, count
    for i in range(count):
        if w.candidate[i].within == 1.0 * owner and w.candidate[i].normal.dot(n) > ONE_NORMAL:
            place = i
            if w.candidate[i].distance <= d:
                place = -1
    if place == count:
        if count < MOST:
            total += 1
        else:
            place = -1
    if place >= 0:
        candidate = w.candidate[place]
        candidate.point_a = a
        candidate.point_b = b
        candidate.normal = n
        candidate.distance = d
        candidate.within = 1.0 * owner
        candidate.corner = Vec3(1.0 * edge[0], 1.0 * edge[1], 0.0)
        candidate.deep = 1.0
    return total


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
def place_point(w: ti.template(), t, c, reach, owner, count):
    """Add the point of a triangle nearest to a vertex c of a round core; return the number of candidates."""
    x, y, z = corners_of(w, t)
    n, total = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 0.0)), count
    if n.dot(n) > 0.0 and (c - x).dot(n) >= 0.0:
        u, v, s = nearest_weights(x - c, y - c, z - c)
        p = x * u + y * v + z * s
        d = (c - p).norm()
        if d < reach:
            one, two = edge_of(w, t, u, v, s)
            if one >= 0:
                n = unit(c - p, n)
            total = keep_candidate(w, count, (c, p, n, d), owner, (one, two))
    return total


@ti.func
def place_on_edges(w: ti.template(), g, t, pose, reach, count):
    """Add the points of a triangle's edges that the axis of a capsule passes over; return the number of candidates."""
    half = pose.q.rotate(Vec3(1.0, 0.0, 0.0)) * w.param.collider_size[w.slot[g].collider_a].y
    start, along, total, triangle = pose.p - half, half * 2.0, count, w.triangle[t]
    x, y, z = corners_of(w, t)
    n = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 0.0))
    for k in range(3):
        p, q, one, two = x.copy(), y.copy(), triangle.vertex0, triangle.vertex1
        if k == 1:
            p, q, one, two = y, z, triangle.vertex1, triangle.vertex2
        elif k == 2:
            p, q, one, two = z, x, triangle.vertex2, triangle.vertex0
        s, u = nearest_on_segments(start, along, p, q - p)
        a, b = start + along * s, p + (q - p) * u
        d = (a - b).norm()
        if s > 0.0 and s < 1.0 and u > 0.0 and u < 1.0 and d < reach and (a - b).dot(n) > 0.0:
            total = keep_candidate(w, total, (a, b, unit(a - b, n), d), 2, (one, two))
    return total


@ti.func
def drop_ridden_points(w: ti.template(), t, count):
    """Drop the candidates on an edge or corner of a triangle that rises above their plane of contact."""
    triangle = w.triangle[t]
    x, y, z = corners_of(w, t)
    for i in range(count):
        one, two = w.candidate[i].corner.x, w.candidate[i].corner.y
        first = one == triangle.vertex0 or one == triangle.vertex1 or one == triangle.vertex2
        second = two == triangle.vertex0 or two == triangle.vertex1 or two == triangle.vertex2
        if first and second:
            p, n = w.candidate[i].point_b, w.candidate[i].normal
            for k in range(3):
                v = x - p
                if k == 1:
                    v = y - p
                elif k == 2:
                    v = z - p
                if v.dot(n) > FALLS_AWAY * v.norm():
                    w.candidate[i].deep = 0.0


@ti.func
def place_vertex(w: ti.template(), g, t, c, depth, owner, count):
    """Add the point of a triangle over or below which a vertex c of a hull is; return the number of candidates."""
    x, y, z = corners_of(w, t)
    n, total = (y - x).cross(z - x), count
    a, b, e = n.dot((y - c).cross(z - c)), n.dot((z - c).cross(x - c)), n.dot((x - c).cross(y - c))
    if n.dot(n) > 0.0 and a >= 0.0 and b >= 0.0 and e >= 0.0:
        n = unit(n, n)
        d = (c - x).dot(n)
        if d < w.param.contact_distance[w.slot[g].pair] and d > 0.0 - depth:
            point = c - n * d
            total = keep_candidate(w, count, (point, point, n, d), owner, (-1, -1))
    return total


@ti.func
def place_edges_in_hull(w: ti.template(), g, t, pose, count):
    """Add the middle of what is in the hull of each edge of a triangle; return the number of candidates."""
    hull, distance = w.hull[w.collider[w.slot[g].collider_a].hull], w.param.contact_distance[w.slot[g].pair]
    x, y, z = corners_of(w, t)
    up, total = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 0.0)), count
    for k in range(3):
        p, q = pose.unapply(x), pose.unapply(y)
        if k == 1:
            p, q = pose.unapply(y), pose.unapply(z)
        elif k == 2:
            p, q = pose.unapply(z), pose.unapply(x)
        first, last = broadcast(0.0), broadcast(1.0)
        for f in range(hull.face, hull.face_end):
            slope = w.param.face_normal[f].dot(q - p)
            height = w.param.face_normal[f].dot(p) + w.param.face_offset[f] - distance
            if slope > 0.0:
                last = ti.min(last, 0.0 - height / slope)
            elif slope < 0.0:
                first = ti.max(first, 0.0 - height / slope)
            elif height > 0.0:
                last = broadcast(-1.0)
        if first < last:
            middle, face, most = p + (q - p) * (0.5 * (first + last)), hull.face, broadcast(-1e30)
            for f in range(hull.face, hull.face_end):
                d = w.param.face_normal[f].dot(middle) + w.param.face_offset[f]
                if d > most:
                    face, most = f, d
            n = pose.q.rotate(w.param.face_normal[face]) * -1.0
            if n.dot(up) > 0.5:  # the edge is that of the side from which the hull comes
                point = pose.apply(middle)
                total = keep_candidate(w, total, (point, point, n, most), 1000 + 3 * t + k, (-1, -1))
    return total
