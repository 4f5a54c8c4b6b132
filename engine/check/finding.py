"""What a rule says about a file: where, what, why, and how to mend it."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Severity(str, Enum):
    """How bad it is."""

    ERROR = "error"  # the file is refused, or does not say what it means
    WARNING = "warning"  # it is simulated, and most likely not as meant
    NOTE = "note"  # it is simulated as it is written; good to know


@dataclass(frozen=True)
class Rule:
    """A law that a file should obey."""

    id: str
    severity: Severity
    sentence: str  # what should hold
    mend: str  # what to do where it does not


@dataclass(frozen=True)
class Edit:
    """One opinion that mends something: an attribute's value, a target, an API schema, or an instance made unique."""

    kind: str  # attribute | target | apply | remove | instanceable
    prim: str
    name: str  # of the attribute, relationship or schema; "instanceable"
    value: Any = None  # as the file writes it


@dataclass(frozen=True)
class Finding:
    """One place where a file breaks a rule."""

    rule: str
    severity: Severity
    prim: str
    attribute: str  # attributes, relationship or schema; "" if the prim as a whole
    value: str  # as the file writes it; "" if nothing is authored
    message: str
    mend: str
    edits: tuple[Edit, ...] = ()  # what mends it; none where only a person can tell

    @property
    def place(self) -> str:
        """prim.attribute = value."""
        name = f"{self.prim}.{self.attribute}" if self.attribute else self.prim
        return f"{name} = {self.value}" if self.value else name

    def __str__(self) -> str:
        """One line: severity rule: prim.attribute = value: message; mend."""
        return f"{self.severity.value} {self.rule}: {self.place}: {self.message}; {self.mend}"
