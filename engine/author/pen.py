"""Writing rows of the attribute table on a prim: SI in, the file's units out, and what changed as a list."""

from collections.abc import Iterable
from typing import Any

from pxr import Usd, UsdGeom, UsdPhysics

from ..scene import InvalidScene
from ..usd.attribute import Attribute
from ..usd.session import attribute_type
from ..usd.stage import START, schemas
from .axis import JointAxis
from .change import Change


class Pen:
    """Writes on one prim; an instance and a kind of axis stand in the names and units of the rows."""

    def __init__(self, prim: Usd.Prim, at: JointAxis | None = None, instance: str = "", acceleration: bool = False):
        stage = prim.GetStage()
        self.prim, self.path = prim, str(prim.GetPath())
        self.units = UsdPhysics.GetStageKilogramsPerUnit(stage), UsdGeom.GetStageMetersPerUnit(stage)
        self.instance = instance or (at.instance if at else "")
        self.kind = (at is None or at.rotational, acceleration)

    def write(self, rows: Iterable[Attribute], values: dict[str, Any]) -> list[Change]:
        """Author those rows whose field has a value, in SI units, with the schema that each needs; None leaves it.

        Names of Newton take a value only where they stand already and the value is 0: there, PhysX lets them speak.

        Raises:
            InvalidScene: a value breaks its rule; then nothing is written.
        """
        said = [(row, values[row.field]) for row in rows if values.get(row.field) is not None]
        for row, value in said:
            self.check(row, value)
        changes = []
        for row, value in said:
            if row.name.startswith("newton:") and (value != 0.0 or not self.authored(row)):
                continue
            changes += self.apply(f"{row.schema}:{self.instance}") if row.schema else []
            changes.append(self.set(row, value))
        return changes

    def check(self, row: Attribute, value: Any) -> None:
        """Raise InvalidScene where a value in SI units breaks the rule of its row."""
        unit = row.measure(*self.kind).named(1.0, 1.0, "rad")
        row.check(value, f"{self.path}.{self.name(row)}{f' [{unit}]' if unit else ''}")

    def set(self, row: Attribute, value: Any) -> Change:
        """Author one row, whatever its schema."""
        unit, name = row.measure(*self.kind), self.name(row)
        scale = unit.scale(*self.units)
        before = self.authored(row)
        attribute = self.prim.GetAttribute(name) or self.prim.CreateAttribute(
            name, attribute_type(self.prim, name, self.path), custom=False
        )
        attribute.Set(row.revert(value, scale))
        after = attribute.Get(START)
        layer = self.prim.GetStage().GetEditTarget().GetLayer()
        if after != layer.GetAttributeAtPath(attribute.GetPath()).default:
            raise InvalidScene(f"{self.path}.{name} = {after}: a stronger layer or time samples hold; edit them there")
        known = (None if x is None else row.convert(x, scale) for x in (before, after))
        return Change(self.path, name, before, after, unit.named(*self.units), *known, unit.named(1.0, 1.0, "rad"))

    def name(self, row: Attribute) -> str:
        """The attribute that a row means here."""
        return row.name.format(axis=self.instance)

    def authored(self, row: Attribute) -> Any:
        """What the file has for a row; None if nothing."""
        attribute = self.prim.GetAttribute(self.name(row))
        return attribute.Get(START) if attribute and attribute.HasAuthoredValue() else None

    def apply(self, schema: str) -> list[Change]:
        """Apply an API schema, registered or not; no change where it is applied."""
        if schema in schemas(self.prim):
            return []
        self.prim.AddAppliedSchema(schema)
        return [Change(self.path, "apiSchemas", None, schema)]
