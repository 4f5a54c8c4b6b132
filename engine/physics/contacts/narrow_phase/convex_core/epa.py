"""Depth of two overlapping cores, by EPA as PhysX has it, in the frame of shape B.

The last simplex of GJK grows to a polytope within A − B. The facet nearest to the origin gets the support along its
normal, and those that see it are replaced, until the support is hardly beyond its facet: its normal and distance are
those of the contact. A tiny or doubtful facet is never looked at.
"""

from typing import NamedTuple

import taichi as ti

from .....tables.contacts import FACET_SLOTS, SUPPORT_SLOTS
from ....lanes import broadcast, materialize, traced
from ....spatial import Vec3
from ...simd import dot, norm, unit
from .support import add_support, copy_support, difference

NO_AREA = 1.1920929e-7
"""Square of twice the area of a facet that is never looked at, in stage units."""
MISMATCH = 1e-3  # [m] of the points of a sound answer with its depth
MOST_RIMS = 32
SOUND, DOUBTFUL, EMPTY = 1, 2, 3


class Polytope(NamedTuple):
    """Corners of the facets of a polytope, and the neighbours of their sides; side i of facet f is 3 f + i."""

    corners: tuple[tuple[int, int, int], ...]
    neighbours: tuple[tuple[int, int, int], ...]


TWO_SIDED = Polytope(((0, 1, 2), (1, 0, 2)), ((3, 5, 4), (0, 2, 1)))
"""Both sides of a triangle."""
TETRAHEDRON = Polytope(((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)), ((5, 11, 6), (8, 9, 0), (2, 10, 3), (4, 7, 1)))


@ti.func
def find_depth(w: ti.template(), g, placement, simplex, tolerance):
    """Find the depth of the cores of pair g from a simplex of 1 to 4 supports; see `gjk.nearest_points`."""
    count, facets, finished, face, state, upper = simplex, 0, 0, -1, 0, broadcast(1e30)
    while state == 0:
        if facets == 0 and count >= 3:
            facets = start_polytope(w, count)
        for f in range(finished, facets):
            finish_facet(w, f, upper)
        finished = facets
        direction = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0))
        if facets > 0:
            nearest = nearest_facet(w, facets, upper)
            if nearest < 0 or count >= SUPPORT_SLOTS:
                state = DOUBTFUL
                if face < 0:
                    state = EMPTY
            else:
                face = nearest
                w.facet[face].open = False
                direction = w.facet[face].normal
        elif count == 2:
            direction = direction_across(difference(w, 1) - difference(w, 0))
        if state == 0:
            if facets > 0:
                add_support(w, g, placement, count, direction * -1.0)
            else:
                add_support(w, g, placement, count, direction)
            p = difference(w, count)
            count += 1
            if facets > 0:
                beyond = dot(p, direction)
                if ti.abs(beyond - w.facet[face].distance) <= tolerance:
                    state = SOUND
                else:
                    upper = ti.min(upper, beyond)
                    rims = find_rim(w, face, p)
                    if rims == 0 or rims > MOST_RIMS or facets + rims > FACET_SLOTS - 4:
                        state = DOUBTFUL
                    else:
                        add_facets(w, facets, rims, count - 1)
                        facets += rims
            elif count == 2 and norm(p - difference(w, 0)) == 0.0:
                state = EMPTY
    return depth_of_facet(w, face, state)


@ti.func
def direction_across(v):
    """Return a direction across v."""
    x, y, z = ti.abs(v.x), ti.abs(v.y), ti.abs(v.z)
    axis = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0))
    if x > y and z > y:
        axis = Vec3(0.0, 1.0, 0.0)
    elif x > z:
        axis = Vec3(0.0, 0.0, 1.0)
    return unit(axis.cross(v), axis)


@ti.func
def start_polytope(w: ti.template(), count):
    """Write the facets of the first three or four supports; return their number."""
    facets = 2
    if count == 4:
        facets = 4
        first = difference(w, 0)
        n = (difference(w, 1) - first).cross(difference(w, 2) - first)
        if dot(n, difference(w, 3) - first) > 0.0:  # its facets turn the other way
            copy_support(w, 4, 1)
            copy_support(w, 1, 2)
            copy_support(w, 2, 4)
        write_facets(w, TETRAHEDRON)
    else:
        write_facets(w, TWO_SIDED)
    return facets


@traced
def write_facets(w, polytope):
    """Write corners and neighbours of the first facets."""
    for f in range(len(polytope.corners)):
        for i in range(3):
            side = w.facet_side[3 * f + i]
            side.corner, side.neighbour = polytope.corners[f][i], polytope.neighbours[f][i]


