"""Contact points of a capsule, box or hull on a triangle mesh, kept while the shape hardly moves.

The points lie direction by direction, up to six in each of six, which are consecutive manifolds of the pair. They are
made anew when the shape moved by more than a share of its margin or turned; until then their distances follow, and what
drifts too far is removed.

    box, hull: moved 0.2 margin, drifted 0.8 margin      capsule: moved 0.02 r, drifted 0.05 r

Triangles are visited in PhysX's order. One that a box or hull meets from the side, face first, is deferred: after all
others its points count where no triangle with points has that vertex, unless such a triangle has an edge of it that is
not convex. The tree of bounding boxes is walked without a stack: a box that is not met skips all that it contains.
"""

import taichi as ti

from .....tables.contacts import PATCHES_ON_MESH, POINTS_OF_DIRECTION
from ....lanes import Struct, broadcast
from ....spatial import Vec3, zero_vector
from ...broad_phase.speculation import contact_distance
from ...kinds import BOX, CAPSULE, HULL
from ...scalars import largest_magnitude
from ...simd import dot, quaternion_dot, rotate, unit
from ..contact_points import add_contact
from ..manifold import POINTS, keep_pose, least_side, move_point
from ..triangle import Corners
from .capsule_on_triangle import capsule_points
from .hull_on_triangle import MISSED, SIDEWAYS, hull_points, meet_triangle
from .mesh_directions import gather_directions, join_direction, move_candidate
from .mesh_triangle import corners_of, is_convex_edge, triangle_meets_box

TURNED_ON_MESH = 0.9998
MARGIN_ON_MESH = 0.05  # [m], at most
MOST_WAITING = 16
"""Points from which on they are gathered before the search goes on."""
LIST_ROOM = 64
"""Most triangles of a list."""


@ti.func
def shape_on_mesh(w: ti.template(), g, one, two):
    """Add the points of a shape on a mesh."""
    m, a, pose = w.slot[g].manifold, w.slot[g].collider_a, one.within(two)
    capsule, radius = w.collider[a].shape == CAPSULE, broadcast(0.0)
    moved, drifted, replaced = broadcast(0.2), broadcast(0.8), broadcast(0.05)
    margin = broadcast(0.0)
    if capsule:
        radius = w.param.collider_size[a].x
        margin, moved, drifted, replaced = radius, broadcast(0.02), broadcast(0.05), broadcast(0.001)
    else:
        margin = ti.min(least_side(w, a, 0.15, 0.25, MARGIN_ON_MESH), MARGIN_ON_MESH * w.param.metre[0])
    far = largest_magnitude(pose.p - w.contacts.manifold_position[m]) > moved * margin
    turned = quaternion_dot(pose.q, w.contacts.manifold_rotation[m]) < TURNED_ON_MESH
    if not w.contacts.manifold_made[m] or far or turned:
        keep_pose(w, m, pose, one.q, two.q)
        make_mesh_points(w, g, pose, replaced * margin)
    else:
        refresh_directions(w, m, pose, drifted * margin)
    for k in range(PATCHES_ON_MESH):
        first, count = first_point(m, k), w.contacts.manifold_count[m + k]
        n = rotate(two.q, mean_direction(w, m, k))
        for i in range(first, first + count):
            point = two.apply(w.contacts.point_b[i])
            if capsule:
                point = one.apply(w.contacts.point_a[i]) - n * radius
            add_contact(w, g, point, n, w.contacts.point_distance[i] - radius)


@ti.func
def first_point(m, k):
    """Return the first point of direction k of the pair whose first manifold is m."""
    return POINTS * m + POINTS_OF_DIRECTION * k


@ti.func
def mean_direction(w: ti.template(), m, k):
    """Return the direction of the sum of the normals of direction k, in the frame of the mesh."""
    normal, first = zero_vector(), first_point(m, k)
    for i in range(first, first + w.contacts.manifold_count[m + k]):
        normal = normal + w.contacts.point_normal[i]
    return unit(normal, Vec3(0.0, 0.0, 0.0))


