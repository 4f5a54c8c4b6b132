"""A line of `fajin doctor`'s report."""

from dataclasses import dataclass

OK, ABSENT, WRONG = "ok", "-", "wrong"


@dataclass(frozen=True)
class Finding:
    """One line of the report: the item, its state, and a verdict."""

    what: str
    here: str
    verdict: str = OK  # ok | - (missing and optional) | wrong
    number: float | None = None  # the value in `here`, for programs
    unit: str = ""
