"""Equations of motion of a simulation's present state: M(q) q̈ + c(q, q̇) − g(q) = τ.

Every function takes the simulation, then arrays by keyword, and returns a new NumPy array, (W, ...) over worlds.
Units are SI and radians; axes are the world's. Drives, limits, friction, damping, tendons and maximal joints are not
included; armature is.

Coordinates (`coordinates` returns their names): a floating base has six, the velocity of the root's centre of mass and
its angular velocity. One per degree of freedom follows, in the order of `Simulation.dof`. So n = D, or 6 + D. A wrench
is a force, then a torque about the centre of mass of the link. Accelerations are those of points, not spatial ones.
This is PhysX's convention (`PxArticulationReducedCoordinate`), except for the order of degrees of freedom and links,
which is breadth first in PhysX. Where a function of PhysX differs from the textbook, the default is the textbook and
`physx=True` selects PhysX's result; each function documents the difference.

With `free_base=True` a floating base is unactuated and accelerates freely; the result holds the joints only. PhysX's
older functions (`computeGeneralized...`) do this. The option does not change the result of a fixed base.

`articulation` is a prim path or an index in `Scene.articulations`; it may be omitted in a scene with one robot.
A wrong name, shape or type raises ValueError.
"""

from .equations import (
    BASE,
    articulation_com,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
    coordinates,
    coriolis_compensation,
    generalized_external_force,
    gravity_compensation,
    jacobian,
    joint_acceleration,
    joint_force,
    kinetic_energy,
    link_acceleration,
    links,
    mass_matrix,
    momentum,
    potential_energy,
)
from .loop_forces import loop_coefficient_matrix, loop_force, loop_rows

__all__ = [
    "BASE",
    "articulation_com",
    "centroidal_momentum_bias",
    "centroidal_momentum_matrix",
    "coordinates",
    "coriolis_compensation",
    "generalized_external_force",
    "gravity_compensation",
    "jacobian",
    "joint_acceleration",
    "joint_force",
    "kinetic_energy",
    "link_acceleration",
    "links",
    "loop_coefficient_matrix",
    "loop_force",
    "loop_rows",
    "mass_matrix",
    "momentum",
    "potential_energy",
]