@ti.func
def refresh_directions(w: ti.template(), m, pose, threshold):
    """Update the distances of all points and remove those that drifted; the last direction replaces an empty one."""
    for k in range(PATCHES_ON_MESH):
        first, count = first_point(m, k), w.contacts.manifold_count[m + k]
        for back in range(POINTS_OF_DIRECTION):
            i = POINTS_OF_DIRECTION - 1 - back
            if i < count:
                there, n = w.contacts.point_b[first + i], w.contacts.point_normal[first + i]
                a = pose.apply(w.contacts.point_a[first + i])
                distance = dot(a - there, n)
                drift = there - (a - n * distance)
                if dot(drift, drift) > threshold * threshold:
                    count -= 1
                    if i < count:
                        move_point(w, first + i, first + count)
                else:
                    w.contacts.point_distance[first + i] = distance
        w.contacts.manifold_count[m + k] = count
    for k in range(PATCHES_ON_MESH):
        for back in range(PATCHES_ON_MESH - 1 - k):
            last = PATCHES_ON_MESH - 1 - back
            count = w.contacts.manifold_count[m + last]
            if w.contacts.manifold_count[m + k] == 0 and count > 0:
                for i in range(count):
                    move_point(w, first_point(m, k) + i, first_point(m, last) + i)
                w.contacts.manifold_count[m + k] = count
                w.contacts.manifold_count[m + last] = 0


@ti.func
def make_mesh_points(w: ti.template(), g, pose, near):
    """Make the points of a pair anew; those nearer than `near` are one. `pose` is that of the shape in the mesh."""
    m, a, b = w.slot[g].manifold, w.slot[g].collider_a, w.slot[g].collider_b
    capsule = w.collider[a].shape == CAPSULE
    middle, half = box_of_core(w, a, contact_distance(w, g))
    centre, around = pose.apply(middle), turned_box(pose, half)
    for k in range(PATCHES_ON_MESH):
        w.contacts.manifold_count[m + k] = 0
    root = w.collider[b].tree
    i, end, t, leaf_end = root, w.bound[root].skip, 0, 0
    count, directions, met, deferred, seen, running = 0, 0, 0, 0, 0, True
    while running:
        triangle, face, before = -1, -1, count
        if t < leaf_end:
            triangle = t
            t += 1
        elif i < end:
            step = w.bound[i].skip
            if meets(centre, around, w.param.bound_low[i], w.param.bound_high[i]):
                t, leaf_end, step = w.bound[i].triangle, w.bound[i].triangle_end, i + 1
            i = step
        elif seen < deferred:
            triangle, face = w.direction[seen].deferred, w.direction[seen].deferred_face
            seen += 1
        else:
            running = False
        if triangle >= 0:
            visit = Visit(triangle, face, count, deferred, met)
            count, deferred, normal = points_of_triangle(w, g, pose, middle, half, visit)
            if count > before:
                if face < 0 and met < LIST_ROOM:
                    met = w.direction.push(met, met=triangle)
                count, directions = join_direction(w, pose, normal, before, count, directions, near, capsule)
        if count >= MOST_WAITING or (not running and count > 0):
            gather_directions(w, g, directions, near, capsule)
            count, directions = 0, 0


class Visit(Struct):
    """Visit of a triangle, and what was found before it.

    triangle: the triangle.
    face: face of a hull by which it was deferred, or -1.
    count, deferred, met: numbers of points, of deferred triangles, and of triangles with points.
    """

    parts = ("triangle", "face", "count", "deferred", "met")


@ti.func
def points_of_triangle(w: ti.template(), g, pose, middle, half, visit):
    """Make the points of a pair with one triangle, or defer the triangle.

    `middle` and `half` are those of the box around the shape, in its frame. Returns the numbers of points and of
    deferred triangles, and the normal of the new points.
    """
    triangle, face, before, met = visit.triangle, visit.face, visit.count, visit.met
    a, total, deferred, normal = w.slot[g].collider_a, visit.count, visit.deferred, zero_vector()
    x, y, z = corners_of(w, triangle)
    p, q, r = pose.unapply(x), pose.unapply(y), pose.unapply(z)
    corners = Corners(p, q, r)
    inside = face >= 0
    if not inside:
        inside = is_above(w, a, p, q, r) and triangle_meets_box(p - middle, q - middle, r - middle, half)
    if inside:
        if w.collider[a].shape == CAPSULE:
            total, normal = capsule_points(w, g, pose, triangle, total)
        else:
            manner, place = SIDEWAYS, face + 0
            if face < 0:
                manner, place = meet_triangle(w, g, triangle, corners)
            if manner == SIDEWAYS and face < 0:
                deferred = defer_triangle(w, triangle, place, deferred)
            elif manner != MISSED and (face < 0 or not has_flat_edge(w, triangle, met)):
                total, normal = hull_points(w, g, manner, place, corners, total)
                if face >= 0:
                    total = drop_known_corners(w, triangle, corners, before, total, met)
                normal = rotate(pose.q, normal)
    return total, deferred, normal


