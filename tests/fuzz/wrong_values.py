"""Every row of the attribute table with values of every type, a scene for each, and which types may count."""

from collections.abc import Iterator
from pathlib import Path

from every_attribute import place_of
from mutants import VALUES
from usda import METRES

from fajin.usd.attributes import TABLE
from fajin.usd.attributes.attribute import Attribute

ROWS = {row.name: row for row in reversed(TABLE)}.values()
NUMBERS = ("bool", "int", "uint", "int64", "uchar", "half", "float", "double")
FITTING = {  # kind of a row: types whose values may count
    "a number": NUMBERS,
    "a whole number": NUMBERS,
    "true or false": NUMBERS,
    "a vector of three numbers": ("float3", "int3", "half3"),
    "a quaternion": ("quatf", "quath"),
    "an array of numbers": (*NUMBERS[1:], "float[]", "double[]", "int[]"),
    "a token": ("token", "string"),
    "an array of tokens": ("token", "string", "token[]", "string[]"),
}


def over(path: Path, row: Attribute, line: str) -> str:
    """A text over a scene that authors one line on the prim that takes a row, with the schema that it needs."""
    place, axis = place_of(row.name)
    needed = row.applied(axis)
    text = f"        {line.format(axis=axis)}\n"
    names = place.strip("/").split("/")
    for depth, name in enumerate(reversed(names)):
        about = f' (prepend apiSchemas = ["{needed}"])' if needed and depth == 0 else ""
        text = f'over "{name}"{about}\n{{\n{text}}}\n'
    return f"#usda 1.0\n(\n    {METRES}\n    subLayers = [@{path}@]\n)\n{text}"


def wrong_values(path: Path) -> Iterator[tuple[Attribute, str, str, str]]:
    """Row, type, line and text of every row of the table with every value of every type."""
    for row in ROWS:
        for kind, values in VALUES.items():
            for value in values:
                line = f"{kind} {row.name}" + (f" = {value}" if value else "")
                yield row, kind, line, over(path, row, line)
        name = row.name.format(axis=place_of(row.name)[1])
        if name not in path.read_text():  # over an attribute of a weaker layer it would leave that one's value
            yield row, "rel", f"rel {row.name}", over(path, row, f"rel {row.name} = </physics>")


def may_be_silent(row: Attribute, kind: str) -> bool:
    """Whether a value of a type may count for a row without a report; `opaque` holds none."""
    kinds = {other.kind.name for other in TABLE if other.name == row.name}
    return kind == "opaque" or any(kind in FITTING[name] for name in kinds)
