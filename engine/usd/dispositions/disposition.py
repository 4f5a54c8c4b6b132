"""Rows of the table of dispositions: what becomes of a schema, or of an attribute that the attribute table lacks.

A row names the code of the diagnostic that states its disposition. A code of `diagnostic_codes.CODES` is harmless, if
PhysX's motion does not depend on the attribute, or missing, if it does and fajin does not simulate it.
"""

from dataclasses import dataclass
from typing import Any

OUTPUT = "output-only"
PART = "part"  # in place of a code: what the feature's own schema reports
INSTANCE = "*"  # in a name: the instance of a multiple-apply schema


@dataclass(frozen=True)
class Row:
    """An attribute or relationship that no scene field holds."""

    name: str
    code: str  # code of its diagnostic, or `PART`
    nothing: Any = None  # value that requests nothing; None if every value is reported


@dataclass(frozen=True)
class Schema:
    """An API schema or a prim type, with those of its attributes that no scene field holds."""

    name: str
    rows: tuple[Row, ...] = ()
    code: str = (
        ""  # code of the diagnostic of each prim that has the schema, or `PART`; "" if its attributes have theirs
    )
    switch: str = ""  # attribute that switches the feature off


def rows(code: str, names: str, prefix: str = "", nothing: Any = None) -> tuple[Row, ...]:
    """Return rows with one code; `names` are separated by spaces."""
    return tuple(Row(f"{prefix}{name}", code, nothing) for name in names.split())


def feature(name: str, prefix: str = "", names: str = "", code: str = PART, switch: str = "") -> Schema:
    """Return a schema whose attributes are parts of a feature that is not simulated."""
    return Schema(name, rows(PART, names, f"{prefix}:" if prefix else ""), code, switch and f"{prefix}:{switch}")
