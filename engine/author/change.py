"""A change: what one attribute said before an edit and what it says after it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """One attribute, relationship or list of schemas, as the file writes it and in SI units and radians."""

    prim: str
    attribute: str
    before: Any  # as the file has it; None: not authored
    after: Any  # None: not authored any more
    unit: str = ""  # of the file, "N·m/deg"; "" if it has none
    si_before: Any = None
    si_after: Any = None
    si_unit: str = ""  # "N·m/rad"

    def __str__(self) -> str:
        """One line: prim.attribute: before → after unit (the same in SI)."""
        line = f"{self.prim}.{self.attribute}: {format_value(self.before)} → {format_value(self.after)}"
        if self.unit:
            line += f" {self.unit}"
        if self.si_unit != self.unit:
            line += f" ({format_value(self.si_before)} → {format_value(self.si_after)} {self.si_unit})"
        return line


def format_value(value: Any) -> str:
    """A value as text: numbers in six digits, nothing as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value + 0.0:.6g}"
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return str(value)
    return f"({', '.join(map(format_value, value))})"
