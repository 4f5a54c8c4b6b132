"""Nearest points of the cores of two convex shapes, by GJK as PhysX has it, in the frame of shape B.

    p = the support of A − B along −x
    x̂·p > contact distance: apart       x̂·p > |x| (1 − 2.25e-4): x is near enough
    x ← the point of the simplex with p that is nearest to the origin; no nearer than before: the x before
    |x| ≤ a tenth of the shapes' margins: see `epa`

No progress: the answer of two polyhedra is sound if the direction hardly changed and is that between the centres.
The search starts with the simplex of the last step, which a pair keeps; without progress, all but its last support.
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3
from ...kinds import BOX, CAPSULE
from ...scalars import unit
from ..shape_sizes import least_margin
from .epa import DOUBTFUL, SOUND, find_depth
from .simplex import keep_simplex, load_simplex, reduce_simplex, write_weights
from .support import add_support, copy_support, difference

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
        start, tolerance = pose.p - centre(w, b), ti.min(tolerance, 0.1 * radius)
    overlap, base, count, x, other = search(
        w, g, pose, start, (w.param.contact_distance[w.slot[g].pair] + radius, tolerance)
    )
    found, on_a, on_b = APART, Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), x.copy()
    normal, distance = unit(x, Vec3(1.0, 0.0, 0.0)), x.norm()
    if overlap >= 0:
        found, on_b = SOUND, Vec3(0.0, 0.0, 0.0)
        if overlap == 0:
            write_weights(w, base, count, x)
        for i in range(count):
            support = w.support[base + i]
            on_a, on_b = on_a + support.point_a * support.weight, on_b + support.point_b * support.weight
            if base > 0:
                copy_support(w, i, base + i)
        if overlap == 1:
            found, on_a, on_b, normal, distance = find_depth(w, g, pose, count, tolerance)
        elif other.dot(other) > 0.0:  # no progress
            between = unit(pose.apply(centre(w, a)) - centre(w, b), normal)
            if radius > 0.0 or other.dot(normal) <= SAME_DIRECTION or between.dot(normal) <= 0.707:
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
    base, steps, running = 0, 0, True
    count = load_simplex(w, g, pose)
    seeks, kept = count == 0, count
    x, length = start.copy(), broadcast(1e30)
    if x.dot(x) == 0.0:
        x.x = 1.0
    direction, other, overlap = unit(x, x), Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0)), 0
    while running:
        if seeks:
            add_support(w, g, pose, base + count, x)
            along = difference(w, base + count).dot(direction)
            if along > reach:
                overlap, running = -1, False
            elif along > length * (1.0 - NEAR_ENOUGH) or steps > MOST_STEPS:
                running = False
        if running:
            size, nearest = reduce_simplex(w, base, count + ti.select(seeks, 1, 0))
            now = nearest.norm()
            base, count, kept = 4 - base, size, size
            if now >= length:
                other, kept, running = unit(nearest, nearest), size - 1, False
            else:
                x, length = nearest, now
                direction = unit(x, x)
                if now <= tolerance:
                    overlap, running = 1, False
        seeks = True
        steps += 1
    keep_simplex(w, g, base, kept)
    return overlap, base, count, x, other
