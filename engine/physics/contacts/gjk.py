"""Nearest points of the cores of two convex shapes in one lane, by GJK as PhysX has it, in the frame of shape B.

    p = the support of A − B along −x
    x̂·p > contact distance: apart       x̂·p > |x| (1 − 2.25e-4): x is near enough
    x ← the point of the simplex with p that is nearest to the origin; no nearer than before: the x before
    |x| ≤ a tenth of the shapes' margins: see `epa`

It starts with the simplex of the last step, which a pair keeps. The simplex lies in SUPPORTS, in the first or second
four slots in turn.
"""

import taichi as ti

from ..lanes import broadcast
from ..spatial import Vec3
from .epa import DOUBTFUL, SOUND, find_depth
from .kinds import BOX, CAPSULE
from .manifold import POINTS
from .scalars import unit, whole
from .shape_sizes import least_margin
from .support import add_support, copy_support, difference, write_vertex
from .triangle import nearest_weights

NEAR_ENOUGH = 0.000225
SAME_DIRECTION = 0.9999
APART = 0
MOST_STEPS = 100


@ti.func
def nearest_points(w: ti.template(), g, pose):
    """Find the nearest points of the cores of pair g; `pose` is that of A in the frame of B.

    Returns 0 if they are beyond the contact distance, 1 for a sound answer, 2 for a doubtful one; the point on A, that
    on B, the normal from B to A and the distance, negative in penetration.
    """
    a, b, radius = w.slot[g].collider_a, w.slot[g].collider_b, broadcast(0.0)
    start, tolerance = pose.p.copy(), 0.1 * ti.min(least_margin(w, a), least_margin(w, b))
    if w.collider[a].shape <= CAPSULE:
        radius = w.param.collider_size[a].x
        start = pose.p - centre(w, b)
    overlap, base, count, x, other = search(
        w, g, pose, start, (w.param.contact_distance[w.slot[g].pair] + radius, tolerance)
    )
    found, on_a, on_b = APART, Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), x.copy()
    normal, distance = unit(x, Vec3(1.0, 0.0, 0.0)), x.norm()
    if overlap >= 0:
        found, on_b = SOUND, Vec3(0.0, 0.0, 0.0)
        for i in range(count):
            support = w.support[base + i]
            on_a, on_b = on_a + support.point_a * support.weight, on_b + support.point_b * support.weight
            if base > 0:
                copy_support(w, i, base + i)
        if overlap == 1:
            found, on_a, on_b, normal, distance = find_depth(w, g, pose, count, tolerance)
        elif (
            other.dot(other) > 0.0
        ):  # no progress: sound if the direction hardly changed and is that between the centres
            between = unit(pose.apply(centre(w, a)) - centre(w, b), normal)
            if other.dot(normal) <= SAME_DIRECTION or between.dot(normal) <= 0.707:
                found = DOUBTFUL
    return found, on_a, on_b, normal, distance


@ti.func
def centre(w: ti.template(), c):
    """Return the centre of volume of a hull; the origin of other shapes."""
    point = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))
    if w.collider[c].shape > BOX:
        point = w.param.hull_centre[w.collider[c].hull]
    return point


@ti.func
def search(w: ti.template(), g, pose, start, lengths):
    """Search for the point x of A − B nearest to the origin.

    Returns -1 if the cores are apart, 1 if they overlap, else 0; the first slot of the simplex and its size; x; and the
    direction that made no progress, or zero.
    """
    reach, tolerance = lengths
    base, count, steps, running = 0, 0, 0, True
    pending = load_simplex(w, g, pose)
    x, length = start.copy(), broadcast(1e30)
    if x.dot(x) == 0.0:
        x.x = 1.0
    direction, other, overlap = unit(x, x), Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), 0
    while running:
        if pending == 0:
            add_support(w, g, pose, base + count, x)
            along = difference(w, base + count).dot(direction)
            if along > reach:
                overlap, running = -1, False
            elif along > length * (1.0 - NEAR_ENOUGH) or steps > MOST_STEPS:
                running = False
            else:
                pending = 1
        if running:
            nearest = nearest_of_simplex(w, base, count + pending)
            now = nearest.norm()
            if now >= length:
                other, running = unit(nearest, nearest), False
            else:
                count = move_simplex(w, base, count + pending)
                base, x, length = 4 - base, nearest, now
                direction = unit(x, x)
                if now <= tolerance:
                    overlap, running = 1, False
        pending = 0
        steps += 1
    keep_simplex(w, g, base, count)
    return overlap, base, count, x, other


@ti.func
def load_simplex(w: ti.template(), g, pose):
    """Write the simplex of the last step to SUPPORTS; return its size."""
    m = w.slot[g].manifold
    count = whole(w.contacts.simplex_count[m])
    for i in range(2 * count):
        vertex = w.contacts.simplex_a[POINTS * m + i // 2] + 0.0
        if i % 2 == 1:
            vertex = w.contacts.simplex_b[POINTS * m + i // 2] + 0.0
        write_vertex(w, g, pose, i // 2, i % 2, whole(vertex))
    return count


@ti.func
def keep_simplex(w: ti.template(), g, base, count):
    """Keep the simplex for the next step."""
    m = w.slot[g].manifold
    w.contacts.simplex_count[m] = 1.0 * count
    for i in range(count):
        w.contacts.simplex_a[POINTS * m + i] = w.support[base + i].vertex_a + 0.0
        w.contacts.simplex_b[POINTS * m + i] = w.support[base + i].vertex_b + 0.0


@ti.func
def nearest_of_simplex(w: ti.template(), base, count):
    """Return the point of one to four supports nearest to the origin, and write their SHARE in it."""
    nearest, least = Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), broadcast(1e30)
    for i in range(count):
        w.support[base + i].share = 1.0  # of the origin within a tetrahedron
    for face in range(ti.select(count == 4, 4, 1)):
        opposite = 3 - face
        i, j, k = ti.select(opposite == 0, 1, 0), ti.select(opposite <= 1, 2, 1), ti.select(opposite <= 2, 3, 2)
        i, j, k = base + i, base + ti.min(j, count - 1), base + ti.min(k, count - 1)
        a, b, c, seen = difference(w, i), difference(w, j), difference(w, k), True
        if count == 4:
            n = (b - a).cross(c - a)
            origin, corner = 0.0 - n.dot(a), n.dot(difference(w, base + opposite) - a)
            seen = origin * corner <= 0.0 or ti.abs(origin) > ti.abs(corner)
        if seen:
            u, v, t = nearest_weights(a, b, c)
            point = a * u + b * v + c * t
            if point.dot(point) < least:
                nearest, least = point, point.dot(point)
                for each in range(count):
                    w.support[base + each].share = 0.0
                w.support[i].share = u
                if j > i:
                    w.support[j].share = v
                if k > j:
                    w.support[k].share = t
    return nearest


@ti.func
def move_simplex(w: ti.template(), base, count):
    """Move the supports that have a share to the other four slots; return their number."""
    kept = 0
    for i in range(count):
        if w.support[base + i].share > 0.0:
            to = 4 - base + kept
            copy_support(w, to, base + i)
            w.support[to].weight = w.support[base + i].share + 0.0
            kept += 1
    return kept
