"""What the equations of motion say of a simulation's present state: M(q) q̈ + c(q, q̇) − g(q) = τ.

Every function takes the simulation, then arrays by keyword, and returns a NumPy array of its own, (W, ...) over worlds.
Units are SI and radians, axes are the world's. Neither drives, limits, friction, damping, tendons nor joints outside
the trees count; armature does.

Coordinates (`coordinates` names them): a floating base has six, the velocity of the root's centre of mass and its
angular velocity; then comes one a degree of freedom, in the order of `Simulation.dof`. So n = D, or 6 + D. Of a wrench
the force comes first, and the torque is about the centre of mass of the link. Accelerations are those of points, not
spatial ones. This is PhysX's convention (`PxArticulationReducedCoordinate`), but for the order of the degrees of
freedom and links, which is breadth first there. Where the textbook wants something else than PhysX's function of that
name returns, the textbook is followed, and `physx=True` asks for the other; what differs is said at each function.

With `free_base` a floating base gives way, accelerating so that it needs no effort: the answer is of the joints alone.
That is what PhysX's older functions (`computeGeneralized...`) do. A fixed base cannot, and nothing changes.

`articulation` is the prim path or the index in `Scene.articulations` of the robot that is meant; it may be left out
where there is one. A wrong name, shape or type raises ValueError.
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
