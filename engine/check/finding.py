"""Rules, findings and edits."""

from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Any

from ..scene import place


class Severity(str, Enum):
    """Severity of a rule or finding."""

    ERROR = "error"  # the file is refused, or its meaning is ambiguous
    WARNING = "warning"  # the file is simulated, but most likely not as intended
    NOTE = "note"  # the file is simulated as authored; information only


@dataclass(frozen=True)
class Rule:
    """A rule that a file should obey."""

    id: str
    severity: Severity
    sentence: str  # the rule as a sentence
    fix: str  # how to fix a file that breaks the rule


@dataclass(frozen=True)
class Edit:
    """One opinion that fixes a finding: an attribute value, a target, an API schema, or a unique instance."""

    kind: str  # attribute | target | apply | remove | instanceable
    prim: str
    name: str  # name of the attribute, relationship or schema; "instanceable"
    value: Any = None  # in the file's unit


@dataclass(frozen=True)
class Finding:
    """One violation of a rule in a file."""

    rule: str
    severity: Severity
    prim: str
    attribute: str  # attributes, relationship or schema; "" for the whole prim
    value: str  # in the file's unit; "" if nothing is authored
    message: str
    fix: str
    code: str = ""  # code of the reader's diagnostic that the finding is about, as listed in docs/diagnostics.md
    edits: tuple[Edit, ...] = ()  # edits that fix the finding; empty if a person must decide
    copy_of: str = ""  # the prim whose copy `prim` is, with an equal finding; "" if it is not a copy

    @property
    def place(self) -> str:
        """Return prim.attribute = value."""
        return place(self.prim, self.attribute, self.value)

    @property
    def kind(self) -> tuple[str, str, str]:
        """Return attribute, message and fix, which equal findings share; those of a copy are its original's."""
        words = self.attribute, self.message, self.fix
        if not self.copy_of:
            return words
        ends = zip(reversed(self.prim), reversed(self.copy_of), strict=False)
        shared = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], ends))
        own, original = (path[: len(path) - shared] for path in (self.prim, self.copy_of))
        attribute, message, fix = (word.replace(own, original) for word in words)
        return attribute, message, fix

    def __str__(self) -> str:
        """Return one line: severity rule: prim.attribute = value: message; fix."""
        return f"{self.severity.value} {self.rule}: {self.place}: {self.message}; {self.fix}"
