"""Velocity of a kinematic body as the rows of its pairs read it."""

import taichi as ti

from ...link_sides import link_velocity
from ...spatial import Motion, zero_vector


@ti.func
def kinematic_velocity(w: ti.template(), s, tgs):
    """Return the velocity of the kinematic body at side s; PGS does not see its rotation, as in PhysX."""
    velocity = link_velocity(w, s, 0.0, 0.0)
    if tgs == 0:
        velocity = Motion(zero_vector(), velocity.lin)
    return velocity


@ti.func
def read_kinematic_side(w: ti.template(), g, tgs):
    """Write the velocity of side 1 of pair g if it is kinematic."""
    if ti.static(w.features.kinematics):
        if w.slot[g].owner1 < 0:
            w.side[w.slot[g].side1].v = kinematic_velocity(w, w.slot[g].side1, tgs)
