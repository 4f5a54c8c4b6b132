"""Materials of colliders: friction, restitution and the spring of compliant contacts."""

from dataclasses import dataclass
from enum import IntEnum


class CombineMode(IntEnum):
    """Rule for the value of a pair of materials; of two different rules the larger one applies."""

    AVERAGE = 0
    MIN = 1
    MULTIPLY = 2
    MAX = 3


@dataclass(frozen=True)
class ContactMaterial:
    """A physics material; the defaults are those of a collider without a material."""

    static_friction: float = 0.5  # friction counts as the larger of static and dynamic, after combination
    dynamic_friction: float = 0.5
    restitution: float = 0.0
    friction_combine: CombineMode = CombineMode.AVERAGE
    restitution_combine: CombineMode = CombineMode.AVERAGE  # also of stiffness
    damping_combine: CombineMode = CombineMode.AVERAGE
    stiffness: float = 0.0  # [N/m], or [1/s²] for an acceleration spring; 0: the contact is rigid
    damping: float = 0.0  # [N·s/m], or [1/s]
    acceleration_spring: bool = False


NO_MATERIAL = ContactMaterial()
"""The material of a collider without one."""
