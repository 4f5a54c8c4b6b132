"""Writer of the hints for property panels in the schemas of usd_schema/: python -m fajin.usd.attributes.schema_hints.

Name with unit, group, range and tokens of each attribute follow from its row in the table; names, types, defaults and
documentation stay as they are in the files.
"""

import re
from pathlib import Path
from typing import Any

from pxr import Sdf, Vt

from ...scene.articulation import MOST_ITERATIONS
from ...usd_schema import PLUGINS
from ...usd_schema.declared import INSTANCE
from . import rows_named
from .attribute import Attribute
from .meanings import SECTIONS

FILE = "generatedSchema.usda"
BOUNDS = {"magnitude": (0, None), "nonnegative": (0, None), "positive": (0, None), "fraction": (0, 1)}  # by rule
NUMBER_TYPES = {
    Sdf.ValueTypeNames.Float: Vt.Float,
    Sdf.ValueTypeNames.Double: Vt.Double,
    Sdf.ValueTypeNames.Int: Vt.Int,
    Sdf.ValueTypeNames.UInt: Vt.UInt,
}
OTHERS = "Relations"
"""Group of a property that is not in the table."""


def schema_files() -> list[Path]:
    """Return the schemas that fajin brings."""
    return [folder / FILE for _, folder in PLUGINS.values() if folder]


def with_hints(path: Path) -> str:
    """Return the text of a schema, with the hints of the table."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(Sdf.Layer.FindOrOpen(str(path)))
    for prim in layer.rootPrims:
        for spec in prim.properties:
            write_hints(spec)
    return layer.ExportToString()


def write_hints(spec: Any) -> None:
    """Write name, group, range and tokens of a property."""
    row = row_of(spec)
    spec.displayName = display_name(spec.name, row)
    spec.displayGroup = group_of(spec.name, row)
    if row is None or isinstance(spec, Sdf.RelationshipSpec):
        return
    if row.tokens and not spec.allowedTokens:  # else in the order of PhysX's schema
        spec.allowedTokens = list(row.tokens)
    make = NUMBER_TYPES.get(spec.typeName)
    if make and (limits := limits_of(row)):
        spec.SetInfo("limits", {"hard": {name: make(value) for name, value in limits.items()}})


def row_of(spec: Any) -> Attribute | None:
    """Return the row of a property: that with an array for an array; None if the table has none."""
    rows = rows_named(spec.name.replace(INSTANCE, "rotX"))
    array = isinstance(spec, Sdf.AttributeSpec) and spec.typeName.isArray
    return next((row for row in rows if (row.default == ()) == array), rows[0] if rows else None)


def display_name(name: str, row: Attribute | None) -> str:
    """Return the last word of an attribute's name as words, with its units in the file: rotation | translation."""
    base = name.rpartition(":")[2]
    words = re.sub(r"(?<=[a-z0-9])([A-Z])(?![A-Z])", lambda found: f" {found[1].lower()}", base)
    words = words.replace("cfm", "CFM").replace("CCD", " CCD")
    units = [] if row is None else [row.unit.named(0.0, 0.0), *([row.linear.named(0.0, 0.0)] if row.linear else [])]
    text = " | ".join(unit or "1" for unit in dict.fromkeys(units)) if any(units) else ""
    return f"{words[:1].upper()}{words[1:]}{f' [{text}]' if text else ''}"


def group_of(name: str, row: Attribute | None) -> str:
    """Return the title of the section of the reference page that has the property."""
    sought = row.name if row else name.replace(INSTANCE, "{axis}")
    titles = (s.title for s in SECTIONS if sought in s.meanings or sought in s.relationships)
    return next(titles, OTHERS)


def limits_of(row: Attribute) -> dict[str, int]:
    """Return the smallest and largest sound value of a number, where the rule has one."""
    least, most = BOUNDS.get(row.rule, (None, None))
    if row.field.endswith("iterations"):
        least, most = int("position" in row.field), MOST_ITERATIONS
    return {name: value for name, value in (("minimum", least), ("maximum", most)) if value is not None}


if __name__ == "__main__":
    for file in schema_files():
        file.write_text(with_hints(file), encoding="utf-8")
