"""Values that change from step to step while a launch runs: `Simulation.schedule`."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..device.copies_state import AnyState
from ..device.parameters import STRUCTURAL
from ..device.schedule import DeviceSchedule, ScheduledColumn
from ..errors import whole
from ..tables.layout import INFINITE, PARAMETERS
from ..tables.parameter import VALUES, Parameter
from .clock import Clock
from .columns import Columns
from .parameter_fields import COLUMNS
from .value_rules import allowed, first_of, obeys

SCHEDULED = {
    row.field: row for row in PARAMETERS.values() if row.field and row.owner in "DX" and row.name not in STRUCTURAL
}
"""Fields that may follow a schedule."""


class Schedule:
    """Schedule of a simulation, and the place of every world in it.

    Args:
        state: worlds on the device.
        clock: step of the simulation.
        columns: names of the columns.
    """

    def __init__(self, state: AnyState, clock: Clock, columns: Columns):
        self._state, self._clock, self._columns = state, clock, columns
        self._table: DeviceSchedule | None = None
        self._delays = np.zeros(state.worlds)  # [s]
        self._starts = np.zeros(state.worlds, int)
        self._placed = 0.0  # step for which the worlds were placed [s]; 0: not yet

    def __bool__(self) -> bool:
        """Return whether there is a schedule."""
        return self._table is not None

    @property
    def steps(self) -> np.ndarray:
        """Steps that every world has done since its schedule began, (W,)."""
        return (self._table.step if self._table else 0) - self._starts

    def move(self, steps: np.ndarray, worlds: np.ndarray | None) -> None:
        """Set the steps that worlds (None: all) have done since their schedule began."""
        self._starts[slice(None) if worlds is None else worlds] = (self._table.step if self._table else 0) - steps
        self._placed = 0.0

    def assign(
        self, values: Mapping[str, ArrayLike] | None, every: int, interpolate: bool, delay: ArrayLike, sampled: set[str]
    ) -> None:
        """Set or end the schedule; see `Simulation.schedule`. `sampled` are fields that follow time samples."""
        if values is None:
            self._table = None
            return
        every = whole("schedule: every", every, 1)
        delays = _checked_delays(delay, self._state.worlds)
        tables = {name: self._checked(name, given, sampled) for name, given in values.items()}
        if not tables:
            raise ValueError("schedule = {}: must have at least one field; pass None to end the schedule")
        counts = {name: table.shape[1] for name, table in tables.items()}
        if len(set(counts.values())) > 1:
            rows = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise ValueError(f"schedule: rows = {rows}: must be as many for all fields; repeat the last row")
        worlds = max(len(table) for table in tables.values())
        table = np.concatenate([np.broadcast_to(t, (worlds, *t.shape[1:])) for t in tables.values()], 2)
        model = self._state.model
        columns = [
            ScheduledColumn(SCHEDULED[name].name, int(item))
            for name in tables
            for item in (range(len(model.dof)) if SCHEDULED[name].owner == "D" else model.maximal_rows)
        ]
        self._table = DeviceSchedule(model, columns, table, every, bool(interpolate))
        self._delays, self._placed = delays, 0.0
        self._starts[:] = 0

    def prepare(self) -> None:
        """Make the next launch follow the schedule."""
        self._state.schedules = (self._table,) if self._table else ()
        if self._table and self._placed != self._clock.dt:
            self._table.place_worlds(self._starts, self._delays / self._clock.dt)
            self._placed = self._clock.dt

    def advance(self, steps: int) -> None:
        """Count the steps of a launch."""
        if self._table:
            self._table.step += steps

    def _checked(self, name: str, given: ArrayLike, sampled: set[str]) -> np.ndarray:
        """Return the table of a field, (1, T, columns) or (W, T, columns)."""
        row = SCHEDULED.get(name)
        if row is None:
            raise KeyError(_unknown(name))
        if name in sampled:
            raise ValueError(f"schedule: {name}: must not follow time samples of the scene; remove them from the file")
        count, worlds = len(self._columns.names(COLUMNS[row.owner])), self._state.worlds
        values = _as_numbers(name, given)
        shapes = f"(rows, {count}) or ({worlds}, rows, {count})"
        if values.ndim not in (2, 3) or values.shape[-1] != count or not values.shape[-2]:
            raise ValueError(f"schedule: {name}.shape = {values.shape}: must be {shapes}; give a row per step or more")
        if values.ndim == 3 and len(values) != worlds:
            raise ValueError(f"schedule: {name}.shape = {values.shape}: must be {shapes}; give a table per world")
        _check_values(name, values, row)
        values = np.clip(values, -INFINITE, INFINITE).astype(self._state.float)
        return values if values.ndim == 3 else values[None]


def _unknown(name: Any) -> str:
    near = get_close_matches(str(name), SCHEDULED, 1, 0.0)
    return f"schedule: {name!r}: must be one of {', '.join(SCHEDULED)}; did you mean {near[0]!r}?"


def _as_numbers(name: str, given: ArrayLike) -> np.ndarray:
    try:
        values = np.asarray(given)
        if values.dtype.kind not in "fiu":
            raise ValueError
    except (ValueError, TypeError):
        raise TypeError(f"schedule: {name}: must be an array of numbers; give a NumPy array") from None
    return values


def _check_values(name: str, values: np.ndarray, row: Parameter) -> None:
    """Raise ValueError for the first value against the rule of a field."""
    if not obeys(row.values, values):
        at = first_of(~allowed(row.values, values))
        numbers = ", ".join(map(str, at))
        raise ValueError(f"schedule: {name}[{numbers}] = {values[at]:g}: must be {VALUES[row.values]}; correct the row")


def _checked_delays(delay: ArrayLike, worlds: int) -> np.ndarray:
    """Return the delay of every world [s]."""
    delays = np.asarray(delay, np.float64)
    if delays.shape not in ((), (worlds,)):
        raise ValueError(f"schedule: delay.shape = {delays.shape}: must be () or ({worlds},); give one delay per world")
    bad = ~np.isfinite(delays).reshape(-1)
    if bad.any():
        value = delays.reshape(-1)[int(bad.argmax())]
        raise ValueError(f"schedule: delay = {value:g}: must be finite; give seconds")
    return np.broadcast_to(delays, (worlds,)).copy()
