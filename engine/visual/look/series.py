"""Quantities of joints over time: what plots and comparisons draw.

Bounds of a quantity are drawn as a band: position limits, the largest speed and effort, and the performance envelope,
whose bounds of effort follow the speed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...errors import InputError
from ...recording.joint_log import UNITS
from ...recording.joint_log_reader import LOG_QUANTITIES, JointLog
from ...recording.recorder import Recording
from ...selection import names_of

SAME_UNIT = {"target_q": "q", "error": "q", "residual": "q", "target_qd": "qd"}


@dataclass(frozen=True, eq=False)
class Series:
    """Quantities of D joints at T times; NaN where a log has no value."""

    name: str  # of the log
    time: np.ndarray  # (T,) [s]
    dof: tuple[str, ...]  # D names
    unit: tuple[str, ...]  # of q, "rad" or "m"
    values: dict[str, np.ndarray]  # {quantity: (T, D)}
    bands: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)  # {quantity: lower, upper (T, D)}
    complete: bool = True  # False if the simulation ended early

    def __len__(self) -> int:
        """Return the number of times."""
        return len(self.time)

    def quantities(self) -> tuple[str, ...]:
        """Return the quantities in the order of plots."""
        return tuple(name for name in LOG_QUANTITIES if name in self.values)

    def unit_of(self, quantity: str, column: int) -> str:
        """Return the unit of a quantity of a joint."""
        return UNITS[self.unit[column]][SAME_UNIT.get(quantity, quantity)]

    def columns_of(self, quantity: str) -> list[int]:
        """Return the joints that have values of a quantity."""
        return np.flatnonzero(np.isfinite(self.values[quantity]).any(0)).tolist()

    def select(self, joints: str | None = None, quantities: Sequence[str] = ()) -> "Series":
        """Return the joints whose name matches a regular expression, and the quantities that are named, with targets.

        Raises:
            InputError: no joint matches, or a quantity is not in the log.
        """
        keep = list(range(len(self.dof))) if joints is None else _matching(joints, self.dof)
        for name in quantities:
            if name not in self.values:
                there = ", ".join(self.quantities())
                raise InputError(f"--quantity {name}: must be one of {there}; these are in {self.name}")
        chosen = [name for name in self.quantities() if not quantities or name.removeprefix("target_") in quantities]
        return replace(
            self,
            dof=tuple(self.dof[i] for i in keep),
            unit=tuple(self.unit[i] for i in keep),
            values={name: self.values[name][:, keep] for name in chosen},
            bands={name: (low[:, keep], high[:, keep]) for name, (low, high) in self.bands.items() if name in chosen},
        )

    def thin(self, most: int) -> "Series":
        """Return every n-th time, so that at most about `most` times are left; the last one stays."""
        every = max(1, len(self) // most)
        rows = np.unique(np.append(np.arange(0, len(self), every), len(self) - 1))
        return replace(
            self,
            time=self.time[rows],
            values={name: values[rows] for name, values in self.values.items()},
            bands={name: (low[rows], high[rows]) for name, (low, high) in self.bands.items()},
        )


def series_of_log(log: JointLog) -> Series:
    """Return the series of a joint log; targets without their errors get them."""
    values = dict(log.values)
    if "target_q" in values and "q" in values:
        values["error"] = values["target_q"] - values["q"]
    return Series(log.name, log.time, log.dof, log.unit, values, complete=log.complete)


def series_of(recording: Recording, name: str = "simulation") -> Series:
    """Return the series of a recording of one world."""
    values = {key: np.asarray(getattr(recording, key)[:, 0], float) for key in ("q", "qd", "effort")}
    time = np.asarray(recording.time, float)
    return Series(name, time, recording.dof, recording.unit, values, complete=recording.complete)


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of joints without what all share, "elbow" for "/robot/elbow:rotX", as long as they differ."""
    for kind in (2, 3, 1):  # prim, prim and axis, path
        short = [names_of(name)[kind] for name in names]
        if len(set(short)) == len(names):
            return short
    return list(names)


def _matching(pattern: str, names: Sequence[str]) -> list[int]:
    """Return the indices of the names of which a regular expression matches a part."""
    try:
        found = [i for i, name in enumerate(names) if re.search(pattern, name)]
    except re.error as error:
        raise InputError(f"--joint {pattern}: must be a regular expression ({error}); correct it") from None
    if not found:
        raise InputError(f"--joint {pattern}: must match a joint; there are {', '.join(short_names(names))}")
    return found
