"""Contact points of a capsule on a capsule, box or hull.

Two capsules touch at the nearest points of their axes, or in up to four points if parallel:

    n = unit(a − b),  point a − r_a n,  separation |a − b| − r_a − r_b

On a box or hull, a manifold that lost a point or has none, or whose nearest points are doubtful, is made anew: the ends
of the capsule that lie over the shape along n, and with fewer than two, the crossings of its axis with the edges of the
face; without any of these the nearest point. Two stay: the deepest, and the one farthest from it or the last deeper one
beside that. Else the nearest point joins those of the manifold. Where it is doubtful, n is the axis of least overlap.

Candidates of the axis of least overlap are the normals of the faces and, of a capsule, the directions across its axis
and an edge.
"""

import taichi as ti

from ...lanes import broadcast, clamp
from ...spatial import Vec3
from ..broad_phase.speculation import contact_distance
from ..kinds import BOX, CAPSULE
from ..scalars import FLOAT_EPSILON
from ..simd import dot, unit, x_axis
from .contact_points import add_contact
from .hull_faces import face_at, face_axes, first_corner, opposed_faces, within_polygon
from .manifold import face_tolerance, forget_points, manifold_margin, store_candidate, store_point, write_point
from .reduction import deepest, farthest, squared_distance

PARALLEL = 0.9998
SHORT = 1e-6
"""Squared length below which there is no direction, in stage units."""
NEAR_ON_BOX, NEAR_ON_HULL = 0.1, 0.05
"""Shares of the margin within which the nearest point replaces one of the manifold."""
ALONG_FACE = 1e-7
BEYOND_EDGE = 0.005


@ti.func
def nearest_on_segments(w: ti.template(), p, d, q, e):
    """Return s and t in 0..1 of the nearest points p + s d and q + t e of segments; of parallel ones, t at s = 1/2."""
    between = p - q
    # four of the products are sums in the order x, y, z: PhysX computes them at once
    a, c, b, f, g = d.dot(d), e.dot(e), d.dot(e), d.dot(between), dot(e, between)
    determinant, tiny = a * c - b * b, FLOAT_EPSILON
    s, t = broadcast(0.5), broadcast(0.0)
    if determinant >= tiny:
        s = clamp((b * g - f * c) / determinant, 0.0, 1.0)
    if c > tiny:
        t = clamp((b * s + g) * (1.0 / c), 0.0, 1.0)
    s = broadcast(0.0)
    if a > tiny:
        s = clamp((b * t - f) * (1.0 / a), 0.0, 1.0)
    return s, t


@ti.func
def capsule_on_capsule(w: ti.template(), g, one, two):
    """Add the points of two capsules."""
    size0, size1 = w.param.collider_size[w.slot[g].collider_a], w.param.collider_size[w.slot[g].collider_b]
    reach = size0.x + size1.x + contact_distance(w, g)
    middle, half0, half1 = (one.p + two.p) * 0.5, x_axis(one.q) * size0.y, x_axis(two.q) * size1.y
    start0, start1 = (one.p - middle) + half0, (two.p - middle) + half1
    d0, d1 = (one.p - middle) - half0 - start0, (two.p - middle) - half1 - start1
    s, t = nearest_on_segments(w, start0, d0, start1, d1)
    a, b = d0 * s + start0, d1 * t + start1
    apart = a - b
    squared = dot(apart, apart)
    if squared <= reach * reach:
        long0, long1, short = dot(d0, d0), dot(d1, d1), SHORT
        x = Vec3(1.0, 0.0, 0.0)
        if long0 > short and long1 > short and ti.abs(dot(unit(d0, x), unit(d1, x))) > PARALLEL:
            for end in range(2):
                point = start1 + d1 * (1.0 * end)
                along = (point - start0).dot(d0) / long0
                if along >= 0.0 and along <= 1.0:
                    add_pair_of_points(w, g, d0 * along + start0, point, middle)
            for end in range(2):
                point = start0 + d0 * (1.0 * end)
                along = (point - start1).dot(d1) / long1
                if along >= 0.0 and along <= 1.0:
                    add_pair_of_points(w, g, point, d1 * along + start1, middle)
        if w.slot[g].point_count == 0:
            n, length = unit(apart, x), ti.sqrt(squared)
            if squared < short:
                n, length = x.copy(), broadcast(0.0)
                if long0 > short:
                    n = unit(d0, x)
            add_contact(w, g, (a - n * size0.x) + middle, n, length - (size0.x + size1.x))


@ti.func
def add_pair_of_points(w: ti.template(), g, a, b, middle):
    """Add the point between a and b on the axes of two capsules, as seen from `middle`, if they are near but apart."""
    r0, r1 = w.param.collider_size[w.slot[g].collider_a].x, w.param.collider_size[w.slot[g].collider_b].x
    apart, reach = a - b, r0 + r1 + contact_distance(w, g)
    squared = dot(apart, apart)
    if squared > SHORT and squared < reach * reach:
        n = unit(apart, apart)
        add_contact(w, g, (a - n * r0) + middle, n, ti.sqrt(squared) - (r0 + r1))


