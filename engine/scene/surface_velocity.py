"""Surface velocities of bodies: conveyor belts and turntables."""

from dataclasses import dataclass

from .frame import Vector


@dataclass(frozen=True)
class SurfaceVelocity:
    """Velocity of a body's surface, which moves what touches it; it turns about where the body was at the start."""

    linear: Vector = (0.0, 0.0, 0.0)  # [m/s]
    angular: Vector = (0.0, 0.0, 0.0)  # [rad/s]
    local: bool = True  # True for velocities in link axes, False for world axes
