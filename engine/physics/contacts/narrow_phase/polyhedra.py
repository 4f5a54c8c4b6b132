"""Contact points between two polyhedra, a box or hull each: one face clipped by the other.

The faces are those at the nearest points; where these are doubtful, the face of least overlap and the one most opposed.
The reference face is the one more parallel to the normal. In axes of which z is its normal:

    incident corners over the reference face; unless these are all, reference corners over the incident face; unless
    these are all, crossings of edges; each nearer than the contact distance
"""

import taichi as ti

from ...lanes import broadcast, traced
from ...spatial import Vec3
from ..broad_phase.speculation import contact_distance
from ..simd import dot, transposed
from .hull_faces import (
    ClipFrame,
    area,
    clipped_edge,
    clipping_edge,
    face_at,
    face_axes,
    first_corner,
    opposed_faces,
    unit_normal,
    within_polygon,
)
from .manifold import face_tolerance


@ti.func
def clip_polyhedra(w: ti.template(), g, one, two, nearest, sound):
    """Write the points of two clipped faces as candidates; return their number, 0 if the shapes are apart."""
    a_in_b, b_in_a = one.within(two).placed(), two.within(one).placed()
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    on_a, on_b, n = nearest.on_a, nearest.on_b, nearest.normal
    face_a, face_b, of_b, apart = 0, 0, True, False
    if sound:
        local = transposed(a_in_b.axes, n)
        face_b = face_at(w, b, n * -1.0, on_b, face_tolerance(w, b))
        face_a = face_at(w, a, local, on_a, face_tolerance(w, a))
        of_b = ti.abs(dot(unit_normal(w, face_b), n)) >= ti.abs(dot(unit_normal(w, face_a), local))
    else:
        face, of_b = face_of_least_overlap(w, g, a_in_b, b_in_a)
        apart = face < 0
        if not apart:
            if of_b:
                face_b, face_a = face, opposed_faces(w, a, b_in_a.axes.apply(w.param.face_normal[face]))[0]
            else:
                face_a, face_b = face, opposed_faces(w, b, a_in_b.axes.apply(w.param.face_normal[face]))[0]
    count = 0
    if not apart:
        seen, reference, incident = b_in_a.copy(), face_b, face_a
        if not of_b:
            seen, reference, incident = a_in_b, face_a, face_b
        count = clip_face_of_hull(w, seen, reference, incident, contact_distance(w, g))
        normal = unit_normal(w, reference)
        if not of_b:
            normal = a_in_b.axes.apply(normal) * -1.0
        for i in range(count):
            candidate = w.candidate[i]
            candidate.normal = normal
            if not of_b:
                here, there = candidate.point_a, candidate.point_b
                candidate.point_a = there
                candidate.point_b = here
    return count


@ti.func
def face_of_least_overlap(w: ti.template(), g, a_in_b, b_in_a):
    """Return the face of either hull beyond which the other one reaches least, -1 if apart; whether B has it."""
    best, of_b, least, distance = -1, False, broadcast(1e30), contact_distance(w, g)
    apart = False
    for side in range(2):
        a, b = w.collider[w.slot[g].collider_a].hull, w.collider[w.slot[g].collider_b].hull
        if side == 1:
            a, b = b, a
        own, other = w.hull[a], w.hull[b]
        for f in range(own.face, own.face_end):
            n, offset = w.param.face_normal[f], w.param.face_offset[f]
            seen, shift = a_in_b.axes.apply(n), dot(b_in_a.p, n)  # a plane of A in the frame of B
            if side == 1:
                seen, shift = b_in_a.axes.apply(n), dot(a_in_b.p, n)
            low, high, inner = broadcast(1e30), broadcast(-1e30), broadcast(1e30)
            for v in range(other.vertex, other.vertex_end):
                along = dot(w.param.vertex[v], seen) + shift
                low, high = ti.min(low, along), ti.max(high, along)
            for v in range(own.vertex, own.vertex_end):
                inner = ti.min(inner, dot(w.param.vertex[v], n))
            if low > distance - offset or inner > high + distance:
                apart = True
            if 0.0 - offset - low < least:
                best, of_b, least = f, side == 1, 0.0 - offset - low
    if apart:
        best = -1
    return best, of_b


