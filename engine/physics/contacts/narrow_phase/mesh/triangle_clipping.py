"""Clipping of a face of a hull by a triangle of a mesh, or of the triangle by the face.

In axes of which z is the normal of the clipping polygon: corners of the other one over it; unless these are all, its
corners over the other one; unless these are all, crossings of edges; each nearer than the contact distance. POINT_A is
on the hull and POINT_B on the mesh, both in the frame of the hull.
"""

import taichi as ti

from ....spatial import Vec3
from ..face_clipping import area
from ..hull_faces import face_axes, within_polygon

CLIPPED_ROOM = 80
"""Most candidates."""


@ti.func
def clip_triangle(w: ti.template(), by_triangle, face, triangle, distance, start):
    """Append the candidates of a triangle (x, y, z, normal) and a face of a hull; return the number of candidates."""
    x, y, z, up = triangle
    n, other = w.param.face_normal[face].copy(), up.copy()
    if by_triangle:
        n, other = up, w.param.face_normal[face]
    axes = face_axes(n)
    clips, clipped = load_polygons(w, axes, by_triangle, face, (x, y, z))
    height, count = w.candidate[0].outline.z + 0.0, start
    for i in range(clipped):
        p = w.candidate[i].corner.copy()
        if p.z < height + distance and within_polygon(w, True, clips, p.x, p.y):
            count = write_pair(w, count, by_triangle, axes, (Vec3(p.x, p.y, height), p))
    if count - start < clipped:
        within, below = 0, other.dot(axes.transposed(w.candidate[0].corner))
        for i in range(clips):
            q = w.candidate[i].outline.copy()
            if within_polygon(w, False, clipped, q.x, q.y):
                here = axes.transposed(q)
                t = other.dot(here) - below
                there = here - other * t
                if by_triangle:
                    within += 1
                if t <= distance and (by_triangle or is_in_triangle(there, x, y, z)):
                    if not by_triangle:
                        within += 1
                    count = write_pair(w, count, by_triangle, axes, (q, axes.apply(there)))
        if within < clips:
            for k in range(clips * clipped):
                i, e = k // clips, k % clips
                if by_triangle:
                    i, e = k % clipped, k // clipped
                count = write_edge_pair(w, count, (by_triangle, axes), (i, clipped, e, clips), (height, distance))
    return count


@ti.func
def load_polygons(w: ti.template(), axes, by_triangle, face, corners):
    """Write the corners of both polygons, OUTLINE of the clipping one and CORNER, in its axes; return their numbers."""
    x, y, z = corners
    first, count = w.hull_face[face].corner, w.hull_face[face].corner_end - w.hull_face[face].corner
    for i in range(3):
        p = axes.apply(x)
        if i == 1:
            p = axes.apply(y)
        elif i == 2:
            p = axes.apply(z)
        if by_triangle:
            w.candidate[i].outline = p
        else:
            w.candidate[i].corner = p
    for i in range(count):
        p = axes.apply(w.param.vertex[w.hull_corner[first + i].vertex])
        if by_triangle:
            w.candidate[i].corner = p
        else:
            w.candidate[i].outline = p
    return ti.select(by_triangle, 3, count), ti.select(by_triangle, count, 3)


@ti.func
def write_pair(w: ti.template(), count, by_triangle, axes, points):
    """Append a point of the clipping polygon and one of the other, in its axes; return the number of candidates."""
    q, p = points
    total = count
    if count < CLIPPED_ROOM:
        candidate = w.candidate[count]
        candidate.point_a = axes.transposed(q)
        candidate.point_b = axes.transposed(p)
        if by_triangle:
            candidate.point_a = axes.transposed(p)
            candidate.point_b = axes.transposed(q)
        candidate.distance = p.z - q.z
        total += 1
    return total


@ti.func
def is_in_triangle(p, x, y, z):
    """Return whether a point of the plane of a triangle is within it."""
    n = (y - x).cross(z - x)
    a, b, c = n.dot((y - p).cross(z - p)), n.dot((z - p).cross(x - p)), n.dot((x - p).cross(y - p))
    total = a + (b + c)
    return b >= 0.0 and c >= 0.0 and b + c <= total


@ti.func
def write_edge_pair(w: ti.template(), count, frame, edges, lengths):
    """Append the crossing of an edge of the clipped polygon with one of the other; return the number of candidates."""
    by_triangle, axes = frame
    i, clipped, e, clips = edges
    height, distance = lengths
    a, b = w.candidate[i].corner, w.candidate[(i + clipped - 1) % clipped].corner
    p, q = w.candidate[e].outline, w.candidate[(e + clips - 1) % clips].outline
    total = count
    if a.z < height + distance or b.z < height + distance:
        one, two = area(p, q, a), area(p, q, b)
        if one * two < 0.0 and area(a, b, p) * area(a, b, q) < 0.0:
            at = a - (b - a) * (one / (two - one))
            if at.z - height <= distance:
                total = write_pair(w, count, by_triangle, axes, (Vec3(at.x, at.y, height), at))
    return total
