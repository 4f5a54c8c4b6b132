"""Contact points of a sphere on a triangle mesh: one per direction of contact, kept while the sphere rests.

    n = N of a triangle above whose face the centre c is,  else unit(c - p) of the nearest point p on an edge or corner

Triangles have one side. What is nearest on an edge or corner counts only if no triangle met before has that edge or
corner: those met on their faces come first, then the others by their distance. Consecutive points with one normal are
one, the deepest; then four points stay, the deepest of each normal. They are made anew when the sphere moved by more
than 0.02 r or turned; until then their distances follow, and what drifts by more than 0.05 r is removed.

Candidates have three lists: points that count (POINT_B, NORMAL, DISTANCE), points on edges and corners in the order of
their distances (CORNER, OUTLINE, ASIDE), and triangles that were met (TRIANGLE).
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3, zero_vector
from ...broad_phase.speculation import contact_distance
from ...scalars import largest_magnitude
from ...simd import dot, norm, quaternion_dot, rotate, unit
from ..contact_points import add_contact
from ..manifold import POINTS, forget_points, keep_pose, refresh, store_point
from ..triangle import nearest_weights
from .mesh_triangle import ONE_NORMAL, corners_of, edge_of

MOVED, TURNED, DRIFTED = 0.02, 0.9998, 0.05
ROOM = 64
"""Most items of a list of candidates; of what is on edges and corners the nearest stay."""


@ti.func
def sphere_on_mesh(w: ti.template(), g, one, two):
    """Add the points of a sphere on a mesh."""
    m, r, pose = w.slot[g].manifold, w.param.collider_size[w.slot[g].collider_a].x, one.within(two)
    far = largest_magnitude(pose.p - w.contacts.manifold_position[m]) > MOVED * r
    turned = quaternion_dot(pose.q, w.contacts.manifold_rotation[m]) < TURNED
    if not w.contacts.manifold_made[m] or far or turned:
        keep_pose(w, m, pose, one.q, two.q)
        make_points_on_mesh(w, g, pose.p, r + contact_distance(w, g))
    else:
        refresh(w, m, pose, DRIFTED * r)
    for i in range(w.contacts.manifold_count[m]):
        n = rotate(two.q, w.contacts.point_normal[POINTS * m + i])
        add_contact(w, g, one.p - n * r, n, w.contacts.point_distance[POINTS * m + i] - r)


@ti.func
def make_points_on_mesh(w: ti.template(), g, c, reach):
    """Make the points of a sphere with centre c, in the frame of the mesh, on all triangles nearer than `reach`."""
    count, deferred, met = 0, 0, 0
    root = w.collider[w.slot[g].collider_b].tree
    i, end = root, w.bound[root].skip
    while i < end:
        step = w.bound[i].skip
        if is_near(c, reach, w.param.bound_low[i], w.param.bound_high[i]):
            step = i + 1
            for t in range(w.bound[i].triangle, w.bound[i].triangle_end):
                x, y, z = corners_of(w, t)
                n = (y - x).cross(z - x)
                if dot(n, n) > 0.0 and dot(c - x, n) >= 0.0:
                    u, v, s = nearest_weights(x - c, y - c, z - c)
                    first, second = edge_of(w, t, u, v, s)
                    p = x * u + y * v + z * s
                    if first < 0:
                        p = c + n * (dot(n, x - c) / dot(n, n))
                    d = norm(c - p)
                    if d < reach:
                        if first < 0:
                            met = meet(w, t, met)
                            count = add_point(w, p, unit(n, n), d, count)
                        else:
                            deferred = defer_point(w, p, d, Vec3(1.0 * first, 1.0 * second, 1.0 * t), deferred)
        i = step
    for k in range(deferred):
        edge = w.candidate[k].outline
        fresh = is_new(w, edge, met)
        met = meet(w, ti.cast(edge.z, ti.i32), met)
        if fresh:
            p = w.candidate[k].corner
            count = add_point(w, p, unit(c - p, Vec3(1.0, 0.0, 0.0)), w.candidate[k].aside, count)
    choose_points(w, g, count)


@ti.func
def is_near(c, reach, low, high):
    """Return whether a box meets the one around a sphere."""
    x = c.x - reach <= high.x and c.x + reach >= low.x
    y = c.y - reach <= high.y and c.y + reach >= low.y
    return x and y and c.z - reach <= high.z and c.z + reach >= low.z


@ti.func
def meet(w: ti.template(), t, met):
    """Append a triangle to those that were met; return their number."""
    total = met
    if met < ROOM:
        total = w.candidate.push(met, triangle=t)
    return total


@ti.func
def is_new(w: ti.template(), edge, met):
    """Return whether no triangle that was met has this edge or corner."""
    new = True
    for i in range(met):
        triangle = w.triangle[w.candidate[i].triangle]
        a, b, c = 1.0 * triangle.vertex0, 1.0 * triangle.vertex1, 1.0 * triangle.vertex2
        first, second = edge.x == a or edge.x == b or edge.x == c, edge.y == a or edge.y == b or edge.y == c
        if first and second:
            new = False
    return new


@ti.func
def add_point(w: ti.template(), p, n, d, count):
    """Append a point with its normal and distance; with the normal of the last one they become one, the deeper."""
    place, total = count, count
    if count > 0:
        if dot(w.candidate[count - 1].normal, n) > ONE_NORMAL:
            place = count - 1
            if w.candidate[place].distance <= d:
                place = ROOM
    if place < ROOM:
        w.candidate[place].point_b = p
        w.candidate[place].normal = n
        w.candidate[place].distance = d
        total = ti.max(total, place + 1)
    return total


@ti.func
def defer_point(w: ti.template(), p, d, edge, deferred):
    """Insert a point on an edge (two vertices, triangle) into the list by its distance; return the list's length."""
    place = deferred
    if deferred == ROOM:
        place = deferred - 1
    if deferred < ROOM or w.candidate[place].aside > d:
        while place > 0 and w.candidate[ti.max(place - 1, 0)].aside > d:
            w.candidate[place].corner = w.candidate[place - 1].corner
            w.candidate[place].outline = w.candidate[place - 1].outline
            w.candidate[place].aside = w.candidate[place - 1].aside
            place -= 1
        w.candidate[place].corner = p
        w.candidate[place].outline = edge
        w.candidate[place].aside = d
    return ti.min(deferred + 1, ROOM)


@ti.func
def choose_points(w: ti.template(), g, count):
    """Make the manifold of the deepest candidates with different normals, the deepest first."""
    m = w.slot[g].manifold
    forget_points(w, m)
    for i in range(count):
        w.candidate[i].waiting = True
    for _place in range(POINTS):
        best, least = -1, broadcast(1e30)
        for i in range(count):
            if w.candidate[i].waiting and w.candidate[i].distance < least:
                best, least = i, w.candidate[i].distance
        if best >= 0:
            n = w.candidate[best].normal
            store_point(w, m, zero_vector(), w.candidate[best].point_b, n, least)
            for i in range(count):
                if dot(w.candidate[i].normal, n) >= ONE_NORMAL:
                    w.candidate[i].waiting = False
