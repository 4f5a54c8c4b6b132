"""Changes: values of one attribute before and after an edit."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """A change of one attribute, relationship or list of schemas, in the file's units and in SI units and radians."""

    prim: str
    attribute: str
    before: Any  # in the file's unit; None: not authored
    after: Any  # None: no longer authored
    unit: str = ""  # of the file, "N·m/deg"; "" if dimensionless
    si_before: Any = None
    si_after: Any = None
    si_unit: str = ""  # "N·m/rad"

    def __str__(self) -> str:
        """Return one line: prim.attribute: before → after unit (before → after in SI)."""
        line = f"{self.prim}.{self.attribute}: {format_value(self.before)} → {format_value(self.after)}"
        if self.unit:
            line += f" {self.unit}"
        if self.si_unit != self.unit:
            line += f" ({format_value(self.si_before)} → {format_value(self.si_after)} {self.si_unit})"
        return line


LONGEST_ARRAY = 16  # values that are printed: a matrix


def format_value(value: Any) -> str:
    """Return a value as text: numbers with six digits, None as a dash; of a long array the number of its values."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value + 0.0:.6g}"
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return str(value)
    if len(value) > LONGEST_ARRAY:
        return f"{len(value)} values"
    return f"({', '.join(map(format_value, value))})"
