"""Quantities of a document: a value in SI units, its unit, its value in the file, and the layer that authors it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import Any

from pxr import Usd

from ...scene import Scene
from ..attributes.attribute import UNBOUNDED, Attribute
from ..read.actuators import find_actuators
from ..stage.stage import START, StageReader

KEYS = ("value", "unit", "file_value", "file_unit", "attribute", "layer")
"""Keys of a quantity."""

Quantity = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A prim, an instance of its multiple-apply schemas, and the units of its attributes."""

    prim: str
    instance: str = ""
    rotational: bool = True
    acceleration: bool = False  # True for the gains of an acceleration drive


class Quantities:
    """Maker of quantities for a scene; without a stage, as for a compiled model, no value has a layer."""

    def __init__(self, scene: Scene, stage: Usd.Stage | None = None):
        self.units = scene.kilograms_per_unit, scene.meters_per_unit
        self.source = StageReader(stage) if stage else None
        if self.source:
            self.source.actuators = find_actuators(self.source)

    def of(self, place: Place, rows: Iterable[Attribute], field: str, value: Any) -> Quantity:
        """Return the quantity of a scene's value, whose attribute is the first row of the field or the authored one."""
        rows = [row for row in rows if row.field == field]
        row, held = self.authored(place, rows) or (rows[0], None)
        name, unit = row.named(place.instance), row.measure(place.rotational, place.acceleration)
        return {
            "value": plain(as_token(row, value)),
            "unit": unit.named(1.0, 1.0, "rad"),
            "file_value": plain(first(row, held)),
            "file_unit": unit.named(*self.units),
            "attribute": name,
            "layer": None if held is None else self.layer(place.prim, name),
        }

    def all(self, place: Place, rows: Iterable[Attribute], record: Any, fields: Iterable[str]) -> dict[str, Quantity]:
        """Return quantities of fields of a record."""
        rows = tuple(rows)
        return {field: self.of(place, rows, field, getattr(record, field)) for field in fields}

    def authored(self, place: Place, rows: list[Attribute]) -> tuple[Attribute, Any] | None:
        """Return the row whose authored value counts, and the value in the file; None if nothing is authored."""
        if self.source is None:
            return None
        found = None
        for row, _, value in self.source.opinions(self.source.prim(place.prim), rows, place.instance):
            found = row, value
        return found

    def layer(self, prim: str, attribute: str) -> str:
        """Return the file of the strongest opinion of an attribute; "" for an opinion of no file, as of an override."""
        if self.source is None:
            return ""
        stack = self.source.prim(prim).GetAttribute(attribute).GetPropertyStack(START)
        spec = next((s for s in stack if s.HasInfo("default") or s.layer.GetNumTimeSamplesForPath(s.path)), None)
        return "" if spec is None or spec.layer.anonymous else relative(spec.layer, self.source.stage.GetRootLayer())


def relative(layer: Any, root: Any) -> str:
    """Return the path of a layer from the folder of the root layer, or its identifier where it is in a package."""
    if not layer.realPath or "[" in layer.identifier or not root.realPath:
        return layer.identifier
    return Path(os.path.relpath(layer.realPath, Path(root.realPath).parent)).as_posix()


def plain(value: Any) -> Any:
    """Return a value for JSON: vectors as lists, infinite numbers as None."""
    if isinstance(value, float):
        return None if isinf(value) or abs(value) >= UNBOUNDED else value
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def as_token(row: Attribute, value: Any) -> Any:
    """Return the token of a value of a token attribute; other values unchanged."""
    if row.tokens is None:
        return value
    return next((token for token, meant in row.tokens.items() if meant == value), value)


def first(row: Attribute, held: Any) -> Any:
    """Return the number that counts of a tendon's array; other values unchanged."""
    return held[0] if row.rule == "number" and isinstance(held, tuple) and held else held
