"""Findings of logs, and which columns move."""

from dataclasses import dataclass

import numpy as np

MOVES = 1e-3  # range [rad | m] above which a joint moves


@dataclass(frozen=True)
class LogFinding:
    """A property of a log that was found without fitting."""

    code: str  # order | sign | unit | offset | lag | clock | gap | jitter | made-up | quantised | short | constant | …
    dof: str  # "" for the whole log
    text: str
    fault: bool = False

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.dof}: {self.text}" if self.dof else self.text


def moving(values: np.ndarray) -> np.ndarray:
    """Return which columns move, (D,) booleans."""
    return np.ptp(values, axis=0) > MOVES
