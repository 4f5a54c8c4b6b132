"""Forces on links that the scene authors."""

from dataclasses import dataclass

from .frame import Vector


@dataclass(frozen=True)
class ExternalForce:
    """A force and a torque that act on a link all the time."""

    force: Vector = (0.0, 0.0, 0.0)  # [N], or [m/s²] per mass
    torque: Vector = (0.0, 0.0, 0.0)  # [N·m], or [rad/s²] per inertia
    position: Vector = (0.0, 0.0, 0.0)  # where the force acts, from the centre of mass, link axes [m]
    local: bool = False  # True for force and torque in link axes, False for world axes
    acceleration: bool = False  # True for a force per mass and a torque per inertia
