"""Sweep of one core along a straight way until it meets another core, and how near and how far that counts."""

import taichi as ti

from ..lanes import broadcast
from . import simd
from .kinds import HULL, MESH, has_radius
from .narrow_phase.convex_core.gjk import reduce_simplex
from .narrow_phase.convex_core.support import add_support, core_vertex, difference, farthest_vertex
from .narrow_phase.manifold import inner_sides
from .narrow_phase.mesh.mesh_triangle import corners_of
from .pose import Placement
from .scalars import least

THICKNESS = 0.75
"""Share of the radius inside a shape that it may move without a sweep."""
BALL_IN_BOX = 3.0**0.5
"""Radius of the ball inside a hull, in least half sides of PhysX's box inside it."""
MARGIN = 0.005
"""Share of the least half side of a box at which it counts as met; of a hull half of that."""
ACCURACY = 1e-6
"""Share of the size of the smaller shape to which a sweep is exact."""
MOST_STEPS = 100


@ti.func
def threshold(w: ti.template(), c):
    """Return how far a shape may move without a sweep: not at all of a mesh [m]."""
    radius = w.param.collider_size[c].x
    if w.collider[c].shape == MESH:
        radius = broadcast(0.0)
    elif not has_radius(w.collider[c].shape):
        radius = least(inner_sides(w, c))
        if w.collider[c].shape == HULL:
            radius = radius * BALL_IN_BOX
    return THICKNESS * radius


@ti.func
def margin(w: ti.template(), c):
    """Return the distance at which a shape counts as met: none of a sphere or capsule [m]."""
    length = broadcast(0.0)
    if not has_radius(w.collider[c].shape):
        length = MARGIN * least(inner_sides(w, c))
        if w.collider[c].shape == HULL:
            length = 0.5 * length
    return length


@ti.func
def sweep_cores(w: ti.template(), g, triangle, start, way, reach, near):
    """Return the share of a way at which two cores come within `reach`, 1 for none, and the normal from B to A then.

    As PhysX's ray cast with GJK: a support beyond `reach` moves A along the way until it is not; the search goes on.
    A and B are those of pair g; or A is a triangle of collider B, if it is not -1, and B is collider A. `start` is the
    pose of A in the frame of B, in which `way` and the normal are. The share is 0 of what begins within reach.
    """
    placement, toward = Placement(start.q.columns(), start.p.copy()), start.p.copy()  # which the sweep moves
    if simd.dot(toward, toward) == 0.0:
        toward.x = 1.0
    add_swept_support(w, g, triangle, placement, 0, toward)
    base, count, share, steps = 0, 1, broadcast(0.0), 0
    closest = difference(w, 0)
    normal, hits, least_so_far = closest.copy(), True, simd.norm(closest)
    seeks = least_so_far > near
    while seeks:
        direction = simd.unit(closest, closest)
        add_swept_support(w, g, triangle, placement, base + count, closest)
        beyond, rate = simd.dot(difference(w, base + count), direction) - reach, simd.dot(direction, way)
        if beyond > 0.0:
            if rate >= 0.0 or share - beyond / ti.min(rate, -1e-30) > 1.0:
                hits, seeks = False, False
            else:
                shift = way * (0.0 - beyond / rate)
                share = share - beyond / rate
                placement = Placement(placement.axes, placement.p + shift)
                for i in range(count + 1):
                    w.support[base + i].point_a = w.support[base + i].point_a + shift
                normal, least_so_far = closest, broadcast(1e30)
        if seeks:
            size, nearest = reduce_simplex(w, base, count + 1)
            base, count, closest = 4 - base, size, nearest
            length = simd.norm(closest)
            steps += 1
            if length < least_so_far and length > near:
                normal = closest
            seeks = length > reach + near and length < least_so_far and steps < MOST_STEPS
            least_so_far = length
    if not hits or (share == 0.0 and least_so_far > reach + near):
        share = broadcast(1.0)
    return share, simd.unit(normal, normal)


@ti.func
def add_swept_support(w: ti.template(), g, triangle, placement, i, x):
    """Write support i of a sweep: the point of A − B that is farthest along −x."""
    if ti.static(w.features.meshes):
        if triangle >= 0:
            add_triangle_support(w, g, triangle, placement, i, x)
        else:
            add_support(w, g, placement, i, x)
    else:
        add_support(w, g, placement, i, x)


@ti.func
def add_triangle_support(w: ti.template(), g, triangle, placement, i, x):
    """Write support i of a triangle of the mesh, and of the shape of pair g, in the frame of the shape."""
    a, b, c = corners_of(w, triangle)
    d, shape = simd.transposed(placement.axes, x * -1.0), w.slot[g].collider_a
    one, two, three = simd.dot(a, d), simd.dot(b, d), simd.dot(c, d)
    corner, point = 2, c.copy()
    if one > two and one > three:
        corner, point = 0, a
    elif two > three:
        corner, point = 1, b
    vertex = farthest_vertex(w, shape, x)
    w.support[i].vertex_a = corner
    w.support[i].point_a = placement.apply(point)
    w.support[i].vertex_b = vertex
    w.support[i].point_b = core_vertex(w, shape, vertex)
