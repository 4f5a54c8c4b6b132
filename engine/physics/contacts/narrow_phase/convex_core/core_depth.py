"""Depth of two overlapping cores, by EPA as PhysX has it for cylinders and cones.

A polytope within the differences a − b grows from a triangle with two sides. The facet nearest to the origin gets the
farthest pair along its normal, and those that see it are replaced by a fan. The end is a pair hardly beyond its facet,
or a known one. The answer is the facet whose pair was least far beyond the origin.
"""

import taichi as ti

from .....tables.contacts import SUPPORT_SLOTS
from ....lanes import Struct, broadcast
from ....spatial import Vec3, zero_vector
from ...scalars import FLOAT_EPSILON
from .core_distance import SEEKING, VERY_FAR, area_beside, foot, tolerance_of_search
from .cores import MOST_WELDED, farthest_pair, forget_welded_points, pair_difference

MOST_FACETS = 2 * MOST_WELDED - 4
START = 6
"""Directions with which the first triangle is sought."""
GROWN, NO_VOLUME = 1, 2
CODE = 64
"""Factor of the first of two corners in the number of a side."""


class Facet(Struct):
    """Facet of the polytope: normal, distance from the origin along it, corners."""

    parts, types = ("n", "distance", "i", "j", "k"), (Vec3, None, None, None, None)


@ti.func
def depth_of_cores(w: ti.template(), start):
    """Find the direction of least depth of two cores that overlap.

    Returns whether there is one; the points on the cores; the unit vector from core 1 to core 0; and the distance along
    it, negative in penetration.
    """
    forget_welded_points(w)
    across, up = basis_around(start)
    pairs, facets, stage, state, most, tolerance = 0, 0, 0, SEEKING, broadcast(-VERY_FAR), tolerance_of_search(w)
    zero = zero_vector()
    nearest = Facet(zero.copy(), broadcast(0.0), ti.cast(0, ti.i32), ti.cast(0, ti.i32), ti.cast(0, ti.i32))
    best = nearest.copy()
    while state == SEEKING:
        d = direction_of_start(stage, start, across, up)
        if stage >= START:
            if facets == 0:
                state = NO_VOLUME
            else:
                nearest = facet_nearest_to_origin(w, facets)
                d = nearest.n.copy()
                if facets == 2:
                    best = nearest.copy()
        if state == SEEKING and (stage < 3 or stage >= START or pairs < 3):
            beyond = broadcast(VERY_FAR)
            if pairs < MOST_WELDED:
                known, along = add_farthest_pair(w, d, pairs)
                if stage >= START and along > most:
                    most, best = along, nearest.copy()
                if not known:
                    pairs, beyond = pairs + 1, along
                    if pairs >= 3:
                        facets, grown = grow_polytope(w, pairs, facets, tolerance)
                        if not grown:
                            beyond = broadcast(VERY_FAR)
            if stage >= START and beyond >= 0.0 - nearest.distance - tolerance:
                state = GROWN
        stage += 1
    on_a, on_b = zero.copy(), zero.copy()
    if state == GROWN:
        on_a, on_b = points_of_facet(w, best)
    return state == GROWN, on_a, on_b, best.n * -1.0, 0.0 - best.distance


@ti.func
def direction_of_start(stage, start, across, up):
    """Return the direction in which a corner of the first triangle is sought: both ways along three axes."""
    d = start.copy()
    if stage >= 4:
        d = up.copy()
    elif stage >= 2:
        d = across.copy()
    if stage % 2 == 1:
        d = d * -1.0
    return d


@ti.func
def basis_around(d):
    """Return two directions across a direction."""
    across, up = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0)), Vec3(broadcast(0.0), d.z, 0.0 - d.y)
    if ti.abs(d.y) <= 0.9999:
        across = Vec3(d.z, 0.0, 0.0 - d.x)
        across = across * (1.0 / across.norm())
        up = Vec3(d.y * across.z, d.z * across.x - d.x * across.z, (0.0 - d.y) * across.x)
    else:
        up = up * (1.0 / up.norm())
    return across, up


@ti.func
def add_farthest_pair(w: ti.template(), d, pairs):
    """Write the farthest pair along d after the others; return whether it is one of them, and −d · (a − b)."""
    one, two = farthest_pair(w, d)
    known = False
    for i in range(pairs):
        if w.support[i].vertex_a == one and w.support[i].vertex_b == two:
            known = True
    along = 0.0 - (w.support[one].point_a - w.support[two].point_b).dot(d)
    if not known:
        w.support[pairs].vertex_a = one
        w.support[pairs].vertex_b = two
    return known, along


