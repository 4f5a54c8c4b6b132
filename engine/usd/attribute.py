"""A row of the attribute table: a USD attribute, the scene field it fills, its unit and the rule it obeys."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isnan
from typing import Any

from ..scene import InvalidScene
from .kinds import Kind, kind_of, quoted
from .units import ONE, Unit

UNBOUNDED = 0.5e38  # PhysX's line between a number and infinity; converters write FLT_MAX for it
SCHEMAS = {
    "drive": "PhysicsDriveAPI",
    "limit": "PhysicsLimitAPI",
    "state": "PhysicsJointStateAPI",
    "physxJointAxis": "PhysxJointAxisAPI",
    "physxDrivePerformanceEnvelope": "PhysxDrivePerformanceEnvelopeAPI",
    "physxMimicJoint": "PhysxMimicJointAPI",
    "physxLimit": "PhysxLimitAPI",
    "fajinMimic": "FajinMimicAPI",
}
ONCE = {  # schemas that are applied once; what is of Newton's acts without one, as in PhysX
    "physxScene": "PhysxSceneAPI",
    "physxArticulation": "PhysxArticulationAPI",
    "physxRigidBody": "PhysxRigidBodyAPI",
    "physxPhysicsDistanceJoint": "PhysxPhysicsDistanceJointAPI",
}
UNUSED_HERE = "says nothing about a prim of this kind"


@dataclass(frozen=True)
class Attribute:
    """A row: one USD attribute, the scene field it fills and its unit; "{axis}" in the name stands for an instance."""

    name: str
    field: str
    default: Any
    unit: Unit = ONE  # of a rotation, or of anything that is not a joint axis
    linear: Unit | None = None  # of a translation, where it differs
    rule: str = "finite"  # what a value must be, a key of RULES
    tokens: dict[str, Any] | None = None  # values of a token attribute
    gain: bool = False  # a gain of an acceleration drive has neither mass nor length in its unit
    unused: str = UNUSED_HERE  # why, where the row is not used though it is authored
    of: str = ""  # the schema that it belongs to, where its name does not begin with it

    @cached_property
    def kind(self) -> Kind:
        """What its values are: numbers, tokens, vectors."""
        return kind_of(self.default, self.tokens is not None)

    @cached_property
    def schema(self) -> str:
        """The API schema without which the attribute means nothing; "" if there is none, or not one."""
        return self.of or (SCHEMAS if "{axis}" in self.name else ONCE).get(self.name.split(":")[0], "")

    def applied(self, axis: str) -> str:
        """The schema as it must be applied to a prim, a multiple-apply one for an axis; "" if there is none."""
        return f"{self.schema}:{axis}" if self.schema and "{axis}" in self.name else self.schema

    def measure(self, rotational: bool = True, acceleration: bool = False) -> Unit:
        """The unit of the file on a rotation or a translation, of a force or an acceleration drive."""
        unit = self.unit if rotational or self.linear is None else self.linear
        return replace(unit, mass=0, length=0) if acceleration and self.gain else unit

    def convert(self, value: Any, scale: float) -> Any:
        """A value of the row's kind in SI units; FLT_MAX and what is beyond UNBOUNDED become infinite."""
        if self.tokens is not None:
            return self.tokens[value] if isinstance(value, str) else tuple(self.tokens[token] for token in value)
        if isinstance(self.default, bool | int):
            return value
        if hasattr(value, "__len__"):
            return tuple(self.convert(x, scale) for x in value)
        return value * scale if abs(value) < UNBOUNDED else inf * (1.0 if value > 0.0 else -1.0)

    def revert(self, value: Any, scale: float) -> Any:
        """What the file writes for a value in SI units: the inverse of `convert`; a token stands for itself."""
        if self.tokens is not None or isinstance(self.default, bool | int):
            return value
        if hasattr(value, "__len__"):
            return tuple(self.revert(x, scale) for x in value)
        return float(value) / scale

    def check(self, value: Any, where: str, held: Any = None) -> None:
        """Raise InvalidScene, quoting what the file holds, where the value breaks the row's rule."""
        written = quoted(value if held is None else held)
        if self.tokens is not None:
            if any(token not in self.tokens for token in ([value] if isinstance(value, str) else value)):
                allowed = ", ".join(self.tokens)
                raise InvalidScene(f"{where} = {written}: must be one of {allowed}; author one of these")
            return
        rule, mend = RULES[self.rule]
        try:
            numbers = [float(x) for x in value] if hasattr(value, "__len__") else [float(value)]
            broken = any(map(isnan, numbers)) or not rule(numbers)
        except (TypeError, ValueError):
            broken = True
        if broken:
            raise InvalidScene(f"{where} = {written}: must be {mend}")


NUMBER_FIX = "author such a number or remove the attribute"
RULES = {
    "any": (lambda xs: True, f"a number; {NUMBER_FIX}"),
    "finite": (lambda xs: all(abs(x) < UNBOUNDED for x in xs), f"finite; {NUMBER_FIX}"),
    "bounded": (lambda xs: all(x < UNBOUNDED for x in xs), f"finite; {NUMBER_FIX}"),
    "point": (
        lambda xs: all(abs(x) < UNBOUNDED for x in xs) or all(x <= -UNBOUNDED for x in xs),
        f"three finite numbers; {NUMBER_FIX}",
    ),
    "positive": (lambda xs: all(0.0 < x < UNBOUNDED for x in xs), f"positive and finite; {NUMBER_FIX}"),
    "all nonzero": (
        lambda xs: len(xs) > 0 and all(0.0 < abs(x) < UNBOUNDED for x in xs),
        "numbers that are finite and not 0, one for each reference; author an array, as [1, -0.5]",
    ),
    "nonnegative": (lambda xs: all(x >= 0.0 for x in xs), f"0 or more; {NUMBER_FIX}"),
    "magnitude": (lambda xs: all(0.0 <= x < UNBOUNDED for x in xs), f"finite and 0 or more; {NUMBER_FIX}"),
    "fraction": (lambda xs: all(0.0 <= x <= 1.0 for x in xs), f"between 0 and 1; {NUMBER_FIX}"),
    "number": (
        lambda xs: len(xs) > 0 and all(abs(x) < UNBOUNDED for x in xs),
        "a finite number; author an array of one number, as [1]",
    ),
    "rotation": (
        lambda xs: any(xs) and all(abs(x) < UNBOUNDED for x in xs),
        "a quaternion that is not zero; author (1, 0, 0, 0) for no rotation",
    ),
}
