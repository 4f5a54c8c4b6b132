"""Findings of logs, and which columns move."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

MOVES = 1e-3  # range [rad | m] above which a joint moves


@dataclass(frozen=True)
class LogFinding:
    """A property of a log that was found without fitting."""

    code: str  # order | sign | unit | offset | lag | clock | gap | jitter | made-up | quantised | short | constant | …
    dof: str  # "" for the whole log
    text: str
    fault: bool = False
    log: str = ""  # name of the log

    def __str__(self) -> str:
        """Return one line."""
        return ": ".join(filter(None, (self.log, self.dof, self.text)))


def merge_findings(findings: Iterable[LogFinding]) -> list[LogFinding]:
    """Return findings of which those that differ in the joint only are one, with the names of all joints."""
    groups: dict[tuple[str, str, str], list[LogFinding]] = {}
    for one in findings:
        groups.setdefault((one.code, one.text, one.log), []).append(one)
    return [replace(group[0], dof=", ".join(filter(None, (one.dof for one in group)))) for group in groups.values()]


def moving(values: np.ndarray) -> np.ndarray:
    """Return which columns move, (D,) booleans."""
    return np.ptp(values, axis=0) > MOVES
