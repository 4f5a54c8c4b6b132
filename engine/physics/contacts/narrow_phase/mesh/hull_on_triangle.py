"""Contact points of a box or hull with a triangle of a mesh, in the frame of the hull.

Of the axes along which they overlap, the least decides: the triangle's normal N, that of a face of the hull, or the
direction across an edge of the hull and a convex edge of the triangle. Axes are tried in this order.

    N:    the face most opposed to N and the next one are clipped by the triangle
    face: within 45° of -N it is clipped by the triangle, else the triangle is deferred
    edge: the triangle is clipped by the face most opposed to the axis

In axes of which z is the normal of the clipping polygon: corners of the other one over it; unless these are all, its
corners over the other one; unless these are all, crossings of edges; each nearer than the contact distance. POINT_A is
on the hull and POINT_B on the mesh, both in the frame of the hull.
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3
from ...broad_phase.speculation import contact_distance
from ...kinds import BOX
from ...scalars import FLOAT_EPSILON, largest_magnitude
from ...simd import dot, transposed, unit
from ..hull_faces import (
    ClipFrame,
    area,
    clipped_edge,
    clipping_edge,
    face_axes,
    opposed_faces,
    unscaled,
    within_polygon,
)
from .mesh_triangle import is_convex_edge

PARALLEL_EDGES = 1e-6
"""Largest component of the product of two edges that are parallel, in stage units."""
MISSED, BY_TRIANGLE, BY_FACE, SIDEWAYS, BY_EDGE = -1, 0, 1, 2, 3
"""Manners in which a hull meets a triangle; BY_FACE and SIDEWAYS are by a face of the hull."""
CLIPPED_ROOM = 80
"""Most candidates."""


@ti.func
def meet_triangle(w: ti.template(), g, triangle, corners):
    """Return the manner in which the hull meets a triangle with these corners, and the face of the hull."""
    x, y, z = corners.x, corners.y, corners.z
    a, distance = w.slot[g].collider_a, contact_distance(w, g)
    hull, scale = w.hull[w.collider[a].hull], w.param.hull_scale[w.collider[a].hull]
    up = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 1.0))
    low, high = extent_along(w, hull, up)
    apart = low > dot(up, x) + distance or dot(up, x) > high + distance
    least, manner, axis = dot(up, x) - low - FLOAT_EPSILON, BY_TRIANGLE, up.copy()
    apart, face, overlap = least_overlap_of_faces(w, hull, corners, distance, apart)
    if least > overlap + FLOAT_EPSILON:
        manner, least = BY_FACE, overlap
        axis = w.param.face_normal[face]
        if 0.0 - dot(axis, up) <= 0.707106781:
            manner = SIDEWAYS
    if w.triangle[triangle].convex > 0:
        up_before, shrinkage = unscaled(scale, up), 1.0 / (scale.x * scale.y * scale.z)
        for f in range(hull.face, hull.face_end):
            if not apart and dot(w.param.unscaled_normal[f], up_before) <= 0.0:
                for i in range(3 * w.hull_face[f].corner, 3 * w.hull_face[f].corner_end):
                    v = direction_across_edges(w, f, i // 3, corners, i % 3)
                    before = unscaled(scale, v) * shrinkage  # the product of both edges before the hull is scaled
                    across = largest_magnitude(before) >= PARALLEL_EDGES
                    crosses = across and dot(before, up_before) > 0.0
                    if not apart and crosses and is_convex_edge(w, triangle, (i + 2) % 3):
                        v = unit(v, up)
                        bottom, top = extent_of_triangle(corners, v)
                        low, high = extent_along(w, hull, v)
                        apart = low > top + distance or bottom > high + distance
                        if top - low < least:
                            manner, least, axis = BY_EDGE, top - low, v
                        if high - bottom < least:
                            manner, least, axis = BY_EDGE, high - bottom, v * -1.0
    if manner == BY_TRIANGLE or manner == BY_EDGE:
        face = opposed_faces(w, a, axis)[0]
    if apart:
        manner = MISSED
    return manner, face


@ti.func
def least_overlap_of_faces(w: ti.template(), hull: ti.template(), corners, distance, parted):
    """Return whether a face parts the hull from a triangle, the face with the least overlap, and that overlap.

    Nothing is tried if they are `parted` already.
    """
    apart, face, overlap = parted, hull.face, broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        if not apart:
            n, offset = w.param.face_normal[f], w.param.face_offset[f]
            bottom, top = extent_of_triangle(corners, n)
            low = extent_along(w, hull, n)[0]
            apart = bottom > distance - offset or low > top + distance
            if 0.0 - offset - bottom < overlap:
                face, overlap = f, 0.0 - offset - bottom
    return apart, face, overlap


@ti.func
def direction_across_edges(w: ti.template(), f, corner, corners, k):
    """Return the product of the edge of face f that ends at a corner and edge k of a triangle: 0 is from z to x."""
    before = corner - 1
    if corner == w.hull_face[f].corner:
        before = w.hull_face[f].corner_end - 1
    side = corners.z - corners.x
    if k == 1:
        side = corners.x - corners.y
    elif k == 2:
        side = corners.y - corners.z
    here = w.param.vertex[w.hull_corner[corner].vertex]
    return (w.param.vertex[w.hull_corner[before].vertex] - here).cross(side)


@ti.func
def extent_of_triangle(corners, n):
    """Return the least and the largest coordinate of a triangle along n."""
    a, b, c = dot(n, corners.x), dot(n, corners.y), dot(n, corners.z)
    return ti.min(ti.min(a, b), c), ti.max(ti.max(a, b), c)


@ti.func
def extent_along(w: ti.template(), hull: ti.template(), n):
    """Return the least and the largest coordinate of a hull along n."""
    low, high = broadcast(1e30), broadcast(-1e30)
    for i in range(hull.vertex, hull.vertex_end):
        along = dot(w.param.vertex[i], n)
        low, high = ti.min(low, along), ti.max(high, along)
    return low, high


@ti.func
def hull_points(w: ti.template(), g, manner, face, corners, count):
    """Append the candidates of a hull on a triangle; return their number and the normal from the mesh to the hull.

    Both are in the frame of the hull.
    """
    a, distance = w.slot[g].collider_a, contact_distance(w, g)
    x, y, z = corners.x, corners.y, corners.z
    up = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 1.0))
    by_triangle, rounds, other, total = manner == BY_TRIANGLE or manner == BY_FACE, 1, -1, count
    if manner == BY_TRIANGLE and w.collider[a].shape != BOX:
        _best, other = opposed_faces(w, a, up)
        if other >= 0:
            rounds = 2
    for k in range(rounds):
        total = clip_triangle(w, by_triangle, ti.select(k == 0, face, other), corners, up, distance, total)
    normal = up.copy()
    if not by_triangle:
        normal = w.param.face_normal[face] * -1.0
    for i in range(count, total):
        w.candidate[i].normal = normal
    return total, normal


@ti.func
def clip_triangle(w: ti.template(), by_triangle, face, corners, up, distance, start):
    """Append the candidates of a triangle with a normal and a face of a hull; return the number of candidates."""
    n, other = w.param.face_normal[face], up.copy()
    if by_triangle:
        n, other = up, w.param.face_normal[face]
    axes = face_axes(n)
    clips, clipped = load_polygons(w, axes, by_triangle, face, corners)
    frame, count = ClipFrame(axes, w.candidate[0].outline.z, distance), start
    for i in range(clipped):
        p = w.candidate[i].corner
        if p.z < frame.height + distance and within_polygon(w, True, clips, p.x, p.y):
            count = write_pair(w, count, by_triangle, axes, Vec3(p.x, p.y, frame.height), p)
    if count - start < clipped:
        within, below = 0, dot(other, transposed(axes, w.candidate[0].corner))
        for i in range(clips):
            q = w.candidate[i].outline
            if within_polygon(w, False, clipped, q.x, q.y):
                here = transposed(axes, q)
                t = dot(other, here) - below
                there = here - other * t
                if by_triangle:
                    within += 1
                if t <= distance and (by_triangle or is_in_triangle(there, corners.x, corners.y, corners.z)):
                    if not by_triangle:
                        within += 1
                    count = write_pair(w, count, by_triangle, axes, q, axes.apply(there))
        if within < clips:
            for k in range(clips * clipped):
                i, e = k // clips, k % clips
                if by_triangle:
                    i, e = k % clipped, k // clipped
                one, two = clipped_edge(w, i, clipped), clipping_edge(w, e, clips)
                count = write_edge_pair(w, count, by_triangle, frame, one, two)
    return count


@ti.func
def load_polygons(w: ti.template(), axes, by_triangle, face, corners):
    """Write the corners of both polygons, OUTLINE of the clipping one and CORNER, in its axes; return their numbers."""
    first, count = w.hull_face[face].corner, w.hull_face[face].corner_end - w.hull_face[face].corner
    for i in range(3):
        p = axes.apply(corners.x)
        if i == 1:
            p = axes.apply(corners.y)
        elif i == 2:
            p = axes.apply(corners.z)
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
def write_pair(w: ti.template(), count, by_triangle, axes, q, p):
    """Append a point q of the clipping polygon and p of the other, in its axes; return the number of candidates."""
    total = count
    if count < CLIPPED_ROOM:
        candidate = w.candidate[count]
        candidate.point_a = transposed(axes, q)
        candidate.point_b = transposed(axes, p)
        if by_triangle:
            candidate.point_a = transposed(axes, p)
            candidate.point_b = transposed(axes, q)
        candidate.distance = p.z - q.z
        total += 1
    return total


@ti.func
def is_in_triangle(p, x, y, z):
    """Return whether a point of the plane of a triangle is within it."""
    n = (y - x).cross(z - x)
    a, b, c = dot(n, (y - p).cross(z - p)), dot(n, (z - p).cross(x - p)), dot(n, (x - p).cross(y - p))
    total = a + (b + c)
    return b >= 0.0 and c >= 0.0 and b + c <= total


@ti.func
def write_edge_pair(w: ti.template(), count, by_triangle, frame, clipped, clipping):
    """Append the crossing of an edge of the clipped polygon with one of the other; return the number of candidates."""
    a, b, p, q = clipped.a, clipped.b, clipping.a, clipping.b
    total = count
    if a.z < frame.height + frame.distance or b.z < frame.height + frame.distance:
        one, two = area(p, q, a), area(p, q, b)
        if one * two < 0.0 and area(a, b, p) * area(a, b, q) < 0.0:
            at = a - (b - a) * (one / (two - one))
            if at.z - frame.height <= frame.distance:
                total = write_pair(w, count, by_triangle, frame.axes, Vec3(at.x, at.y, frame.height), at)
    return total
