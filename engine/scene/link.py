"""Rigid bodies."""

from dataclasses import dataclass
from math import inf

from .external_force import ExternalForce
from .frame import IDENTITY, Pose, Vector
from .surface_velocity import SurfaceVelocity


@dataclass(frozen=True)
class Link:
    """A rigid body of an articulation."""

    path: str
    pose: Pose = IDENTITY  # world frame of the prim; used for root links only, joints place all other links
    mass: float = 1.0  # [kg]
    com: Vector = (0.0, 0.0, 0.0)  # centre of mass in the link frame [m]
    inertia: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))  # about com [kg·m²]
    linear_damping: float = 0.0  # [1/s]
    angular_damping: float = 0.05  # [1/s]
    max_linear_velocity: float = inf  # [m/s]
    max_angular_velocity: float = 100.0  # [rad/s]
    disable_gravity: bool = False
    gravity_scale: float = 1.0  # gravity of its physics scene, relative to that of the simulation
    cfm_scale: float = 0.025
    locked_axes: int = 0  # bits of world axes along which a free body does not move: 1, 2, 4; about which: 8, 16, 32
    gyroscopic: bool = True  # gyroscopic torque on a free body; an articulation's links always have it
    max_depenetration_velocity: float = 3.0  # [m/s] speed at which contacts push it out of another shape
    max_contact_impulse: float = inf  # [N·s] most that a point of its contacts gives along the normal in a step
    contact_slop: float = 0.0  # [m] arms of its contacts that are shorter do not count
    speculative_ccd: bool = False  # contacts of a free body are found ahead, as far as it may move in a step
    ccd: bool = False  # a free body stops where it first meets a shape in a step, if its scene allows it
    surface_velocity: SurfaceVelocity | None = None
    external_force: ExternalForce | None = None
    velocity: Vector = (0.0, 0.0, 0.0)  # initial velocity of the centre of mass of a floating root, world [m/s]
    angular_velocity: Vector = (0.0, 0.0, 0.0)  # initial angular velocity of a floating root, world [rad/s]
