"""Units of a file: products of powers of the stage's mass unit, its length unit, a degree and a second."""

from dataclasses import dataclass
from math import radians

from ...scene import InvalidScene

METRIC = {1.0: "m", 0.01: "cm", 0.001: "mm"}  # metersPerUnit: name of the length unit
WEIGHTS = {1.0: "kg", 0.001: "g"}  # kilogramsPerUnit: name of the mass unit
SIZES = (1e-12, 1e12)  # smallest and largest unit of a stage; products of their powers stay finite
POWERS = {1: "", 2: "²", 3: "³"}


@dataclass(frozen=True)
class Unit:
    """Exponents of the stage's mass unit [kg], of its length unit [m], of a degree [rad] and of a second."""

    mass: int = 0
    length: int = 0
    angle: int = 0
    time: int = 0  # does not affect the scale: seconds are SI

    def scale(self, kilograms: float, metres: float) -> float:
        """Return the value of this unit in SI units and radians."""
        return kilograms**self.mass * metres**self.length * radians(1.0) ** self.angle

    def named(self, kilograms: float, metres: float, angle: str = "deg") -> str:
        """Return the unit as text, as N·m/deg; "" if dimensionless. SI and radians are `named(1.0, 1.0, "rad")`."""
        mass, length = WEIGHTS.get(kilograms, "mass"), METRIC.get(metres, "length")
        newtons = self.mass if self.time and (kilograms, metres) == (1.0, 1.0) else 0
        powers = {
            "N": newtons,
            mass: self.mass - newtons,
            length: self.length - newtons,
            "s": self.time + 2 * newtons,
            angle: self.angle,
        }
        above = [f"{name}{POWERS[power]}" for name, power in powers.items() if power > 0]
        below = [f"{name}{POWERS[-power]}" for name, power in powers.items() if power < 0]
        if not below:
            return "·".join(above)
        return f"{'·'.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + '·'.join(below) + ')'}"


def check_size(name: str, value: float) -> None:
    """Raise InvalidScene for a unit of a stage, such as metersPerUnit, that is not positive or not within SIZES."""
    if not SIZES[0] <= value <= SIZES[1]:
        least, most = SIZES
        raise InvalidScene("/", name, value, f"positive and finite, {least:g} to {most:g}", "author such a number")


ONE, LENGTH, ANGLE, MASS = Unit(), Unit(length=1), Unit(angle=1), Unit(mass=1)
SPEED, TURN_RATE, ACCELERATION = Unit(length=1, time=-1), Unit(angle=1, time=-1), Unit(length=1, time=-2)
SPEED_SQUARED = Unit(length=2, time=-2)
SECOND = Unit(time=1)
RATE = Unit(time=-1)  # also of angles that the file has in radians
PER_RADIAN_RATE = Unit(1, 2, 0, -1)
FORCE, EFFORT, INERTIA, DENSITY = Unit(1, 1, 0, -2), Unit(1, 2, 0, -2), Unit(1, 2), Unit(1, -3)
IMPULSE = Unit(1, 1, 0, -1)
PER_LENGTH, PER_DEGREE = Unit(1, 0, 0, -2), Unit(1, 2, -1, -2)  # effort per position
PER_SPEED, PER_TURN_RATE = Unit(1, 0, 0, -1), Unit(1, 2, -1, -1)  # effort per speed
PER_FORCE, PER_EFFORT = Unit(-1, 0, 0, 1), Unit(-1, -2, 1, 1)  # speed per effort