@ti.func
def make_capsule_points(w: ti.template(), g, placement, before, nearest, sound):
    """Make the points of a manifold that had `before` points; return whether the shapes are near, and the normal."""
    m, b = w.slot[g].manifold, w.slot[g].collider_b
    on_a, on_b, n, distance = nearest.on_a, nearest.on_b, nearest.normal, nearest.distance
    box, near = w.collider[b].shape == BOX, True
    anew = before == 0 or w.contacts.manifold_count[m] < before
    if sound and not (box and anew):
        join_point(w, m, nearest, ti.select(box, NEAR_ON_BOX, broadcast(NEAR_ON_HULL)) * manifold_margin(w, g))
    normal = n.copy()
    if anew or not sound:
        if not sound:
            near, normal = axis_of_least_overlap(w, g, placement)
        if near:
            count = write_capsule_points(w, g, placement, normal, on_b, sound)
            if count > 0:
                forget_points(w, m)
                store_two(w, m, count)
            elif box:
                forget_points(w, m)
                if sound:
                    store_point(w, m, on_a, on_b, n, distance)
            else:
                near = sound
    return near, normal


@ti.func
def make_sphere_point(w: ti.template(), g, placement, nearest, sound):
    """Make the point of a sphere on a hull; see `make_capsule_points`."""
    m = w.slot[g].manifold
    on_a, on_b, n, distance = nearest.on_a, nearest.on_b, nearest.normal, nearest.distance
    near, normal = True, n.copy()
    if sound:
        forget_points(w, m)
        store_point(w, m, on_a, on_b, n, distance)
    else:
        near, normal = axis_of_least_overlap(w, g, placement)
        if near:
            first, last = hull_range(w, w.slot[g].collider_b, placement.p, normal)
            radius = w.param.collider_size[w.slot[g].collider_a].x
            near = first <= last and first <= contact_distance(w, g) + radius
            if near:
                forget_points(w, m)
                store_point(w, m, on_a * 0.0, placement.p - normal * first, normal, first)
    return near, normal


@ti.func
def store_two(w: ti.template(), m, count):
    """Store the candidates in a manifold, of more than two the chosen ones."""
    first, second = 0, 1
    if count > 2:
        first = deepest(w, count)
        other = farthest(w, count, first)
        second = other
        for i in range(count):
            if i != first and i != other and w.candidate[i].distance < w.candidate[other].distance:
                if squared_distance(w, i, first) > squared_distance(w, i, other):
                    second = i
    store_candidate(w, m, first)
    if count > 1:
        store_candidate(w, m, second)


@ti.func
def join_point(w: ti.template(), m, point, threshold):
    """Add a point to a manifold of at most two; it replaces a near one, else the nearer."""
    on_a, on_b, n, distance = point.on_a, point.on_b, point.normal, point.distance
    count, place = w.contacts.manifold_count[m], -1
    nearer, least = 0, broadcast(1e30)
    for i in range(count):
        here, there = w.contacts.point_a[4 * m + i] - on_a, w.contacts.point_b[4 * m + i] - on_b
        if place < 0 and ti.min(dot(here, here), dot(there, there)) < threshold * threshold:
            place = i
        if dot(there, there) < least:
            nearer, least = i, dot(there, there)
    if place < 0 and count == 2:
        place = nearer
    if place >= 0:
        write_point(w, 4 * m + place, on_a, on_b, n, distance)
    else:
        store_point(w, m, on_a, on_b, n, distance)


@ti.func
def write_capsule_points(w: ti.template(), g, placement, n, on_b, sound):
    """Write the points of the capsule's axis over the shape along n as candidates; return their number."""
    b, size = w.slot[g].collider_b, w.param.collider_size[w.slot[g].collider_a]
    reach, half = contact_distance(w, g) + size.x, placement.axes.a * size.y
    face = opposed_faces(w, b, n * -1.0)[0]
    if sound:
        face = face_at(w, b, n * -1.0, on_b, face_tolerance(w, b))
    corners, box = load_face(w, face), w.collider[b].shape == BOX
    count = 0
    for end in range(2):
        p, within, distance = placement.p + half * (1.0 - 2.0 * end), False, broadcast(0.0)
        if box:
            normal = w.param.face_normal[face]
            slope = dot(normal, n)
            if slope > 0.0:
                distance = dot(normal, p - first_corner(w, face)) * (1.0 / slope)
            if distance <= reach:
                at = face_axes(normal).apply(p - n * distance)
                within = within_polygon(w, True, corners, at.x, at.y)
        else:
            first, last = hull_range(w, b, p, n)
            within, distance = first <= last and first <= reach, first
        if within:
            on_axis, on_b = placement.unapply(p), p - n * distance
            count = w.candidate.push(count, point_a=on_axis, point_b=on_b, normal=n, distance=distance)
    if count < 2:
        count = write_edge_crossings(w, placement, n, half, reach, face, count)
    return count


