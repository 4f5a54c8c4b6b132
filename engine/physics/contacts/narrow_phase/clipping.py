"""Clipping of a box's face by the rectangle of another one. See `box_box`."""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Mat3, Vec3
from ..scalars import component

ENLARGED = 1.0001
EPSILON = 1.2e-7
FLAT = 1e-6


@ti.func
def write_incident_corners(w: ti.template(), face, other, half):
    """Write CORNER of four candidates: the face of the other box that is most opposed; return its normal."""
    r = other.q.matrix()
    local = Mat3(face.axes.transposed(r.a), face.axes.transposed(r.b), face.axes.transposed(r.c))
    p = face.axes.transposed(other.p - face.origin)
    x, y, z = ti.abs(local.a.z), ti.abs(local.b.z), ti.abs(local.c.z)
    n, v, u = local.a.copy(), local.b * half.y, local.c * half.z
    reach = broadcast(0.0) + half.x
    if x < y or x < z:
        n, v, u, reach = local.b, local.a * half.x, local.c * half.z, half.y
        if y < z:
            n, v, u, reach = local.c, local.a * half.x, local.b * half.y, half.z
    if n.z < 0.0:
        n = n * -1.0
    centre = p + n * reach
    w.candidate[0].corner = centre + (v + u)
    w.candidate[1].corner = centre + (v - u)
    w.candidate[2].corner = centre - (v + u)
    w.candidate[3].corner = centre - (v - u)
    return n


@ti.func
def write_candidate(w: ti.template(), count, on_face, on_other, depth):
    """Write a candidate in the frame of the reference face; return the number of candidates."""
    candidate = w.candidate[count]
    candidate.point_a = on_face
    candidate.point_b = on_other
    candidate.distance = depth
    return count + 1


@ti.func
def clip_face(w: ti.template(), face, other, half, distance):
    """Write the candidates of a reference face and another box, in the frame of the face; return their number."""
    normal = write_incident_corners(w, face, other, half)
    ex, ey, count = face.x * ENLARGED, face.y * ENLARGED, 0
    for i in range(4):
        p = w.candidate[i].corner
        deep = 0.0 - p.z < distance
        within = deep and ti.abs(p.x) <= ex and ti.abs(p.y) <= ey
        w.candidate[i].deep = ti.select(deep, 1.0, 0.0)
        w.candidate[i].within = ti.select(within, 1.0, 0.0)
        if within:
            count = write_candidate(w, count, Vec3(p.x, p.y, 0.0), p, 0.0 - p.z)
    if count < 4:
        for i in range(4):
            x, y = ex * (1.0 - 2.0 * (i // 2)), ey * (1.0 - 2.0 * (i % 2))
            if over_incident_face(w, x, y):
                start = w.candidate[0].corner
                depth = normal.dot(start - Vec3(x, y, 0.0)) / normal.z
                if 0.0 - depth < distance:
                    count = write_candidate(w, count, Vec3(x, y, 0.0), Vec3(x, y, depth), 0.0 - depth)
        for i in range(4):
            j = (i + 3) % 4
            if w.candidate[i].deep + w.candidate[j].deep > 0.0 and w.candidate[i].within * w.candidate[j].within == 0.0:
                count = clip_edge(w, count, i, j, Vec3(ex, ey, distance + EPSILON))
    return count


@ti.func
def over_incident_face(w: ti.template(), x, y):
    """Return whether a point of the reference plane is over the incident face."""
    first = w.candidate[0].corner
    low_x, high_x, low_y, high_y = first.x + 0.0, first.x + 0.0, first.y + 0.0, first.y + 0.0
    inside = False
    for i in range(4):
        a, b = w.candidate[i].corner, w.candidate[(i + 3) % 4].corner
        low_x, high_x, low_y, high_y = ti.min(low_x, a.x), ti.max(high_x, a.x), ti.min(low_y, a.y), ti.max(high_y, a.y)
        if (a.y > y) != (b.y > y):
            if x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x:
                inside = not inside
    return inside and x >= low_x and x <= high_x and y >= low_y and y <= high_y


@ti.func
def clip_edge(w: ti.template(), count, i, j, bound):
    """Write the crossings of the incident edge from corner i to corner j with the sides; return the number then."""
    p, q = w.candidate[i].corner, w.candidate[j].corner
    d, crosses = q - p, True
    start, end = broadcast(0.0), broadcast(1.0)
    for axis in ti.static(range(3)):
        origin, along, most = component(p, axis), component(d, axis), component(bound, axis)
        high = most if axis < 2 else 1e30
        if ti.abs(along) < FLAT:
            if origin > high or origin < 0.0 - most:
                crosses = False
        else:
            one, two = (high - origin) / along, (0.0 - most - origin) / along
            start, end = ti.max(start, ti.min(one, two)), ti.min(end, ti.max(one, two))
    total = count
    if crosses and start <= end and start <= 1.0:
        if w.candidate[i].within == 0.0:
            at = p + d * start
            total = write_candidate(w, total, Vec3(at.x, at.y, 0.0), at, 0.0 - at.z)
        if w.candidate[j].within == 0.0:
            at = p + d * end
            total = write_candidate(w, total, Vec3(at.x, at.y, 0.0), at, 0.0 - at.z)
    return total
