"""Joint drives and the performance envelopes of their motors."""

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
class Drive:
    """An implicit joint drive: effort or acceleration = stiffness (target_q - q) + damping (target_qd - qd)."""

    type: DriveType = DriveType.FORCE
    stiffness: float = 0.0  # [N·m/rad | N/m], or [1/s²] for an acceleration drive
    damping: float = 0.0  # [N·m·s/rad | N·s/m], or [1/s]
    max_force: float = inf  # [N·m | N]; limits the sum of drive effort and user effort
    target_q: float = 0.0  # [rad | m]
    target_qd: float = 0.0  # [rad/s | m/s]
    envelope: Envelope | None = None