@ti.func
def load_face(w: ti.template(), face):
    """Write the corners of a face to OUTLINE of candidates, in axes of which z is its normal; return their number."""
    axes, first = face_axes(w.param.face_normal[face]), w.hull_face[face].corner
    count = w.hull_face[face].corner_end - first
    for i in range(count):
        w.candidate[i].outline = axes.apply(w.param.vertex[w.hull_corner[first + i].vertex])
    return count


@ti.func
def hull_range(w: ti.template(), c, p, n):
    """Return from where to where p − n t is within the hull of collider c, for t ≥ 0; an empty range if nowhere."""
    hull = w.hull[w.collider[c].hull]
    first, last = broadcast(0.0), broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        slope = 0.0 - dot(w.param.face_normal[f], n)
        height = dot(w.param.face_normal[f], p) + w.param.face_offset[f]
        if ti.abs(slope) < ALONG_FACE:
            if height > 0.0:
                last = broadcast(-1.0)
        elif slope < 0.0:
            first = ti.max(first, 0.0 - height / slope)
        else:
            last = ti.min(last, 0.0 - height / slope)
    return first, last


@ti.func
def write_edge_crossings(w: ti.template(), placement, n, half, reach, face, start):
    """Write the crossings of the capsule's axis with the edges of a face along n; return the number of candidates."""
    first, end, count = w.hull_face[face].corner, w.hull_face[face].corner_end, start
    p, q = placement.p + half, placement.p - half
    pq = q - p
    for i in range(first, end):
        before = i - 1
        if i == first:
            before = end - 1
        a, b = w.param.vertex[w.hull_corner[i].vertex], w.param.vertex[w.hull_corner[before].vertex]
        ab = b - a
        across = ab.cross(n)
        level, here, there, slope = dot(across, a), dot(across, p), dot(across, q), dot(across, pq)
        if (here - level) * (there - level) <= 0.0 and slope != 0.0:
            at, sideways = pq * ((level - here) / slope) + p, n.cross(pq)
            from_a = at - a
            along = dot(sideways, from_a) / dot(sideways, ab)
            apart = from_a - ab * along
            distance = dot(apart, n)
            if along <= 1.0 + BEYOND_EDGE and along >= 0.0 - BEYOND_EDGE and distance <= reach:
                on_axis, on_b = placement.unapply(at), at - apart
                count = w.candidate.push(count, point_a=on_axis, point_b=on_b, normal=n, distance=distance)
    return count


@ti.func
def axis_of_least_overlap(w: ti.template(), g, placement):
    """Return whether the shapes of pair g are near, and the axis, from B to A in the frame of B."""
    a, hull = w.slot[g].collider_a, w.hull[w.collider[w.slot[g].collider_b].hull]
    half = placement.axes.a * w.param.collider_size[a].y
    capsule, near = w.collider[a].shape == CAPSULE, True
    axis, least = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0)), broadcast(1e30)
    for f in range(hull.face, hull.face_end):
        n = w.param.face_normal[f]
        together, overlap = overlap_along(w, g, placement.p, half * ti.select(capsule, 1.0, broadcast(0.0)), n)
        near = near and together
        if overlap < least:
            axis, least = n, overlap
    if capsule:
        for f in range(hull.face, hull.face_end):
            first, end = w.hull_face[f].corner, w.hull_face[f].corner_end
            for i in range(first, end):
                before = i - 1
                if i == first:
                    before = end - 1
                edge = w.param.vertex[w.hull_corner[before].vertex] - w.param.vertex[w.hull_corner[i].vertex]
                n = (half * -2.0).cross(edge)
                squared = dot(n, n)
                if squared >= FLOAT_EPSILON:
                    n = n * (1.0 / ti.sqrt(squared))
                    together, overlap = overlap_along(w, g, placement.p, half, n)
                    near = near and together
                    if overlap < least:
                        axis, least = n, overlap
    return near, axis


@ti.func
def overlap_along(w: ti.template(), g, p, half, n):
    """Return whether pair g is near along n, and how far shape A, the axis p ± half, reaches into B from there."""
    hull, distance = w.hull[w.collider[w.slot[g].collider_b].hull], contact_distance(w, g)
    reach = ti.abs(dot(half, n)) + w.param.collider_size[w.slot[g].collider_a].x
    low, high = broadcast(1e30), broadcast(-1e30)
    for v in range(hull.vertex, hull.vertex_end):
        along = dot(w.param.vertex[v], n)
        low, high = ti.min(low, along), ti.max(high, along)
    least, most = dot(p, n) - reach, dot(p, n) + reach
    return least <= high + distance and low <= most + distance, high - least
