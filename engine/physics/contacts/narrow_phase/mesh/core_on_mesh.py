"""Contact points of a cylinder or cone on a triangle mesh; nothing is kept from step to step.

Each triangle near the shape is a core, with a thin margin and no contacts on its back. A point on its edge or corner
does not count where a neighbouring triangle rises above it along the normal. Points with normals within 2.5° are a
patch, of which four stay: see `reduce_to_polygon`. The six deepest patches are solved.

Patch k has normal and number of points (CHOSEN) in candidate 48 + k, its points in four
candidates from 64 + 4 k on.
"""

import taichi as ti

from .....tables.contacts import PATCHES_ON_MESH
from ....lanes import broadcast
from ....rotation import Quat
from ....spatial import Vec3, zero_vector
from ...broad_phase.speculation import contact_distance
from ...kinds import MESH
from ...patches import SAME_NORMAL
from ...scalars import least, unit_by_reciprocal
from ..contact_points import add_contact
from ..convex_core.core_contacts import find_core_points
from ..convex_core.cores import extent_of_points, load_core, place_core, write_accuracy
from ..reduction import POLYGON, reduce_to_polygon
from .mesh_triangle import corners_of, triangle_meets_box
from .neighbours import is_hidden
from .shape_on_mesh import meets, turned_box

TRIANGLE_MARGIN = 1e-4
"""Margin of a triangle, per least half side of the box around the shape."""
MOST_PATCHES = 12
CHOICE_OF_PATCH, PATCH, POINT = 24, 48, 64
"""First candidates: of a new point and those of its patch, of the patches, of their points."""


@ti.func
def core_on_mesh(w: ti.template(), g, one, two):
    """Add the points of pair g, a cylinder or cone on a mesh."""
    a, b, distance = w.slot[g].collider_a, w.slot[g].collider_b, contact_distance(w, g)
    one, two = place_core(w, a), place_core(w, b)
    pose, size = one.within(two), w.param.collider_size[a]
    half = Vec3(size.y + distance, size.x + distance, size.x + distance)
    around, patches = turned_box(pose, half), 0
    load_core(w, 0, a, pose)
    w.core[1].kind = MESH
    w.core[1].end = 3
    w.core[1].margin = least(half) * TRIANGLE_MARGIN
    w.core[1].position = zero_vector()
    w.core[1].orientation = Quat(zero_vector(), broadcast(1.0))
    root = w.collider[b].tree
    i, end, t, leaf_end, running = root, w.bound[root].skip, 0, 0, True
    while running:
        if t < leaf_end:
            patches = meet_triangle_core(w, t, pose, half, distance, patches)
            t += 1
        elif i < end:
            step = w.bound[i].skip
            if meets(pose.p, around, w.param.bound_low[i], w.param.bound_high[i]):
                t, leaf_end, step = w.bound[i].triangle, w.bound[i].triangle_end, i + 1
            i = step
        else:
            running = False
    add_patches(w, g, two, patches)


@ti.func
def meet_triangle_core(w: ti.template(), t, pose, half, distance, patches):
    """Join the points of the shape with triangle t if it is in the shape's box; return the number of patches.

    `half` has half the sides of that box; `distance` is the contact distance.
    """
    x, y, z = corners_of(w, t)
    total = patches
    if triangle_meets_box(pose.unapply(x), pose.unapply(y), pose.unapply(z), half):
        w.core[1].first = t
        write_accuracy(w, 1, extent_of_points(w, 1))
        front = (y - x).cross(z - x)
        count, n = find_core_points(w, distance, unit_by_reciprocal(front, front))
        for i in range(count):
            at = w.candidate[i].chosen
            point, depth = w.candidate[at].point_b, w.candidate[at].distance
            if not is_hidden(w, t, n, point - n * depth):
                w.candidate[CHOICE_OF_PATCH + POLYGON + 1 + i].point_b = point
                w.candidate[CHOICE_OF_PATCH + POLYGON + 1 + i].distance = depth
                w.candidate[i].within = True
            else:
                w.candidate[i].within = False
        for i in range(count):
            if w.candidate[i].within:
                place = CHOICE_OF_PATCH + POLYGON + 1 + i
                total = join_patch(w, w.candidate[place].point_b, n, w.candidate[place].distance, total)
    return total


@ti.func
def join_patch(w: ti.template(), point, n, depth, patches):
    """Add a point to the first patch with its normal, or to a new one; return the number of patches."""
    chosen, total = patches, patches
    for back in range(patches):
        k = patches - 1 - back
        if w.candidate[PATCH + k].normal.dot(n) >= SAME_NORMAL:
            chosen = k
    if chosen < MOST_PATCHES:
        if chosen == patches:
            w.candidate[PATCH + chosen].normal = n
            w.candidate[PATCH + chosen].chosen = 0
            total += 1
        count, place = w.candidate[PATCH + chosen].chosen, 0
        first = POINT + POLYGON * chosen
        for i in range(count):  # what is deeper than the new point comes before it
            if place == i and w.candidate[first + i].distance < depth:
                place = i + 1
        for i in range(count):
            to = i + 1
            if i < place:
                to = i
            w.candidate[CHOICE_OF_PATCH + to].point_b = w.candidate[first + i].point_b
            w.candidate[CHOICE_OF_PATCH + to].distance = w.candidate[first + i].distance
        w.candidate[CHOICE_OF_PATCH + place].point_b = point
        w.candidate[CHOICE_OF_PATCH + place].distance = depth
        count = reduce_to_polygon(w, CHOICE_OF_PATCH, count + 1, w.candidate[PATCH + chosen].normal)
        for i in range(count):
            source = CHOICE_OF_PATCH + w.candidate[CHOICE_OF_PATCH + i].chosen
            w.candidate[first + i].point_b = w.candidate[source].point_b
            w.candidate[first + i].distance = w.candidate[source].distance
        w.candidate[PATCH + chosen].chosen = count
    return total


@ti.func
def add_patches(w: ti.template(), g, mesh, patches):
    """Add the points of the deepest patches, in the order of the patches; `mesh` is the pose of the mesh."""
    for k in range(patches):
        deeper = 0
        for other in range(patches):
            if w.candidate[POINT + POLYGON * other].distance < w.candidate[POINT + POLYGON * k].distance:
                deeper += 1
        if deeper < PATCHES_ON_MESH:
            n = mesh.q.rotate(w.candidate[PATCH + k].normal)
            for i in range(w.candidate[PATCH + k].chosen):
                candidate = w.candidate[POINT + POLYGON * k + i]
                add_contact(w, g, mesh.apply(candidate.point_b), n, candidate.distance)