@ti.func
def clip_face_of_hull(w: ti.template(), placement, reference, incident, distance):
    """Write the candidates of two faces; return their number.

    `placement` is that of the reference hull in the frame of the incident one. POINT_A is in the frame of the incident
    hull, POINT_B in that of the reference hull. Corners of the incident face keep the bits of its vertices: they decide
    which of two equally far corners of a regular face stays.
    """
    axes = face_axes(unit_normal(w, reference))
    clips, clipped = load_faces(w, placement, axes, reference, incident)
    frame, count = ClipFrame(axes, w.candidate[0].outline.z, distance), 0
    for i in range(clipped):
        p = w.candidate[i].corner
        if p.z - frame.height < distance and within_polygon(w, True, clips, p.x, p.y):
            corner = w.hull_face[incident].corner + i
            count = write_clipped(w, count, placement, frame, p)
            w.candidate[count - 1].point_a = w.param.vertex[w.hull_corner[corner].vertex].copy()
    if count < clipped:
        count = write_reference_corners(w, placement, frame, reference, incident, clips, clipped, count)
    return count


@ti.func
def load_faces(w: ti.template(), placement, axes, reference, incident):
    """Write the corners of both faces, OUTLINE and CORNER, in the axes of the reference face; return their numbers."""
    first, start = w.hull_face[reference].corner, w.hull_face[incident].corner
    clips, clipped = w.hull_face[reference].corner_end - first, w.hull_face[incident].corner_end - start
    for i in range(clips):
        w.candidate[i].outline = axes.apply(w.param.vertex[w.hull_corner[first + i].vertex])
    for i in range(clipped):
        w.candidate[i].corner = axes.apply(placement.unapply(w.param.vertex[w.hull_corner[start + i].vertex]))
    return clips, clipped


@ti.func
def write_clipped(w: ti.template(), count, placement, frame, p):
    """Write a point of the incident face over the reference face as a candidate; return their number."""
    a, b = placement.apply(transposed(frame.axes, p)), transposed(frame.axes, Vec3(p.x, p.y, frame.height))
    return w.candidate.push(count, point_a=a, point_b=b, distance=p.z - frame.height)


@ti.func
def write_reference_corners(w: ti.template(), placement, frame, reference, incident, clips, clipped, count):
    """Write the reference corners over the incident face, and the crossings of edges; return their number."""
    within, total, normal = 0, count, unit_normal(w, incident)
    start, n = first_corner(w, incident), placement.axes.apply(unit_normal(w, reference))
    for i in range(clips):
        q = w.candidate[i].outline
        if within_polygon(w, False, clipped, q.x, q.y):
            corner = transposed(frame.axes, q)
            there = placement.apply(corner)
            depth = dot(normal, start - there) / dot(normal, n)
            if depth <= frame.distance:
                within += 1
                total = w.candidate.push(total, point_a=n * depth + there, point_b=corner, distance=depth)
    if within < clips:
        for i in range(clipped):
            for k in range(clips):
                total = write_crossing(
                    w, total, placement, frame, clipped_edge(w, i, clipped), clipping_edge(w, k, clips)
                )
    return total


@traced
def restored(p, height):
    """Return a point that was put on a plane z = height and moved back, which rounds."""
    return Vec3(p.x, p.y, (p.z - height) + height)


@ti.func
def write_crossing(w: ti.template(), count, placement, frame, clipped, clipping):
    """Write the crossing of an edge of the incident face with one of the reference face; return their number."""
    a, b = restored(clipped.a, frame.height), restored(clipped.b, frame.height)
    p, q, total = clipping.a, clipping.b, count
    if a.z - frame.height < frame.distance or b.z - frame.height < frame.distance:
        one, two = area(p, q, a), area(p, q, b)
        if one * two < 0.0 and area(a, b, p) * area(a, b, q) < 0.0:
            x = a - (b - a) * (one / (two - one))
            if x.z - frame.height <= frame.distance:
                total = write_clipped(w, count, placement, frame, x)
    return total
