"""Sweep of a shape against a triangle mesh: the triangle that it meets first.

    faces    −d · n ≥ θ;  n the normal of the triangle, d and θ as in `continuous`, where a mesh adds nothing to θ
    meets    by GJK along the way, with the triangle as the core that moves

The first of all triangles counts, by its normal of contact.
"""

import taichi as ti

from ..lanes import broadcast
from ..spatial import Vec3, zero_vector
from . import simd
from .broad_phase.colliders import present_pose
from .kinds import SPHERE, has_radius
from .narrow_phase.mesh.mesh_triangle import corners_of
from .narrow_phase.mesh.shape_on_mesh import box_of_core, meets, turned_box
from .pose import Pose
from .sweep import ACCURACY, margin, sweep_cores, threshold


@ti.func
def first_touch_of_mesh(w: ti.template(), g):
    """Return the share of its way at which the shape of pair g meets the mesh, 1 for none, and the normal then.

    It is 1 if the shape begins in touch with a triangle that it moves into.
    """
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    one, two = present_pose(w, a), present_pose(w, b)
    way = (one.p - w.collider[a].position) - (two.p - w.collider[b].position)
    share, normal, most = broadcast(1.0), zero_vector(), threshold(w, a)
    if way.norm() > most:
        reach = ti.max(w.slot[g].rest_distance, 0.0) + margin(w, a)
        if has_radius(w.collider[a].shape):
            reach = reach + w.param.collider_size[a].x
        share, normal = sweep_over_triangles(w, g, way, reach)
        normal = one.q.rotate(normal)
        if share == 0.0 or 0.0 - way.dot(normal) < most:
            share = broadcast(1.0)
    return share, normal


@ti.func
def sweep_over_triangles(w: ti.template(), g, way, reach):
    """Return the least share of a way at which a triangle is within `reach`, and the normal in the shape's frame."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    here = Pose(w.collider[a].position, present_pose(w, a).q)
    there = Pose(w.collider[b].position, present_pose(w, b).q)
    start, mesh = here.within(there), there.within(here)
    along, back = there.q.unrotate(way), here.q.unrotate(way * -1.0)
    share, normal, most = broadcast(1.0), zero_vector(), threshold(w, a)
    middle, around = swept_box(w, a, start, along, reach)
    i, end, t, leaf_end, running = w.collider[b].tree, w.bound[w.collider[b].tree].skip, 0, 0, True
    while running:
        if t < leaf_end:
            x, y, z = corners_of(w, t)
            front = (y - x).cross(z - x)
            if 0.0 - simd.dot(along, simd.unit(front, front)) >= most:
                when, toward = sweep_cores(w, g, t, mesh, back, reach, ACCURACY * most)
                if when < share:
                    share, normal = when, toward * -1.0
            t += 1
        elif i < end:
            step = w.bound[i].skip
            if meets(middle, around, w.param.bound_low[i], w.param.bound_high[i]):
                t, leaf_end, step = w.bound[i].triangle, w.bound[i].triangle_end, i + 1
            i = step
        else:
            running = False
    return share, normal


@ti.func
def swept_box(w: ti.template(), c, start, along, reach):
    """Return the middle and half the sides of a box around the way of shape c, both in the frame of the mesh."""
    middle, half = zero_vector(), Vec3(reach, reach, reach)
    if w.collider[c].shape != SPHERE:
        middle, half = box_of_core(w, c, reach)
    around = turned_box(start, half)
    grown = Vec3(around.x + 0.5 * ti.abs(along.x), around.y + 0.5 * ti.abs(along.y), around.z + 0.5 * ti.abs(along.z))
    return start.apply(middle) + along * 0.5, grown
