"""Nearest points of the cores of two convex shapes, by GJK as PhysX has it, in the frame of shape B.

    p = the support of A − B along −x
    x̂·p > contact distance: apart       x̂·p > |x| (1 − 2.25e-4): x is near enough
    x ← the point of the simplex with p that is nearest to the origin; no nearer than before: the x before
    |x| ≤ a tenth of the shapes' margins: see `epa`

No progress: the answer of two polyhedra is sound if the direction hardly changed and is that between the centres.
The search starts with the simplex of the last step, which a pair keeps; without progress, all but its last support.

The simplex is reduced to the supports that span its point nearest to the origin:

    segment: both supports                triangle: those of the face, edge or corner with the nearest point
    tetrahedron: as the nearest of the faces that the origin is outside of; all four if it is inside;
                 one that is nearly flat loses the last support

The order of those that stay decides where the search for depths begins. The simplex lies in SUPPORTS, in the first or
second four slots in turn; a pair keeps the vertices of its last one.
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3, zero_vector
from ...broad_phase.speculation import contact_distance
from ...kinds import BOX, HULL, has_radius
from ...scalars import FLOAT_EPSILON
from ...simd import dot, norm, unit
from ..manifold import POINTS, least_margin
from .epa import DOUBTFUL, SOUND, find_depth
from .support import add_support, copy_support, difference, write_vertex

NEAR_ENOUGH = 0.000225
SAME_DIRECTION = 0.9999
APART = 0
MOST_STEPS = 100
FLAT_TETRAHEDRON = 1e-4
"""Height of a tetrahedron that counts as a triangle, in stage units."""


@ti.func
def nearest_points(w: ti.template(), g, placement):
    """Find the nearest points of the cores of pair g; `placement` is that of A in the frame of B.

    Returns 0 if they are beyond the contact distance, 1 for a sound answer, 2 for a doubtful one; the point on A, that
    on B, the normal from B to A and the distance, negative in penetration.
    """
    a, b, radius = w.slot[g].collider_a, w.slot[g].collider_b, broadcast(0.0)
    start, tolerance = placement.p.copy(), 0.1 * ti.min(least_margin(w, a), least_margin(w, b))
    if has_radius(w.collider[a].shape):
        radius = w.param.collider_size[a].x
        start, tolerance = placement.p - centre(w, b), ti.min(tolerance, 0.1 * radius)
        if w.collider[b].shape == BOX:  # PhysX subtracts the box's place in the world; the nearest points are the same
            start = placement.p - w.collider[b].position
    overlap, base, count, x, other = search(w, g, placement, start, contact_distance(w, g) + radius, tolerance)
    found, on_a, on_b = APART, zero_vector(), x.copy()
    normal, distance = unit(x, Vec3(1.0, 0.0, 0.0)), norm(x)
    if overlap >= 0:
        found = SOUND
        if overlap == 0:
            write_weights(w, base, count, x)
            on_a, on_b = weighted_points(w, base, count)
        if base > 0:
            for i in range(count):
                copy_support(w, i, base + i)
        if overlap == 1:
            found, on_a, on_b, normal, distance = find_depth(w, g, placement, count, tolerance)
        elif dot(other, other) > 0.0:  # no progress
            between = unit(placement.apply(centre(w, a)) - centre(w, b), normal)
            if radius > 0.0 or dot(other, normal) <= SAME_DIRECTION or dot(between, normal) <= 0.707:
                found = DOUBTFUL
    return found, on_a, on_b, normal, distance


@ti.func
def weighted_points(w: ti.template(), base, count):
    """Return the points on A and B of one to three supports with weights; of four the first."""
    a, b = w.support[base].point_a, w.support[base].point_b
    on_a, on_b = a.copy(), b.copy()
    if count == 2 or count == 3:
        v, along_a, along_b = (
            w.support[base + 1].weight,
            w.support[base + 1].point_a - a,
            w.support[base + 1].point_b - b,
        )
        along_a, along_b = along_a * v, along_b * v
        if count == 3:
            u = w.support[base + 2].weight
            along_a = along_a + (w.support[base + 2].point_a - a) * u
            along_b = along_b + (w.support[base + 2].point_b - b) * u
        on_a, on_b = on_a + along_a, on_b + along_b
    return on_a, on_b


@ti.func
def centre(w: ti.template(), c):
    """Return the centre of volume of a hull; the origin of other shapes."""
    point = zero_vector()
    if w.collider[c].shape == HULL:
        point = w.param.hull_centre[w.collider[c].hull]
    return point


@ti.func
def search(w: ti.template(), g, placement, start, reach, tolerance):
    """Search for the point x of A − B nearest to the origin.

    Returns -1 if the cores are apart, 1 if they overlap, else 0; the first slot of the simplex and its size; x; and the
    direction that made no progress, or zero.
    """
    base, steps, running = 0, 0, True
    count = load_simplex(w, g, placement)
    seeks, kept = count == 0, count
    x, length = start.copy(), broadcast(1e30)
    if dot(x, x) == 0.0:
        x.x = 1.0
    direction, other, overlap = unit(x, x), zero_vector(), 0
    while running:
        if seeks:
            add_support(w, g, placement, base + count, x)
            along = dot(difference(w, base + count), direction)
            if along > reach:
                overlap, running = -1, False
            elif along > length * (1.0 - NEAR_ENOUGH) or steps > MOST_STEPS:
                running = False
        if running:
            size, nearest = reduce_simplex(w, base, count + ti.select(seeks, 1, 0))
            now = norm(nearest)
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


@ti.func
def load_simplex(w: ti.template(), g, placement):
    """Write the simplex of the last step to SUPPORTS; return its size."""
    m = w.slot[g].manifold
    count = w.contacts.simplex_count[m]
    for i in range(2 * count):
        vertex = w.contacts.simplex_a[POINTS * m + i // 2]
        if i % 2 == 1:
            vertex = w.contacts.simplex_b[POINTS * m + i // 2]
        write_vertex(w, g, placement, i // 2, i % 2, vertex)
    return count


@ti.func
def keep_simplex(w: ti.template(), g, base, count):
    """Keep the simplex for the next step."""
    m = w.slot[g].manifold
    w.contacts.simplex_count[m] = count
    for i in range(count):
        w.contacts.simplex_a[POINTS * m + i] = w.support[base + i].vertex_a
        w.contacts.simplex_b[POINTS * m + i] = w.support[base + i].vertex_b


@ti.func
def reduce_simplex(w: ti.template(), base, count):
    """Move the supports that stay of one to four to the other four slots; return their number and the nearest point."""
    nearest, least = zero_vector(), broadcast(1e30)
    kept, i, j, k, corners, faces = count, 0, 1, 2, count, 1
    if count == 4:
        a = difference(w, base)
        n = unit((difference(w, base + 1) - a).cross(difference(w, base + 2) - a), a)
        if ti.abs(dot(n, difference(w, base + 3) - a)) < FLAT_TETRAHEDRON:
            corners = 3
        else:
            faces = 4
    for face in range(faces):
        p = ti.select(face == 3, 1, 0)
        q, r = ti.select(face == 0, 1, ti.select(face == 1, 2, 3)), ti.select(face == 2, 1, ti.select(face == 1, 3, 2))
        a = difference(w, base + p)
        b, c, outside = difference(w, base + ti.min(q, count - 1)), difference(w, base + ti.min(r, count - 1)), True
        if faces == 4:
            n = (b - a).cross(c - a)
            outside = dot(n, a) * dot(n, difference(w, base + 6 - p - q - r)) >= 0.0
        if outside:
            number, first, second, point = nearest_of_corners(w, a, b, c, corners)
            if dot(point, point) < least:
                nearest, least, kept = point, dot(point, point), number
                i = ti.select(first == 0, p, ti.select(first == 1, q, r))
                j, k = ti.select(second == 1, q, r), r
    places = ti.Vector([i, j, k, 3])
    for s in range(kept):
        copy_support(w, 4 - base + s, base + places[s])
    return kept, nearest


@ti.func
def nearest_of_corners(w: ti.template(), a, b, c, corners):
    """Return how many of one to four corners stay, the first two of them by place, and the nearest point.

    Of one corner a counts, of two a and b.
    """
    ab, ac = b - a, c - a
    n, tiny = ab.cross(ac), FLOAT_EPSILON
    number, first, second, point = 1, 0, 1, a.copy()
    if corners < 3 or (corners == 3 and dot(n, n) <= tiny * tiny):
        length = dot(ab, ab)
        if corners > 1 and length > tiny:
            number = 2
            point = a + ab * ti.min(ti.max((0.0 - dot(a, ab)) / length, 0.0), 1.0)
    else:
        d1, d2 = 0.0 - dot(ab, a), 0.0 - dot(ac, a)
        d3, d4 = 0.0 - dot(ab, b), 0.0 - dot(ac, b)
        d5, d6 = 0.0 - dot(ab, c), 0.0 - dot(ac, c)
        wa, wb, wc = dot(n, b.cross(c)), dot(n, c.cross(a)), dot(n, a.cross(b))
        number = 2
        if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
            number = 3
            point = n * (dot(n, a) / ti.max(dot(n, n), 1e-30))
        elif wc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            point = a + ab * share(d1, d1 - d3, tiny)
        elif wa <= 0.0 and d4 >= d3 and d5 >= d6:
            first, second = 1, 2
            point = b + (c - b) * share(d4 - d3, (d4 - d3) + (d5 - d6), tiny)
        elif wb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            second = 2
            point = a + ac * share(d2, d2 - d6, tiny)
        else:
            number = 1
            if d1 > 0.0 or d2 > 0.0:
                first, point = 2, c
                if d3 >= 0.0 and d3 >= d4:
                    first, point = 1, b
    return number, first, second, point


@ti.func
def share(part, total, tiny):
    """Return part / total, 0 where the total is tiny."""
    quotient = broadcast(0.0)
    if ti.abs(total) > tiny:
        quotient = part * (1.0 / total)
    return quotient


@ti.func
def write_weights(w: ti.template(), base, count, x):
    """Write the weights of the second and third of up to three supports in the point x of their plane."""
    if count > 1:
        a, b, v, u = difference(w, base), difference(w, base + 1), broadcast(0.0), broadcast(0.0)
        if count == 2:
            d = (b - x) - (a - x)
            length = dot(d, d)
            if length > 0.0:
                v = dot(x - a, d) * (1.0 / length)
        else:
            c = difference(w, base + 2)
            n = (b - a).cross(c - a)
            wa, wb, wc = dot(n, (b - x).cross(c - x)), dot(n, (c - x).cross(a - x)), dot(n, (a - x).cross(b - x))
            total = wa + (wb + wc)
            if total != 0.0:
                v, u = wb * (1.0 / total), wc * (1.0 / total)
            w.support[base + 2].weight = u
        w.support[base + 1].weight = v
