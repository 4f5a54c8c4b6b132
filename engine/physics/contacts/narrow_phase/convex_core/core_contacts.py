"""Contact points of a cylinder or cone with a convex shape; nothing is kept from step to step.

Nearest points of the cores, or the direction of least depth where these overlap, are moved out to the shapes' surfaces;
the faces there, clipped by each other, give up to four points. The normal is the direction between the nearest points.
"""

import taichi as ti

from ....spatial import zero_vector
from ...broad_phase.speculation import contact_distance
from ...pose import Pose
from ...scalars import FLOAT_EPSILON, unit_by_reciprocal
from ..contact_points import add_contact
from .core_clipping import write_core_points
from .core_depth import depth_of_cores
from .core_distance import OVERLAP, PARTED, nearest_of_cores
from .cores import direction_between, load_core, place_core

BACK_FACE = -1e-5
"""Least component of a normal along that of a triangle."""


@ti.func
def core_on_core(w: ti.template(), g, one, two):
    """Add the points of pair g; its poses are computed anew."""
    one, two = place_core(w, w.slot[g].collider_a), place_core(w, w.slot[g].collider_b)
    middle, none = (one.p + two.p) * 0.5, zero_vector()
    load_core(w, 0, w.slot[g].collider_a, Pose(one.p - middle, one.q))
    load_core(w, 1, w.slot[g].collider_b, Pose(two.p - middle, two.q))
    count, normal = find_core_points(w, contact_distance(w, g), none)
    for i in range(count):
        candidate = w.candidate[w.candidate[i].chosen]
        add_contact(w, g, candidate.point_b + middle, normal, candidate.distance)


@ti.func
def find_core_points(w: ti.template(), distance, front):
    """Write the points of the two cores if they are nearer than a distance; return their number and the normal.

    `front` is the normal of a triangle that has no contacts on its back, zero for other shapes.
    """
    margin_a, margin_b = w.core[0].margin, w.core[1].margin
    start, reach, count = direction_between(w), margin_a + margin_b + distance, 0
    state, on_a, on_b, apart = nearest_of_cores(w, start, reach)
    axis, length, near = unit_by_reciprocal(apart, apart), apart.norm(), state != PARTED
    if state == OVERLAP or (near and length < FLOAT_EPSILON):
        near, on_a, on_b, axis, length = depth_of_cores(w, start)
    if near and length <= reach and front.dot(axis) >= BACK_FACE:
        count = write_core_points(w, on_a - axis * margin_a, on_b + axis * margin_b, axis)
    return count, axis
