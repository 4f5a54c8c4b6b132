"""Contact points between two polyhedra, a box or hull each: one face clipped by the other.

The faces are those at the nearest points; where these are doubtful, the face of least overlap and the one most opposed.
The reference face is the one more parallel to the normal. In axes of which z is its normal:

    incident corners over the reference face; unless these are all, reference corners over the incident face; unless
    these are all, crossings of edges; each nearer than the contact distance
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import Vec3
from ..pose import Pose
from .face_clipping import clip_face_of_hull
from .hull_faces import face_at, most_opposed_face
from .shape_sizes import face_tolerance


@ti.func
def clip_polyhedra(w: ti.template(), g, pose, nearest, sound):
    """Write the points of two clipped faces as candidates; return their number, 0 if the shapes are apart.

    `pose` is that of A in the frame of B, `nearest` the nearest points on A and B, the normal and the distance.
    """
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    on_a, on_b, n, _ = nearest
    face_a, face_b, of_b, apart = 0, 0, True, False
    if sound:
        local = pose.q.unrotate(n)
        face_b = face_at(w, b, n * -1.0, on_b, face_tolerance(w, b))
        face_a = face_at(w, a, local, on_a, face_tolerance(w, a))
        of_b = ti.abs(w.param.face_normal[face_b].dot(n)) >= ti.abs(w.param.face_normal[face_a].dot(local))
    else:
        face, of_b = face_of_least_overlap(w, g, pose)
        apart = face < 0
        if not apart:
            if of_b:
                face_b, face_a = face, most_opposed_face(w, a, pose.q.unrotate(w.param.face_normal[face]))
            else:
                face_a, face_b = face, most_opposed_face(w, b, pose.q.rotate(w.param.face_normal[face]))
    count = 0
    if not apart:
        seen, reference, incident = pose.copy(), face_b, face_a
        if not of_b:
            seen = Pose(pose.unapply(Vec3(0.0, 0.0, 0.0)), pose.q.conjugate())
            reference, incident = face_a, face_b
        count = clip_face_of_hull(w, seen, reference, incident, w.param.contact_distance[w.slot[g].pair])
        normal = w.param.face_normal[reference].copy()
        if not of_b:
            normal = pose.q.rotate(normal) * -1.0
        for i in range(count):
            candidate = w.candidate[i]
            candidate.normal = normal
            if not of_b:
                here, there = candidate.point_a.copy(), candidate.point_b.copy()
                candidate.point_a = there
                candidate.point_b = here
    return count


@ti.func
def face_of_least_overlap(w: ti.template(), g, pose):
    """Return the face of either hull beyond which the other one reaches least, -1 if apart; whether B has it."""
    best, of_b, least, distance = -1, False, broadcast(1e30), w.param.contact_distance[w.slot[g].pair]
    apart = False
    for side in range(2):
        a, b = w.collider[w.slot[g].collider_a].hull, w.collider[w.slot[g].collider_b].hull
        if side == 1:
            a, b = b, a
        own, other = w.hull[a], w.hull[b]
        for f in range(own.face, own.face_end):
            n, offset = w.param.face_normal[f], w.param.face_offset[f]
            seen, shift = pose.q.rotate(n), pose.p.dot(pose.q.rotate(n))  # a plane of A in the frame of B
            if side == 1:
                seen, shift = pose.q.unrotate(n), 0.0 - pose.p.dot(n)
            low, high, inner = broadcast(1e30), broadcast(-1e30), broadcast(1e30)
            for v in range(other.vertex, other.vertex_end):
                along = w.param.vertex[v].dot(seen) - shift
                low, high = ti.min(low, along), ti.max(high, along)
            for v in range(own.vertex, own.vertex_end):
                inner = ti.min(inner, w.param.vertex[v].dot(n))
            if low > distance - offset or inner > high + distance:
                apart = True
            if 0.0 - offset - low < least:
                best, of_b, least = f, side == 1, 0.0 - offset - low
    if apart:
        best = -1
    return best, of_b
