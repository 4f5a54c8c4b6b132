"""Units of the file: products of powers of the stage's mass unit, its length unit and a degree; seconds are seconds."""

from dataclasses import dataclass
from math import radians


@dataclass(frozen=True)
class Unit:
    """Exponents of the stage's mass unit [kg], of its length unit [m] and of a degree [rad]."""

    mass: int = 0
    length: int = 0
    angle: int = 0

    def scale(self, kilograms: float, metres: float) -> float:
        """What one of this unit is in SI units and radians."""
        return kilograms**self.mass * metres**self.length * radians(1.0) ** self.angle


ONE, LENGTH, ANGLE, MASS = Unit(), Unit(length=1), Unit(angle=1), Unit(mass=1)
FORCE, EFFORT, INERTIA = Unit(1, 1), Unit(1, 2), Unit(1, 2)
PER_LENGTH, PER_DEGREE = Unit(mass=1), Unit(1, 2, -1)  # effort per position or per speed
PER_FORCE, PER_EFFORT = Unit(mass=-1), Unit(-1, -2, 1)  # speed per effort
