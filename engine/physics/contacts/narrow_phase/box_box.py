"""Contact points between two boxes: the face of least overlap, clipped against the other box.

The boxes are apart if any of the 15 separating axes parts them by more than the contact distance. The reference face is
that of least overlap among the six face directions, the first of equals; the incident face is the one of the other box
most opposed to it. In the frame of the reference face, z points into its box:

    incident corners over the reference face; unless these are four, reference corners over the incident face and the
    crossings of incident edges with the sides of the reference face; each with its depth below the contact distance
"""

from itertools import product

import taichi as ti

from ...lanes import Struct, broadcast, traced
from ...spatial import Mat3, Vec3
from ..broad_phase.speculation import contact_distance
from ..scalars import FLOAT_EPSILON, component, component_of_rows
from ..simd import dot, transposed, unit
from .fast_reciprocal import fast_reciprocal

ENLARGED = 1.0001
FLAT = 1e-6
"""Lengths in stage units: beyond the contact distance; of an edge that is parallel to a side."""


class Face(Struct):
    """Reference face of a box: its frame in the world, and half its sides."""

    parts, types = ("axes", "origin", "x", "y"), (Mat3, Vec3, None, None)


@traced
def unit_axes(q):
    """Return the axes of a box, made unit: in single precision those of a quaternion are not."""
    axes = q.columns()
    return Mat3(*(unit(axis, axis) for axis in (axes.a, axes.b, axes.c)))


@traced
def turned_back(base, m):
    """Return the matrix baseᵀ m of two rotations."""
    return Mat3(base.transposed(m.a), base.transposed(m.b), base.transposed(m.c))


@traced
def extents(directions, half):
    """Return how far a box reaches along three directions, given by magnitudes in its frame."""
    return Vec3(*(d.x * half.x + (d.y * half.y + d.z * half.z) for d in directions))


@traced
def magnitudes(m):
    """Return the magnitudes of a rotation matrix, a little enlarged."""
    columns = (m.a, m.b, m.c)
    return Mat3(*(Vec3(ti.abs(c.x) + 1e-6, ti.abs(c.y) + 1e-6, ti.abs(c.z) + 1e-6) for c in columns))


@traced
def edges_part(r, q, halves, t, distance):
    """Return whether a cross product of two edges parts the boxes by more than a distance."""
    parts = False
    for i, j in product(range(3), range(3)):
        i1, i2, j1, j2 = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
        along = component(t, i2) * component_of_rows(r, i1, j) - component(t, i1) * component_of_rows(r, i2, j)
        reach = component(halves[0], i1) * component_of_rows(q, i2, j)
        reach = reach + component(halves[0], i2) * component_of_rows(q, i1, j)
        reach = reach + component(halves[1], j1) * component_of_rows(q, i, j2)
        reach = reach + component(halves[1], j2) * component_of_rows(q, i, j1)
        parts = (ti.abs(along) > reach + distance) | parts
    return parts


