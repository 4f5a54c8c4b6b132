"""Writer of docs/usd-attributes.md: python -m fajin.usd.attributes.attribute_page > docs/usd-attributes.md."""

import sys
from math import isinf
from typing import Any

from .attribute import RULES, Attribute
from .meanings import SECTIONS, Section
from .units import Unit

HEAD = """# USD attributes

<!-- Written by `python -m fajin.usd.attributes.attribute_page`; edit engine/usd/attributes/, not this page. -->

These are the attributes that fajin reads. *length* and *mass* are the units of the file (`metersPerUnit`,
`kilogramsPerUnit`); times are in seconds. Defaults, and everything in Python, are in SI units and radians. `*` is the
instance of a multiple-apply schema: `angular`, `linear`, `rotX` … `transZ`, or the name of a tendon.

Where two attributes set one quantity, PhysX's comes before Newton's. An attribute acts only where its API schema is
applied, as in PhysX; Newton's attributes act on any prim. A number may have any numeric type. Every other authored
attribute is reported with a reason; `fajin inspect SCENE` lists them, and [What is not simulated](dispositions.md) has
all of UsdPhysics, PhysX and Newton. To make the schemas known to another USD
application, run `export PXR_PLUGINPATH_NAME=$(python -m fajin.usd_schema)`; see [Authoring](authoring.md#schemas).
"""
COLUMNS = """| attribute | meaning | unit in the file: rotation, translation | default | must be | schema |
|---|---|---|---|---|---|"""
UNAUTHORED = {
    "physics:gravityDirection",
    "physics:gravityMagnitude",
    "physics:mass",
    "physics:density",
    "physics:centerOfMass",
    "physics:diagonalInertia",
    "physics:principalAxes",
    "newton:inertia",
    "physxArticulation:sleepThreshold",
    "physxTendon:{axis}:restLength",
    "physxCollision:contactOffset",
    "physxCollision:restOffset",
    "newton:contactMargin",
    "newton:contactGap",
}
"""Attributes whose default in the table marks a missing value; the meaning says what applies then."""


def page() -> str:
    """Return the whole page, in Markdown."""
    return "\n".join([HEAD, *map(_section, SECTIONS)])


def _section(section: Section) -> str:
    rows = {row.name: row for row in section.rows}
    lines = [
        *(_line(row, section.meanings[name]) for name, row in rows.items()),
        *(f"| {_name(name)} | {meaning} | | | | |" for name, meaning in section.relationships.items()),
    ]
    return "\n".join([f"## {section.title}\n", COLUMNS, *lines, ""])


def _line(row: Attribute, meaning: str) -> str:
    default = "" if row.name in UNAUTHORED else _default(row)
    schema = f"`{row.schema}`" if row.schema else ""
    return f"| {_name(row.name)} | {meaning} | {_units(row)} | {default} | {_rule(row)} | {schema} |"


def _name(name: str) -> str:
    return f"`{name.replace('{axis}', '*')}`"


def _units(row: Attribute) -> str:
    """Units of a rotation and of a translation, and of the gains of an acceleration drive."""
    text = _unit(row.unit) if row.linear is None else f"{_unit(row.unit) or 1}, {_unit(row.linear) or 1}"
    if not row.gain:
        return text
    return f"{text}; acceleration drive: {_unit(row.measure(acceleration=True))}, {_unit(row.measure(False, True))}"


def _unit(unit: Unit) -> str:
    return unit.named(0.0, 0.0, "degree")


def _default(row: Attribute) -> str:
    if row.tokens is not None:
        value: Any = next((token for token, meant in row.tokens.items() if meant == row.default), None)
        return f"`{value}`" if value else ""
    if isinstance(row.default, tuple):
        return f"({', '.join(map(_number, row.default))})" if row.default else ""
    return _number(row.default)


def _number(value: float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinf(value):
        return "∞" if value > 0.0 else "-∞"
    return f"{value:g}"


def _rule(row: Attribute) -> str:
    if row.tokens is not None:
        return f"one of {', '.join(f'`{token}`' for token in row.tokens)}"
    if isinstance(row.default, bool):
        return "true or false"
    return RULES[row.rule][1]


if __name__ == "__main__":
    sys.stdout.buffer.write(page().encode())
