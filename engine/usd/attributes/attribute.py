"""Rows of the attribute table: a USD attribute, its scene field, its unit and its rule."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isnan, nextafter
from typing import Any

from ...scene import InvalidScene
from .kinds import Kind, kind_of, quoted
from .units import ONE, Unit

UNBOUNDED = 0.5e38  # PhysX's limit for infinite values; converters write FLT_MAX
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
ONCE = {  # single-apply schemas; Newton's attributes act without a schema, as in PhysX
    "physxScene": "PhysxSceneAPI",
    "physxArticulation": "PhysxArticulationAPI",
    "physxRigidBody": "PhysxRigidBodyAPI",
    "physxForce": "PhysxForceAPI",
    "physxSurfaceVelocity": "PhysxSurfaceVelocityAPI",
    "physxCollision": "PhysxCollisionAPI",
    "physxConvexHullCollision": "PhysxConvexHullCollisionAPI",
    "physxMaterial": "PhysxMaterialAPI",
    "physxPhysicsDistanceJoint": "PhysxPhysicsDistanceJointAPI",
}
UNUSED_HERE = "wrong-prim"


@dataclass(frozen=True)
class Attribute:
    """A row: a USD attribute, its scene field and its unit; "{axis}" in the name stands for an instance."""

    name: str
    field: str
    default: Any
    unit: Unit = ONE  # unit on a rotation, or on a prim that is not a joint axis
    linear: Unit | None = None  # unit on a translation, if different
    rule: str = "finite"  # rule for values, a key of RULES
    tokens: dict[str, Any] | None = None  # values of a token attribute
    gain: bool = False  # True for gains, whose unit has neither mass nor length for an acceleration drive
    unused: str = UNUSED_HERE  # code of the diagnostic where an authored attribute is not used
    of: str = ""  # schema of the attribute, if the attribute's name does not begin with it

    @cached_property
    def kind(self) -> Kind:
        """Return the kind of its values: numbers, tokens, vectors."""
        return kind_of(self.default, self.tokens is not None)

    @cached_property
    def schema(self) -> str:
        """Return the API schema that the attribute requires; "" if it requires none or one of several."""
        return self.of or (SCHEMAS if self.of_axes else ONCE).get(self.name.split(":")[0], "")

    @cached_property
    def of_axes(self) -> bool:
        """Return whether a prim has the attribute once per instance of a multiple-apply schema."""
        return "{axis}" in self.name

    def named(self, axis: str) -> str:
        """Return the attribute's name on an axis, or another instance of its schema."""
        return self.name.format(axis=axis) if self.of_axes else self.name

    def applied(self, axis: str) -> str:
        """Return the schema as applied to a prim, with the instance of a multiple-apply schema; "" if there is none."""
        return f"{self.schema}:{axis}" if self.schema and self.of_axes else self.schema

    def measure(self, rotational: bool = True, acceleration: bool = False) -> Unit:
        """Return the unit in the file on a rotation or translation, for a force or acceleration drive."""
        unit = self.unit if rotational or self.linear is None else self.linear
        return replace(unit, mass=0, length=0) if acceleration and self.gain else unit

    def convert(self, value: Any, scale: float) -> Any:
        """Convert a value to SI units; FLT_MAX and all values beyond UNBOUNDED become infinite."""
        if self.tokens is not None:
            return self.tokens[value] if isinstance(value, str) else tuple(self.tokens[token] for token in value)
        if isinstance(self.default, bool | int):
            return value
        if hasattr(value, "__len__"):
            return tuple(self.convert(x, scale) for x in value)
        return value * scale if abs(value) < UNBOUNDED else inf * (1.0 if value > 0.0 else -1.0)

    def revert(self, value: Any, scale: float) -> Any:
        """Convert a value in SI units to the file's unit: the exact inverse of `convert`; tokens are unchanged."""
        if self.tokens is not None or isinstance(self.default, bool | int):
            return value
        if hasattr(value, "__len__"):
            return tuple(self.revert(x, scale) for x in value)
        near = float(value) / scale
        return next((x for x in (near, nextafter(near, inf), nextafter(near, -inf)) if x * scale == value), near)

    def check(self, value: Any, prim: Any, name: str, held: Any = None, unit: str = "") -> None:
        """Raise InvalidScene, quoting the authored value, if a value of prim.name breaks the row's rule."""
        if self.tokens is not None:
            broken = any(token not in self.tokens for token in ([value] if isinstance(value, str) else value))
            law, fix = f"one of {', '.join(self.tokens)}", "author one of these"
        else:
            broken = self.breaks(value)
            _, law, fix = RULES[self.rule]
        if broken:
            text = f"{quoted(value if held is None else held)} {unit}".strip()
            raise InvalidScene(prim, name, text, law, fix)

    def breaks(self, value: Any) -> bool:
        """Return whether numbers break the row's rule."""
        try:
            numbers = [float(x) for x in value] if hasattr(value, "__len__") else [float(value)]
            return any(map(isnan, numbers)) or not RULES[self.rule][0](numbers)
        except (TypeError, ValueError):
            return True


NUMBER_FIX = "author such a number or remove the attribute"
RULES = {
    "any": (lambda xs: True, "a number", NUMBER_FIX),
    "finite": (lambda xs: all(abs(x) < UNBOUNDED for x in xs), "finite", NUMBER_FIX),
    "bounded": (lambda xs: all(x < UNBOUNDED for x in xs), "finite", NUMBER_FIX),
    "point": (
        lambda xs: all(abs(x) < UNBOUNDED for x in xs) or all(x <= -UNBOUNDED for x in xs),
        "three finite numbers",
        NUMBER_FIX,
    ),
    "positive": (lambda xs: all(0.0 < x < UNBOUNDED for x in xs), "positive and finite", NUMBER_FIX),
    "all nonzero": (
        lambda xs: len(xs) > 0 and all(0.0 < abs(x) < UNBOUNDED for x in xs),
        "numbers that are finite and not 0, one for each reference",
        "author an array, as [1, -0.5]",
    ),
    "nonnegative": (lambda xs: all(x >= 0.0 for x in xs), "0 or more", NUMBER_FIX),
    "magnitude": (lambda xs: all(0.0 <= x < UNBOUNDED for x in xs), "finite and 0 or more", NUMBER_FIX),
    "fraction": (lambda xs: all(0.0 <= x <= 1.0 for x in xs), "between 0 and 1", NUMBER_FIX),
    "number": (
        lambda xs: len(xs) > 0 and all(abs(x) < UNBOUNDED for x in xs),
        "a finite number",
        "author an array of one number, as [1]",
    ),
    "rotation": (
        lambda xs: any(xs) and all(abs(x) < UNBOUNDED for x in xs),
        "a quaternion that is not zero",
        "author (1, 0, 0, 0) for no rotation",
    ),
}
