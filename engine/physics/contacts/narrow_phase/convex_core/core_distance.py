"""Nearest points of two cores, by GJK as PhysX has it for cylinders and cones.

    x = the point nearest to the origin of a simplex of differences a − b       p = the next difference, along −x̂
    |x| < tolerance: the cores overlap      x̂·p ≥ |x| − tolerance, or p known: x is near enough      x̂·p > reach: apart

The tolerance is a ten-thousandth of the smaller core, and points are welded: see `cores`. The nearest points of a
round core are therefore within about a hundredth of its size, not at their exact place, as in PhysX.

A simplex has 1 to 4 pairs of welded points. The newest corner comes last. Regions beyond it, beyond its edges and over
its faces are tried in turn. In none of them, the origin is within the tetrahedron.
"""

import taichi as ti

from ....lanes import broadcast, traced
from ....spatial import Vec3, zero_vector
from ...scalars import FLOAT_EPSILON, unit_by_reciprocal
from .cores import farthest_pair, forget_welded_points, pair_difference

TOLERANCE = 0.01
"""Tolerance of a search, per accuracy of the finer core."""
MOST_PAIRS_TRIED = 100
SEEKING, PARTED, NEAR, OVERLAP = 0, 1, 2, 3
VERY_FAR = 1e30


@ti.func
def tolerance_of_search(w: ti.template()):
    """Return the length below which a search does not look, in stage units."""
    return TOLERANCE * ti.min(w.core[0].accuracy, w.core[1].accuracy)


@ti.func
def nearest_of_cores(w: ti.template(), start, reach):
    """Find the nearest points of the two cores, beginning in direction `start`.

    Returns the state, PARTED, NEAR or OVERLAP; the points; and the vector from that of core 1 to that of core 0.
    """
    forget_welded_points(w)
    count, steps, state, tolerance = 0, 0, SEEKING, tolerance_of_search(w)
    x, direction = Vec3(broadcast(VERY_FAR), broadcast(0.0), broadcast(0.0)), start.copy()
    while state == SEEKING:
        known, along = steps >= MOST_PAIRS_TRIED, broadcast(VERY_FAR)
        one, two = farthest_pair(w, direction)
        for i in range(count):
            if w.support[i].vertex_a == one and w.support[i].vertex_b == two:
                known = True
        before = count
        if not known:
            w.support[count].vertex_a = one
            w.support[count].vertex_b = two
            along = 0.0 - pair_difference(w, count).dot(direction)
            count += 1
        if steps > 0:
            if along >= x.norm() - tolerance:
                state, count = NEAR, before
            elif along > reach:
                state = PARTED
        steps += 1
        if state == SEEKING:
            count, x = reduce_pairs(w, count, x)
            if x.norm() < tolerance:
                state = OVERLAP
            direction = unit_by_reciprocal(x, x) * -1.0
    on_a = zero_vector()
    on_b = on_a.copy()
    if state == NEAR:
        for i in range(count):
            pair, weight = w.support[i], w.support[i].weight
            on_a = on_a + w.support[pair.vertex_a].point_a * weight
            on_b = on_b + w.support[pair.vertex_b].point_b * weight
    return state, on_a, on_b, x


@ti.func
def reduce_pairs(w: ti.template(), count, nearest):
    """Keep the corners that the point nearest to the origin needs, with their weights.

    Returns how many corners stay and that point. Unless it is nearer than `nearest`, all stay but the newest.
    """
    a, b = pair_difference(w, 0), pair_difference(w, ti.min(1, count - 1))
    c, d = pair_difference(w, ti.min(2, count - 1)), pair_difference(w, ti.min(3, count - 1))
    size, kept = 1, ti.Vector([0, 0, 0])
    u, v, s = broadcast(1.0), broadcast(0.0), broadcast(0.0)
    if count == 2:
        size, kept, u, v = nearest_on_edge(a, b)
    elif count == 3:
        size, kept, u, v, s = nearest_on_triangle(a, b, c)
    elif count == 4:
        size, kept, u, v, s = nearest_on_tetrahedron(a, b, c, d)
    x = pair_difference(w, kept[0]) * u + pair_difference(w, kept[1]) * v + pair_difference(w, kept[2]) * s
    left = count - 1
    if x.norm() < nearest.norm() - FLOAT_EPSILON:
        left = size
        if size < 4:
            keep_pairs(w, kept, u, v, s)
    else:
        x = nearest.copy()
    return left, x


@ti.func
def keep_pairs(w: ti.template(), kept, u, v, s):
    """Move three corners to the first places and write their weights."""
    one_a, one_b = w.support[kept[0]].vertex_a, w.support[kept[0]].vertex_b
    two_a, two_b = w.support[kept[1]].vertex_a, w.support[kept[1]].vertex_b
    three_a, three_b = w.support[kept[2]].vertex_a, w.support[kept[2]].vertex_b
    write_weighted_pair(w, 0, one_a, one_b, u)
    write_weighted_pair(w, 1, two_a, two_b, v)
    write_weighted_pair(w, 2, three_a, three_b, s)


@ti.func
def write_weighted_pair(w: ti.template(), i, one, two, weight):
    """Write corner i: numbers of the welded points, and weight."""
    w.support[i].vertex_a = one
    w.support[i].vertex_b = two
    w.support[i].weight = weight


