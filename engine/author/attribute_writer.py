"""Writer for rows of the attribute table: values in SI units in, file units out; returns the changes."""

from collections.abc import Iterable
from typing import Any

from pxr import Sdf, Usd

from ..scene import InvalidScene
from ..usd.attributes.attribute import Attribute
from ..usd.stage.session_overrides import attribute_type
from ..usd.stage.stage import START, StageReader, schemas
from .axis import JointAxis
from .change import Change

INTEGER_TYPES = (Sdf.ValueTypeNames.Int, Sdf.ValueTypeNames.UInt)
QUATERNION_TYPES = (Sdf.ValueTypeNames.Quatf, Sdf.ValueTypeNames.Quatd)


class AttributeWriter:
    """Writer for one prim; an instance and a kind of axis complete the names and units of the rows."""

    def __init__(self, prim: Usd.Prim, at: JointAxis | None = None, instance: str = "", acceleration: bool = False):
        self.prim, self.path = prim, str(prim.GetPath())
        if prim.IsInstanceProxy():
            raise InvalidScene(
                self.path, rule="a prim outside instances", fix="edit the prototype, or make the instance unique first"
            )
        self.source = StageReader(prim.GetStage())
        self.units = self.source.kilograms, self.source.metres
        self.instance = instance or (at.instance if at else "")
        self.kind = (at is None or at.rotational, acceleration)

    def write(self, rows: Iterable[Attribute], values: dict[str, Any], schema: str = "") -> list[Change]:
        """Author the rows whose field has a value, in SI units, with their schemas; None leaves a row unchanged.

        A schema passed explicitly is applied first, regardless of the values.

        Newton attributes are written only if they are already authored, so that they do not contradict PhysX's
        attributes.

        Raises:
            InvalidScene: a value breaks its rule; nothing is written.
        """
        said = self.check_all(rows, values)
        changes = self.apply(schema) if schema else []
        for row, value in said:
            if row.name.startswith("newton:") and self.authored(row) is None:
                continue
            changes += self.apply(row.applied(self.instance)) if row.schema else []
            changes.append(self.set(row, value))
        return changes

    def check_all(self, rows: Iterable[Attribute], values: dict[str, Any]) -> list[tuple[Attribute, Any]]:
        """Return the rows whose field has a value, with the value; raise InvalidScene if a value breaks its rule."""
        said = [(row, values[row.field]) for row in rows if values.get(row.field) is not None]
        for row, value in said:
            self.check(row, value)
        return said

    def check(self, row: Attribute, value: Any) -> None:
        """Raise InvalidScene if a value in SI units breaks the rule of its row."""
        unit = row.measure(*self.kind).named(1.0, 1.0, "rad")
        row.check(value, self.path, self.name(row), unit=unit)

    def set(self, row: Attribute, value: Any) -> Change:
        """Author one row, regardless of its schema."""
        unit, name = row.measure(*self.kind), self.name(row)
        scale = unit.scale(*self.units)
        before = self.authored(row)
        attribute = self.prim.GetAttribute(name) or self.prim.CreateAttribute(
            name, attribute_type(self.prim, name, self.path), custom=False
        )
        written = row.revert(value, scale)
        attribute.Set(as_usd(attribute.GetTypeName(), written))
        layer = self.prim.GetStage().GetEditTarget().GetLayer()
        if attribute.Get(START) != layer.GetAttributeAtPath(attribute.GetPath()).default:
            raise InvalidScene(
                self.path, name, "", "without a stronger layer or time samples that have another value", "edit those"
            )
        after = self.authored(row)
        known, new = (None if x is None else row.convert(x, scale) for x in (before, after))
        return Change(self.path, name, before, after, unit.named(*self.units), known, new, unit.named(1.0, 1.0, "rad"))

    def name(self, row: Attribute) -> str:
        """Return the attribute name of a row on this prim."""
        return row.named(self.instance)

    def authored(self, row: Attribute) -> Any:
        """Return the authored value of a row; None if there is none."""
        return self.source.authored(self.prim, self.name(row))

    def values(self, rows: Iterable[Attribute]) -> dict[str, Any]:
        """Return the current values of the rows in SI units."""
        return self.source.values(self.prim, rows, self.instance, *self.kind)

    def relate(self, name: str, targets: Iterable[Usd.Prim]) -> Change:
        """Author the targets of a relationship."""
        relation = self.prim.CreateRelationship(name, custom=False)
        before = ", ".join(map(str, relation.GetTargets())) or None
        relation.SetTargets([prim.GetPath() for prim in targets])
        return Change(self.path, name, before, ", ".join(map(str, relation.GetTargets())))

    def point(self, name: str, value: str) -> Change:
        """Author a uniform token that contains a name."""
        attribute = self.prim.CreateAttribute(name, Sdf.ValueTypeNames.Token, False, Sdf.VariabilityUniform)
        before = self.source.authored(self.prim, name)
        attribute.Set(value)
        return Change(self.path, name, before, value)

    def apply(self, schema: str) -> list[Change]:
        """Apply an API schema, registered or not; return no change if it is already applied."""
        if schema in schemas(self.prim):
            return []
        self.prim.AddAppliedSchema(schema)
        return [Change(self.path, "apiSchemas", None, schema)]


def as_usd(kind: Sdf.ValueTypeName, value: Any) -> Any:
    """Return a value converted to a USD attribute type; quaternions are passed as (x, y, z, w)."""
    if kind in INTEGER_TYPES:
        return round(value)
    if kind in QUATERNION_TYPES:
        return kind.type.pythonClass(value[3], *value[:3])
    return list(value) if kind.isArray else value
