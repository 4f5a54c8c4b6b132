"""Request to a study of `fajin bench`: cases, peers and rounds; names of its rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .interleaved import Result, measure_interleaved
from .report import Row


@dataclass(frozen=True)
class StudyRequest:
    """Cases and settings of a study."""

    cases: list[dict]
    repeats: int
    peers: tuple[str, ...] = ()
    pythons: dict[str, str] = field(default_factory=dict)  # interpreter per peer, if not the present one

    def race(self, *entries: tuple[str, dict]) -> list[Result | None]:
        """Measure engines interleaved, each in its case."""
        return measure_interleaved([{**case, "engine": engine} for engine, case in entries], self.repeats, self.pythons)


Found = Iterator[tuple[list[Row], list[dict]]]
"""Rows in pieces, with the records of their measurements."""


def names(case: dict, cases: list[dict]) -> Row:
    """Return the columns that identify a case."""
    row = {name: case[name] for name in ("dofs", "worlds", "threads")}
    varied = [name for name in ("device", "precision", "solver") if len({other[name] for other in cases}) > 1]
    row |= {name: case[name] for name in varied}
    if len({tuple(other["iterations"]) for other in cases}) > 1:
        row["iterations"] = "/".join(map(str, case["iterations"]))
    return {"robot": case["name"], **row}


def records(results: list[Result | None]) -> list[dict]:
    """Return the records of the existing results."""
    return [result.record() for result in results if result]