@ti.func
def facet_nearest_to_origin(w: ti.template(), facets):
    """Return the facet nearest to the origin, the first of equals."""
    best, least = 0, broadcast(VERY_FAR)
    for f in range(facets):
        if w.facet[f].distance < least:
            best, least = f, w.facet[f].distance
    side = 3 * best
    i, j, k = w.facet_side[side].corner, w.facet_side[side + 1].corner, w.facet_side[side + 2].corner
    return Facet(w.facet[best].normal, least, i, j, k)


@ti.func
def add_facet(w: ti.template(), f, i, j, k):
    """Write facet f with these corners; return whether it has an area."""
    a, b, c = pair_difference(w, i), pair_difference(w, j), pair_difference(w, k)
    n = (b - a).cross(c - a) + (c - b).cross(a - b) + (a - c).cross(b - c)
    length = n.norm()
    if length >= FLOAT_EPSILON:
        n = n * (1.0 / length)
        w.facet[f].normal = n
        w.facet[f].distance = n.dot(a)
        w.facet_side[3 * f].corner = i
        w.facet_side[3 * f + 1].corner = j
        w.facet_side[3 * f + 2].corner = k
    return length >= FLOAT_EPSILON


@ti.func
def grow_polytope(w: ti.template(), pairs, facets, tolerance):
    """Add the newest pair to the polytope; return the number of facets, and whether it grew."""
    top, count, rims = pairs - 1, facets, 2
    if pairs == 3:  # both sides of a triangle
        w.support[0].rim = 1
        w.support[1].rim = CODE
    else:
        count, rims = remove_seen_facets(w, pair_difference(w, top), facets, tolerance)
    grown, added = rims > 0 and count <= MOST_FACETS - rims, 0
    while grown and added < rims:
        code = w.support[added].rim
        grown = add_facet(w, count, code // CODE, code % CODE, top)
        if grown:
            count += 1
        added += 1
    if pairs == 3 and not grown:
        count = 0
    return count, grown


@ti.func
def remove_seen_facets(w: ti.template(), p, facets, tolerance):
    """Remove the facets that see a point; write the sides around them, RIM; return the numbers of both."""
    count, rims = facets, 0
    for back in range(facets):
        f = facets - 1 - back
        if w.facet[f].normal.dot(p) - w.facet[f].distance > tolerance:
            for side in range(3):
                i = w.facet_side[3 * f + side].corner
                j = w.facet_side[3 * f + (side + 1) % 3].corner
                rims = toggle_side(w, i, j, rims)
            count -= 1
            w.facet[f].normal = w.facet[count].normal
            w.facet[f].distance = w.facet[count].distance
            for side in range(3):
                w.facet_side[3 * f + side].corner = w.facet_side[3 * count + side].corner
    return count, rims


@ti.func
def toggle_side(w: ti.template(), i, j, rims):
    """Append a side to the rim, or remove its other direction from it; return the number of sides."""
    other, place, left = CODE * j + i, -1, rims
    for back in range(rims):
        if place < 0 and w.support[rims - 1 - back].rim == other:
            place = rims - 1 - back
    if place >= 0:
        left = rims - 1
        w.support[place].rim = w.support[left].rim
    elif rims < SUPPORT_SLOTS:
        w.support[rims].rim = CODE * i + j
        left = rims + 1
    return left


@ti.func
def points_of_facet(w: ti.template(), facet):
    """Return the points of both cores whose difference is the point of a facet nearest to the origin."""
    i, j, k = facet.i, facet.j, facet.k
    a, b, c = pair_difference(w, i), pair_difference(w, j), pair_difference(w, k)
    n = (b - a).cross(c - a)
    p, scale = foot(n, a), 1.0 / n.dot(n)
    u, v, s = area_beside(n, p, b, c) * scale, area_beside(n, p, c, a) * scale, area_beside(n, p, a, b) * scale
    one, two, three = w.support[i], w.support[j], w.support[k]
    on_a = w.support[one.vertex_a].point_a * u + w.support[two.vertex_a].point_a * v
    on_b = w.support[one.vertex_b].point_b * u + w.support[two.vertex_b].point_b * v
    on_a = on_a + w.support[three.vertex_a].point_a * s
    on_b = on_b + w.support[three.vertex_b].point_b * s
    return on_a, on_b