@traced
def face_overlap(reaches, offsets, i):
    """Return the overlap along face direction i, a Python number: 0-2 of box A, 3-5 of box B."""
    return component(reaches[i // 3], i % 3) - ti.abs(component(offsets[i // 3], i % 3))


@ti.func
def separating_face(w: ti.template(), g, one, two):
    """Return the face direction of least overlap, 0-2 of box A and 3-5 of box B; -1 for boxes further apart."""
    half0, half1 = w.param.collider_size[w.slot[g].collider_a], w.param.collider_size[w.slot[g].collider_b]
    distance = contact_distance(w, g)
    ra, rb = unit_axes(one.q), unit_axes(two.q)
    t = transposed(ra, two.p - one.p)
    r = turned_back(ra, rb)
    q = magnitudes(r)
    s, mine, other = transposed(r, t), half0 + extents(q.rows(), half1), half1 + extents((q.a, q.b, q.c), half0)
    best, overlap = -1, broadcast(0.0)
    for i in ti.static(range(6)):
        reach = face_overlap((mine, other), (t, s), i) + distance
        if i == 0 or reach < overlap:
            best, overlap = i, reach
    if overlap < 0.0:
        best = -1
    if edges_part(r, q, (half0, half1), t, distance):
        best = -1
    return best


@ti.func
def clip_boxes(w: ti.template(), g, one, two, direction):
    """Write the points of a reference face, in a direction of `separating_face`, as candidates; return their number."""
    half0, half1 = w.param.collider_size[w.slot[g].collider_a], w.param.collider_size[w.slot[g].collider_b]
    mine = direction < 3
    own, other, half, rest = one.copy(), two.copy(), half0.copy(), half1.copy()
    if not mine:
        own, other, half, rest = two, one, half1, half0
    axis = direction % 3
    r = unit_axes(own.q)
    towards = transposed(r, other.p - own.p)
    side = component(towards, 0)
    if axis == 1:
        side = component(towards, 1)
    elif axis == 2:
        side = component(towards, 2)
    inward = side <= 0.0  # the face lies on the negative side: its frame's z is the axis itself
    if not mine:
        inward = side < 0.0
    face = reference_face(r, own.p, half, axis, inward)
    normal = face.axes.c.copy()
    if not mine:
        normal = normal * -1.0
    count = clip_face(w, face, other, rest, contact_distance(w, g))
    r0, r1 = unit_axes(one.q), unit_axes(two.q)
    to_one = turned_back(r0, face.axes)
    to_two = turned_back(r1, face.axes)
    in_one, in_two = transposed(r0, face.origin - one.p), transposed(r1, face.origin - two.p)
    for i in range(count):
        candidate = w.candidate[i]
        first, second = candidate.point_a.copy(), candidate.point_b.copy()
        if not mine:
            first, second = candidate.point_b.copy(), candidate.point_a.copy()
        candidate.normal = to_two.apply(transposed(face.axes, normal))
        candidate.point_a = to_one.apply(first) + in_one
        candidate.point_b = to_two.apply(second) + in_two
    return count


@ti.func
def reference_face(r, centre, half, axis, inward):
    """Return the face of a box on the negative (`inward`) or positive side of an axis, z into the box."""
    x, y, z = r.a, r.b, r.c
    sign = ti.select(inward, 1.0, -1.0)
    face = Face(Mat3(z * (0.0 - sign), y, x * sign), centre - x * (sign * half.x), half.z, half.y)
    if axis == 1:
        face = Face(Mat3(x, z * (0.0 - sign), y * sign), centre - y * (sign * half.y), half.x, half.z)
    elif axis == 2:
        face = Face(Mat3(x, y * sign, z * sign), centre - z * (sign * half.z), half.x, half.y)
    return face


@ti.func
def write_incident_corners(w: ti.template(), face, other, half):
    """Write CORNER of four candidates: the face of the other box that is most opposed; return its normal."""
    r = unit_axes(other.q)
    local = turned_back(face.axes, r)
    p = transposed(face.axes, other.p - face.origin)
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
def clip_face(w: ti.template(), face, other, half, distance):
    """Write the candidates of a reference face, A, and another box in the frame of the face; return their number."""
    normal = write_incident_corners(w, face, other, half)
    ex, ey, count = face.x * ENLARGED, face.y * ENLARGED, 0
    for i in range(4):
        p = w.candidate[i].corner
        deep = 0.0 - p.z < distance
        within = deep and ti.abs(p.x) <= ex and ti.abs(p.y) <= ey
        w.candidate[i].near = deep
        w.candidate[i].within = within
        if within:
            count = w.candidate.push(count, point_a=Vec3(p.x, p.y, 0.0), point_b=p, distance=0.0 - p.z)
    if count < 4:
        for i in range(4):
            x, y = ex * (1.0 - 2.0 * (i // 2)), ey * (1.0 - 2.0 * (i % 2))
            if over_incident_face(w, x, y):
                start = w.candidate[0].corner
                depth = dot(normal, start - Vec3(x, y, 0.0)) / normal.z
                if 0.0 - depth < distance:
                    on_face, on_other = Vec3(x, y, 0.0), Vec3(x, y, depth)
                    count = w.candidate.push(count, point_a=on_face, point_b=on_other, distance=0.0 - depth)
        for i in range(4):
            j = (i + 3) % 4
            one, two = w.candidate[i], w.candidate[j]
            if (one.near or two.near) and not (one.within and two.within):
                count = clip_edge(w, count, i, j, Vec3(ex, ey, distance + FLOAT_EPSILON))
    return count


@ti.func
def over_incident_face(w: ti.template(), x, y):
    """Return whether a point of the reference plane is over the incident face."""
    first = w.candidate[0].corner
    low_x, high_x, low_y, high_y = first.x, first.x, first.y, first.y
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
            share = fast_reciprocal(w, along)
            one, two = (high - origin) * share, (0.0 - most - origin) * share
            start, end = ti.max(start, ti.min(one, two)), ti.min(end, ti.max(one, two))
    total = count
    if crosses and start <= end and start <= 1.0:
        if not w.candidate[i].within:
            at = p + d * start
            total = w.candidate.push(total, point_a=Vec3(at.x, at.y, 0.0), point_b=at, distance=0.0 - at.z)
        if not w.candidate[j].within:
            at = p + d * end
            total = w.candidate.push(total, point_a=Vec3(at.x, at.y, 0.0), point_b=at, distance=0.0 - at.z)
    return total
