"""Clipping of a face of a hull by a face of another one. See `polyhedra`."""

import taichi as ti

from ...spatial import Vec3
from .hull_faces import face_axes, within_polygon


@ti.func
def clip_face_of_hull(w: ti.template(), pose, reference, incident, distance):
    """Write the candidates of two faces; return their number.

    `pose` is that of the incident hull in the frame of the reference one. POINT_A is in the frame of the incident hull,
    POINT_B in that of the reference hull.
    """
    n = w.param.face_normal[reference]
    axes = face_axes(n)
    clips, clipped = load_faces(w, pose, axes, reference, incident)
    height, count = w.candidate[0].outline.z + 0.0, 0
    for i in range(clipped):
        p = w.candidate[i].corner
        if p.z - height < distance and within_polygon(w, True, clips, p.x, p.y):
            count = write_clipped(w, count, pose, axes, (p.x, p.y, p.z, height))
    if count < clipped:
        count = write_reference_corners(w, (pose, axes), incident, (clips, clipped, count), distance)
    return count


@ti.func
def load_faces(w: ti.template(), pose, axes, reference, incident):
    """Write the corners of both faces, OUTLINE and CORNER, in the axes of the reference face; return their numbers."""
    first, start = w.hull_face[reference].corner, w.hull_face[incident].corner
    clips, clipped = w.hull_face[reference].corner_end - first, w.hull_face[incident].corner_end - start
    for i in range(clips):
        w.candidate[i].outline = axes.apply(w.param.vertex[w.hull_corner[first + i].vertex])
    for i in range(clipped):
        w.candidate[i].corner = axes.apply(pose.apply(w.param.vertex[w.hull_corner[start + i].vertex]))
    return clips, clipped


@ti.func
def write_clipped(w: ti.template(), count, pose, axes, point):
    """Write a point (x, y, z) of the incident face over the height of the reference face; return their number."""
    x, y, z, height = point
    w.candidate[count].point_a = pose.unapply(axes.transposed(Vec3(x, y, z)))
    w.candidate[count].point_b = axes.transposed(Vec3(x, y, height))
    w.candidate[count].distance = z - height
    return count + 1


@ti.func
def write_reference_corners(w: ti.template(), frames, incident, counts, distance):
    """Write the reference corners over the incident face, and the crossings of edges; return their number."""
    pose, axes = frames
    clips, clipped, count = counts
    within, total = 0, count
    normal, height = axes.apply(pose.q.rotate(w.param.face_normal[incident])), w.candidate[0].outline.z + 0.0
    for i in range(clips):
        q = w.candidate[i].outline
        if within_polygon(w, False, clipped, q.x, q.y):
            depth = normal.dot(w.candidate[0].corner - q) / normal.z
            if depth <= distance:
                within += 1
                total = write_clipped(w, total, pose, axes, (q.x, q.y, q.z + depth, height))
    if within < clips:
        for i in range(clipped):
            for k in range(clips):
                total = write_crossing(w, total, frames, (i, clipped, k, clips), (height, distance))
    return total


@ti.func
def area(a, b, c):
    """Return twice the area of a triangle in the plane."""
    return (a.x - c.x) * (b.y - c.y) - (a.y - c.y) * (b.x - c.x)


@ti.func
def write_crossing(w: ti.template(), count, frames, edges, lengths):
    """Write the crossing of an edge of the incident face with one of the reference face; return their number."""
    pose, axes = frames
    i, clipped, k, clips = edges
    height, distance = lengths
    a, b = w.candidate[i].corner, w.candidate[(i + clipped - 1) % clipped].corner
    p, q = w.candidate[k].outline, w.candidate[(k + clips - 1) % clips].outline
    total = count
    if a.z - height < distance or b.z - height < distance:
        one, two = area(p, q, a), area(p, q, b)
        if one * two < 0.0 and area(a, b, p) * area(a, b, q) < 0.0:
            x = a - (b - a) * (one / (two - one))
            if x.z - height <= distance:
                total = write_clipped(w, count, pose, axes, (x.x, x.y, x.z, height))
    return total