@ti.func
def corner_of(w: ti.template(), f, i):
    """Return corner i of facet f, a support."""
    return materialize(w.facet_side[3 * f + i].corner)


@ti.func
def finish_facet(w: ti.template(), f, upper):
    """Compute normal and distance of a facet from its corners."""
    p = difference(w, corner_of(w, f, 0))
    n = (difference(w, corner_of(w, f, 1)) - p).cross(difference(w, corner_of(w, f, 2)) - p)
    squared, scale, no_area = dot(n, n), broadcast(1.0), NO_AREA
    if squared > no_area:
        scale = 1.0 / ti.sqrt(squared)
    n = n * scale
    distance = dot(n, p)
    w.facet[f].normal = n
    w.facet[f].distance = distance
    w.facet[f].seen = False
    w.facet[f].open = squared > no_area and distance <= upper


@ti.func
def nearest_facet(w: ti.template(), facets, upper):
    """Return the open facet nearest to the origin, nearer than `upper`; -1 if there is none."""
    best, least = -1, upper
    for f in range(facets):
        if w.facet[f].open and not w.facet[f].seen and w.facet[f].distance < least:
            best, least = f, w.facet[f].distance
    return best


@ti.func
def find_rim(w: ti.template(), face, p):
    """Mark the facets that see p as seen, from `face` on; write the sides around them, RIM; return their number."""
    w.facet[face].seen = True
    stack, rims = 3, 0
    for i in range(3):
        w.facet[i].pending = w.facet_side[3 * face + 2 - i].neighbour
    while stack > 0:
        stack -= 1
        side = w.facet[stack].pending
        f = side // 3
        if not w.facet[f].seen:
            if dot(w.facet[f].normal, p) < w.facet[f].distance:
                if rims < SUPPORT_SLOTS:
                    w.support[rims].rim = side
                rims += 1
            else:
                w.facet[f].seen = True
                for i in range(2):
                    w.facet[stack + i].pending = w.facet_side[3 * f + (side - 3 * f + 2 - i) % 3].neighbour
                stack += 2
    return rims


@ti.func
def add_facets(w: ti.template(), facets, rims, top):
    """Append the facets from support `top` to the sides of the rim."""
    for r in range(rims):
        f, side = facets + r, w.support[r].rim
        other, i = side // 3, side % 3
        w.facet_side[3 * f].corner = w.facet_side[3 * other + (i + 1) % 3].corner
        w.facet_side[3 * f + 1].corner = w.facet_side[side].corner
        w.facet_side[3 * f + 2].corner = top
        w.facet_side[3 * f].neighbour = side
        w.facet_side[side].neighbour = 3 * f
        w.facet_side[3 * f + 1].neighbour = 3 * (facets + (r + 1) % rims) + 2
        w.facet_side[3 * f + 2].neighbour = 3 * (facets + (r + rims - 1) % rims) + 1


@ti.func
def depth_of_facet(w: ti.template(), face, state):
    """Return the answer of `find_depth` from the last facet; a sound one has its nearest point within it."""
    found, on_a, on_b = DOUBTFUL, w.support[0].point_a, w.support[0].point_b
    normal, distance = Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0)), broadcast(0.0)
    if face >= 0:
        i, j, k = corner_of(w, face, 0), corner_of(w, face, 1), corner_of(w, face, 2)
        origin, n, d = difference(w, i), w.facet[face].normal, w.facet[face].distance
        u, v, q = difference(w, j) - origin, difference(w, k) - origin, n * d - origin
        uu, uv, vv, uq, vq = dot(u, u), dot(u, v), dot(v, v), dot(u, q), dot(v, q)
        area, scale = uu * vv - uv * uv, broadcast(0.0)
        if area > NO_AREA:
            scale = 1.0 / area
        s, t = (vv * uq - uv * vq) * scale, (uu * vq - uv * uq) * scale
        r = 1.0 - (s + t)
        on_a = w.support[i].point_a * r + (w.support[j].point_a * s + w.support[k].point_a * t)
        on_b = w.support[i].point_b * r + (w.support[j].point_b * s + w.support[k].point_b * t)
        normal, distance = n * -1.0, 0.0 - ti.abs(d)
        if state == SOUND and norm(on_a - on_b) <= ti.abs(d) + MISMATCH * w.param.metre[0]:
            found = SOUND
    return found, on_a, on_b, normal, distance
