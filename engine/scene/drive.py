"""Joint drives, the performance envelopes of their motors, and the control laws of actuators."""

from dataclasses import dataclass
from enum import IntEnum
from math import inf


class DriveType(IntEnum):
    """Result of a drive's gains: an effort or an acceleration."""

    NONE = 0
    FORCE = 1
    ACCELERATION = 2


@dataclass(frozen=True)
class Envelope:
    """Limits of a motor: |τ| ≤ max_force − resistance |q̇| and |q̇| ≤ max_actuator_velocity − gradient |τ|."""

    max_actuator_velocity: float = inf  # [rad/s | m/s]
    velocity_dependent_resistance: float = 0.0  # [N·m·s/rad | N·s/m]
    speed_effort_gradient: float = 0.0  # [rad/s/(N·m) | m/s/N]


@dataclass(frozen=True)
class Actuator:
    """Explicit control of a joint: what an actuator of Newton has beside the gains and the bound of a drive.

    Its effort is computed from q and q̇ at the start of a step, and constant in the step.
    """

    integral_gain: float = 0.0  # [N·m/(rad·s) | N/(m·s)]
    integral_max: float = inf  # bound on the integral of the error [rad·s | m·s]
    constant_effort: float = 0.0  # [N·m | N]
    saturation_effort: float = inf  # effort of a DC motor at rest [N·m | N]
    max_motor_effort: float = inf  # bound on the effort of a DC motor at any speed [N·m | N]
    no_load_speed: float = inf  # speed at which a DC motor has no effort [rad/s | m/s]
    delay: int = 0  # steps by which targets and user effort are late
    bound_positions: tuple[float, ...] = ()  # ascending positions of the points of a bound on the effort [rad | m]
    bound_efforts: tuple[float, ...] = ()  # |effort| at these points [N·m | N]


@dataclass(frozen=True)
class Drive:
    """A joint drive: effort or acceleration = stiffness (target_q - q) + damping (target_qd - qd).

    It is implicit, unless it has an actuator.
    """

    type: DriveType = DriveType.FORCE
    stiffness: float = 0.0  # [N·m/rad | N/m], or [1/s²] for an acceleration drive
    damping: float = 0.0  # [N·m·s/rad | N·s/m], or [1/s]
    max_force: float = inf  # [N·m | N]; limits the sum of drive effort and user effort
    target_q: float = 0.0  # [rad | m]
    target_qd: float = 0.0  # [rad/s | m/s]
    envelope: Envelope | None = None
    actuator: Actuator | None = None  # of force drives on revolute and prismatic joints