@ti.func
def box_of_core(w: ti.template(), c, distance):
    """Return the middle and half the sides of the box around a shape in its frame, grown by a distance."""
    size, middle = w.param.collider_size[c], zero_vector()
    half = Vec3(size.x, size.y, size.z)
    if w.collider[c].shape == CAPSULE:
        half = Vec3(size.y + size.x, size.x, size.x)
    elif w.collider[c].shape != BOX:
        hull, far = w.hull[w.collider[c].hull], broadcast(1e30)
        low, high = Vec3(far, far, far), Vec3(0.0 - far, 0.0 - far, 0.0 - far)
        for i in range(hull.vertex, hull.vertex_end):
            v = w.param.vertex[i]
            low = Vec3(ti.min(low.x, v.x), ti.min(low.y, v.y), ti.min(low.z, v.z))
            high = Vec3(ti.max(high.x, v.x), ti.max(high.y, v.y), ti.max(high.z, v.z))
        middle, half = (low + high) * 0.5, (high - low) * 0.5
    return middle, half + Vec3(distance, distance, distance)


@ti.func
def turned_box(pose, half):
    """Return half the sides of the box along the mesh's axes around a box along those of the shape."""
    r = pose.q.matrix()
    return Vec3(
        ti.abs(r.a.x) * half.x + ti.abs(r.b.x) * half.y + ti.abs(r.c.x) * half.z,
        ti.abs(r.a.y) * half.x + ti.abs(r.b.y) * half.y + ti.abs(r.c.y) * half.z,
        ti.abs(r.a.z) * half.x + ti.abs(r.b.z) * half.y + ti.abs(r.c.z) * half.z,
    )


@ti.func
def meets(middle, half, low, high):
    """Return whether two boxes along the same axes overlap."""
    x = middle.x - half.x <= high.x and middle.x + half.x >= low.x
    y = middle.y - half.y <= high.y and middle.y + half.y >= low.y
    return x and y and middle.z - half.z <= high.z and middle.z + half.z >= low.z


@ti.func
def is_above(w: ti.template(), c, x, y, z):
    """Return whether the centre of a shape is on the side of a triangle from which it collides."""
    n, middle = (y - x).cross(z - x), zero_vector()
    if w.collider[c].shape == HULL:
        middle = w.param.hull_centre[w.collider[c].hull]
    return dot(n, n) > 0.0 and dot(middle - x, n) >= 0.0


@ti.func
def defer_triangle(w: ti.template(), triangle, face, deferred):
    """Append a triangle and the face that met it to the list of deferred ones; return its length."""
    total = deferred
    if deferred < LIST_ROOM:
        total = w.direction.push(deferred, deferred=triangle, deferred_face=face)
    return total


@ti.func
def has_flat_edge(w: ti.template(), triangle, met):
    """Return whether a triangle with points has an edge of this one that is not convex."""
    found, item = False, w.triangle[triangle]
    for edge in range(3):
        one, two = item.vertex0, item.vertex1
        if edge == 1:
            one, two = item.vertex1, item.vertex2
        elif edge == 2:
            one, two = item.vertex2, item.vertex0
        if not is_convex_edge(w, triangle, edge):
            for i in range(met):
                if has_vertex(w, w.direction[i].met, one) and has_vertex(w, w.direction[i].met, two):
                    found = True
    return found


@ti.func
def has_vertex(w: ti.template(), triangle, vertex):
    """Return whether a triangle has a vertex."""
    item = w.triangle[triangle]
    return item.vertex0 == vertex or item.vertex1 == vertex or item.vertex2 == vertex


@ti.func
def drop_known_corners(w: ti.template(), triangle, corners, before, count, met):
    """Remove the points at a corner of a triangle that a triangle with points has; return the number of candidates."""
    x, y, z = corners.x, corners.y, corners.z
    u, v, total = y - x, z - x, before
    uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
    for i in range(before, count):
        q = w.candidate[i].point_b - x
        scale = 1.0 / ti.max(uu * vv - uv * uv, 1e-30)
        s, t = (vv * dot(q, u) - uv * dot(q, v)) * scale, (uu * dot(q, v) - uv * dot(q, u)) * scale
        vertex = -1
        if s > 0.97:
            vertex = w.triangle[triangle].vertex1
        elif t > 0.97:
            vertex = w.triangle[triangle].vertex2
        elif s + t <= 0.03:
            vertex = w.triangle[triangle].vertex0
        known = False
        for k in range(met):
            if vertex >= 0 and has_vertex(w, w.direction[k].met, vertex):
                known = True
        if not known:
            if total < i:
                move_candidate(w, total, i)
            total += 1
    return total