@ti.func
def nearest_on_edge(a, b):
    """Return how many corners stay, which, and their weights."""
    ba = a - b
    along = 0.0 - ba.dot(b)
    size, kept, u, v = 1, ti.Vector([1, 0, 0]), broadcast(1.0), broadcast(0.0)
    if along > 0.0:
        size, kept = 2, ti.Vector([0, 1, 0])
        u = along / ba.dot(ba)
        v = 1.0 - u
    return size, kept, u, v


@traced
def foot(n, a):
    """Return the point of a plane with normal n through a that is nearest to the origin."""
    return (n * n.dot(a)) * (1.0 / n.dot(n))


@traced
def area_beside(n, p, a, b):
    """Return n · ((a − p) × (b − p)): positive if p is on the inner side of the edge from a to b."""
    return n.dot((a - p).cross(b - p))


@ti.func
def nearest_on_triangle(a, b, c):
    """Return how many corners stay, which, and their weights."""
    ca, cb = a - c, b - c
    along_a, along_b = 0.0 - ca.dot(c), 0.0 - cb.dot(c)
    size, kept = 1, ti.Vector([2, 0, 0])
    u, v, s = broadcast(1.0), broadcast(0.0), broadcast(0.0)
    if along_a > 0.0 or along_b > 0.0:
        n = (b - a).cross(c - a)
        p = foot(n, a)
        beside_a, beside_b = area_beside(n, p, c, a), area_beside(n, p, b, c)
        if along_a > 0.0 and beside_a <= 0.0:
            size, kept, u = 2, ti.Vector([0, 2, 0]), along_a / ca.dot(ca)
            v = 1.0 - u
        elif along_b > 0.0 and beside_b <= 0.0:
            size, kept, u = 2, ti.Vector([1, 2, 0]), along_b / cb.dot(cb)
            v = 1.0 - u
        else:
            scale = 1.0 / n.dot(n)
            size, kept, u, v = 3, ti.Vector([0, 1, 2]), beside_b * scale, beside_a * scale
            s = 1.0 - u - v
            if n.dot(a) > 0.0:  # the origin sees the corners the other way round
                kept, u, v = ti.Vector([1, 0, 2]), beside_a * scale, beside_b * scale
    return size, kept, u, v, s


@ti.func
def nearest_on_tetrahedron(a, b, c, d):
    """Return how many corners stay, which, and their weights; 4 with weights of zero if the origin is within it."""
    da, db, dc = a - d, b - d, c - d
    along_a, along_b, along_c = 0.0 - da.dot(d), 0.0 - db.dot(d), 0.0 - dc.dot(d)
    size, kept = 1, ti.Vector([3, 0, 0])
    u, v, s = broadcast(1.0), broadcast(0.0), broadcast(0.0)
    if along_a > 0.0 or along_b > 0.0 or along_c > 0.0:
        ab, bc, ca = da.cross(db), db.cross(dc), dc.cross(da)  # normals of the faces at d
        p, q, r = foot(ab, d), foot(bc, d), foot(ca, d)
        da_ab, da_ca = area_beside(ab, p, d, a), area_beside(ca, r, a, d)
        db_bc, db_ab = area_beside(bc, q, d, b), area_beside(ab, p, b, d)
        dc_bc, dc_ca = area_beside(bc, q, c, d), area_beside(ca, r, d, c)
        n = (b - a).cross(c - a)
        size, kept, u = 2, ti.Vector([0, 3, 0]), broadcast(0.0)
        if along_a > 0.0 and da_ab <= 0.0 and da_ca <= 0.0:
            u = along_a / da.dot(da)
            v = 1.0 - u
        elif along_b > 0.0 and db_bc <= 0.0 and db_ab <= 0.0:
            kept, u = ti.Vector([1, 3, 0]), along_b / db.dot(db)
            v = 1.0 - u
        elif along_c > 0.0 and dc_bc <= 0.0 and dc_ca <= 0.0:
            kept, u = ti.Vector([2, 3, 0]), along_c / dc.dot(dc)
            v = 1.0 - u
        elif da_ab > 0.0 and db_ab > 0.0 and ab.dot(d) < 0.0 and n.dot(ab) > 0.0:
            size, kept, u, v = 3, ti.Vector([0, 1, 3]), db_ab * (1.0 / ab.dot(ab)), da_ab * (1.0 / ab.dot(ab))
            s = 1.0 - u - v
        elif db_bc > 0.0 and dc_bc > 0.0 and bc.dot(d) < 0.0 and n.dot(bc) > 0.0:
            size, kept, u, v = 3, ti.Vector([1, 2, 3]), dc_bc * (1.0 / bc.dot(bc)), db_bc * (1.0 / bc.dot(bc))
            s = 1.0 - u - v
        elif dc_ca > 0.0 and da_ca > 0.0 and ca.dot(d) < 0.0 and n.dot(ca) > 0.0:
            size, kept, u, s = 3, ti.Vector([0, 3, 2]), dc_ca * (1.0 / ca.dot(ca)), da_ca * (1.0 / ca.dot(ca))
            v = 1.0 - u - s
        else:
            size = 4
    return size, kept, u, v, s
