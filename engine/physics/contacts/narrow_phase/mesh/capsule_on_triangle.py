"""Contact points of a capsule with a triangle of a mesh, in the frame of the mesh.

normal: that of the triangle where its face, or a flat edge or corner of it, is nearest to the axis; else the
        direction from the nearest point to the axis
points: ends of the axis over the triangle along the normal; with fewer than two, its crossings with the edges
"""

import taichi as ti

from ....lanes import Struct, broadcast, clamp
from ....spatial import Vec3
from ...broad_phase.speculation import contact_distance
from ...scalars import FLOAT_EPSILON
from ...simd import dot, rotate, unit
from ..triangle import Corners
from .mesh_triangle import corners_of, is_convex_edge

AT_CORNER = 1e-6


class CapsuleAxis(Struct):
    """Axis of a capsule from its start along itself, the normal along which it is seen, and the distance of contact."""

    parts, types = ("start", "along", "normal", "reach"), (Vec3, Vec3, Vec3, None)


@ti.func
def capsule_points(w: ti.template(), g, pose, triangle, start):
    """Append the candidates of a capsule on a triangle; return their number and the normal."""
    size = w.param.collider_size[w.slot[g].collider_a]
    x, y, z = corners_of(w, triangle)
    half, reach = rotate(pose.q, Vec3(1.0, 0.0, 0.0)) * size.y, size.x + contact_distance(w, g)
    p, along = pose.p + half, half * -2.0
    n = unit((y - x).cross(z - x), Vec3(0.0, 0.0, 1.0))
    squared, t, u, v = nearest_on_axis(w, p, along, Corners(x, y, z), n)
    count, normal = start, n.copy()
    if squared < reach * reach:
        if squared > 0.0 and not is_flat_there(w, triangle, u, v):
            normal = unit(p + along * t - (x * (1.0 - u - v) + y * u + z * v), n)
        axis, slope = CapsuleAxis(p, along, normal, reach), dot(n, normal)
        for end in range(2):
            at, distance = p + along * (1.0 * end), broadcast(1e20)
            if slope > 0.0:
                distance = dot(n, at - x) / slope
            if distance < reach:
                s, r = weights_in(at - normal * distance, x, y, z)
                if is_within(s, r):
                    a, b = pose.unapply(at), at - normal * distance
                    count = w.candidate.push(count, point_a=a, point_b=b, normal=normal, distance=distance)
        for k in range(3):
            if count - start < 2:
                a, b = x.copy(), y.copy()
                if k == 1:
                    a, b = y, z
                elif k == 2:
                    b = z
                count = write_crossing_edge(w, pose, count, axis, a, b)
    return count, normal


@ti.func
def write_crossing_edge(w: ti.template(), pose, count, axis, a, b):
    """Append the crossing of the axis with the edge from a to b, seen along the normal; return their number."""
    p, along, normal, reach = axis.start, axis.along, axis.normal, axis.reach
    ab, total = b - a, count
    across = ab.cross(normal)
    here, there, slope = dot(across, p - a), dot(across, p + along - a), dot(across, along)
    if here * there <= 0.0 and slope != 0.0:
        at = p - along * (here / slope)
        sideways = normal.cross(along)
        t = dot(sideways, at - a) / dot(sideways, ab)
        apart = at - a - ab * t
        if t >= 0.0 and t <= 1.0 and dot(apart, apart) < reach * reach:
            distance = dot(apart, normal)
            total = w.candidate.push(
                count, point_a=pose.unapply(at), point_b=at - apart, normal=normal, distance=distance
            )
    return total


@ti.func
def weights_in(p, x, y, z):
    """Return the weights of y and z in a point of the plane of a triangle."""
    u, v, q = y - x, z - x, p - x
    uu, uv, vv, uq, vq = dot(u, u), dot(u, v), dot(v, v), dot(u, q), dot(v, q)
    scale = 1.0 / ti.max(uu * vv - uv * uv, 1e-30)
    return (vv * uq - uv * vq) * scale, (uu * vq - uv * uq) * scale


@ti.func
def is_within(u, v):
    """Return whether weights are those of a point of the triangle."""
    return u >= 0.0 - FLOAT_EPSILON and v >= 0.0 - FLOAT_EPSILON and u + v < 1.0 + FLOAT_EPSILON


@ti.func
def nearest_on_axis(w: ti.template(), p, along, corners, n):
    """Return the squared distance of an axis from a triangle, where on the axis, and the weights of corners 1 and 2."""
    x, y, z = corners.x, corners.y, corners.z
    height, other = dot(n, p - x), dot(n, p + along - x)
    squared, t, u, v = broadcast(-1.0), broadcast(0.0), broadcast(0.0), broadcast(0.0)
    if height * other < 0.0:
        share = 0.0 - height / dot(n, along)
        s, r = weights_in(p + along * share, x, y, z)
        if is_within(s, r):
            squared, t, u, v = broadcast(0.0), share, s, r
    if squared < 0.0:
        s, r = weights_in(p - n * height, x, y, z)
        e, f = weights_in(p + along - n * other, x, y, z)
        one, two = is_within(s, r), is_within(e, f)
        squared = broadcast(1e30)
        if not (one and two):
            for k in range(3):
                a, b = x.copy(), y.copy()
                if k == 1:
                    a, b = y, z
                elif k == 2:
                    b = z
                d, on_axis, on_edge = nearest_of_segments(w, p, along, a, b - a)
                if k == 0 or d < squared or (k == 2 and d == squared):
                    squared, t = d, on_axis
                    u, v = on_edge, broadcast(0.0)
                    if k == 1:
                        u, v = 1.0 - on_edge, on_edge
                    elif k == 2:
                        u, v = broadcast(0.0), on_edge
        if two and other * other < squared and not (one and height * height < other * other):
            squared, t, u, v = other * other, broadcast(1.0), e, f
        elif one and height * height < squared:
            squared, t, u, v = height * height, broadcast(0.0), s, r
    return squared, t, u, v


@ti.func
def nearest_of_segments(w: ti.template(), p, d, q, e):
    """Return the squared distance of two segments p + d s and q + e t, and s and t."""
    r = p - q
    dd, ee, de, dr, er = dot(d, d), dot(e, e), dot(d, e), dot(d, r), dot(e, r)
    spread, s, t = dd * ee - de * de, broadcast(0.5), broadcast(1.0)
    if spread > FLOAT_EPSILON:
        s = clamp((de * er - dr * ee) / spread, 0.0, 1.0)
    if ee > 0.0:
        t = clamp((de * s + er) / ee, 0.0, 1.0)
    if dd > 0.0:
        s = clamp((de * t - dr) / dd, 0.0, 1.0)
    apart = r + d * s - e * t
    return dot(apart, apart), s, t


@ti.func
def is_flat_there(w: ti.template(), triangle, u, v):
    """Return whether a point with these weights is on the face of a triangle, or on no convex edge of it."""
    first, second, third = (
        is_convex_edge(w, triangle, 0),
        is_convex_edge(w, triangle, 1),
        is_convex_edge(w, triangle, 2),
    )
    convex = False
    if u < AT_CORNER:
        convex = third or (v < AT_CORNER and first) or (v > 1.0 - AT_CORNER and second)
    elif u > 1.0 - AT_CORNER:
        convex = v >= AT_CORNER or first or second
    elif v < AT_CORNER:
        convex = first
    elif u + v >= 0.9999:
        convex = second
    return not convex
