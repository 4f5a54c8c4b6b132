"""Values of fields that are known beforehand for every step: time samples of the scene, and control events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np

from ..device.schedule import DeviceSchedule, ScheduledColumn
from ..sampled_values import sampled_values
from ..scene import Scene, TimeSamples
from ..tables.parameter import VALUES
from .clock import Clock
from .columns import Columns
from .control_events import Control
from .field_access import FieldAccess
from .schedule import SCHEDULED
from .value_rules import obeys

WINDOW = 4096
"""Most steps whose values are on the device at once."""

WINDOW_NUMBERS = 1 << 20
"""Most values on the device at once, unless a single step has more."""


@dataclass(frozen=True)
class Track:
    """Values of one column of a field."""

    field: str
    column: int
    values: Callable[[np.ndarray], np.ndarray]
    """Values before steps (n,), counted from the simulation's start; NaN leaves the field as it is."""

    wakes: bool = False
    """True if a value wakes even if it changes nothing, as events do in PhysX."""

    @property
    def place(self) -> tuple[str, int]:
        """Return field and column."""
        return self.field, self.column


def sampled_tracks(scene: Scene, columns: Columns, clock: Clock) -> list[Track]:
    """Return the tracks of a scene's time samples."""
    tracks = []
    for signal in scene.signals:
        outside = signal.dof in columns.maximal_dof
        names = columns.maximal_dof if outside else columns.dof
        values = partial(_sampled_values, signal, clock)
        tracks.append(Track(f"{'maximal_' * outside}{signal.parameter}", names.index(signal.dof), values))
    return tracks


def _sampled_values(signal: TimeSamples, clock: Clock, steps: np.ndarray) -> np.ndarray:
    return sampled_values(signal, steps * clock.dt)


def event_tracks(controls: Sequence[Control], first: int) -> list[Track]:
    """Return the tracks of control events that launches can follow; events before step `first` act there.

    Raises:
        ValueError: a value is against the rule of its field.
    """
    events: dict[tuple[str, int], dict[int, float]] = {}
    for control in controls:
        if isinstance(control.value, float | int) and control.parameter in SCHEDULED:
            _check_event(control)
            events.setdefault((control.parameter, control.dof), {})[max(control.step, first)] = control.value
    return [
        Track(name, column, partial(_event_values, np.array([*found]), np.array([*found.values()])), wakes=True)
        for (name, column), found in events.items()
    ]


def _check_event(control: Control) -> None:
    """Raise ValueError for a value against the rule of its field."""
    rule = SCHEDULED[control.parameter].values
    if not obeys(rule, np.array([control.value], float)):
        place = f"controls, step {control.step}: {control.parameter} of column {control.dof}"
        raise ValueError(f"{place} = {control.value}: must be {VALUES[rule]}; correct it")


def _event_values(times: np.ndarray, values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    at = np.searchsorted(times, steps).clip(max=len(times) - 1)
    return np.where(times[at] == steps, values[at], np.nan)


class KnownValues:
    """Fields that follow tracks. A launch reads them from a table of the next steps.

    The host writes those that decide which rows a joint has, one step at a time. A schedule comes after the tracks.

    Args:
        fields: fields of the simulation.
        samples: tracks of the scene's time samples.
    """

    def __init__(self, fields: FieldAccess, samples: Sequence[Track]):
        self._fields, self._samples = fields, tuple(samples)
        self._tracks, self._last = self._samples, inf
        self._table: DeviceSchedule | None = None
        self._first, self._end, self._dt = 0, 0, 0.0  # steps of the table

    @property
    def sampled(self) -> set[str]:
        """Names of the time-sampled fields."""
        return {track.field for track in self._samples}

    def play(self, events: Sequence[Track], last: float = inf) -> None:
        """Follow these tracks up to a step, except where the scene has time samples; they replace those before."""
        taken = {track.place for track in self._samples}
        tracks = (*self._samples, *(track for track in events if track.place not in taken))
        if len(tracks) > len(self._samples) or len(self._tracks) > len(self._samples):
            self._table = None
        self._tracks, self._last = tracks, last

    def write(self, everything: bool = False) -> None:
        """Set the fields that launches do not follow, or all fields, before the next step."""
        tracks = self._tracks if everything else self._written()
        step = np.array([self._fields.clock.steps])
        for name in dict.fromkeys(track.field for track in tracks):
            found = {track.column: track.values(step)[0] for track in tracks if track.field == name}
            columns = [column for column, value in found.items() if not np.isnan(value)]
            values = [found[column] for column in columns]
            rows = self._fields.read(name)[:, columns]
            events = any(track.wakes for track in tracks if track.field == name and track.column in columns)
            if (columns and events) or (rows != np.array(values, rows.dtype)).any():  # a write wakes
                base = np.array(self._fields.base_value(name))
                base[:, columns] = values
                self._fields.write_known(name, base, np.array(columns))

    def boundary(self, last: int) -> int:
        """Return the step at which a launch must end, at most `last`."""
        step = self._fields.clock.steps
        if self._written():
            return min(last, step + 1)
        return min(last, self._window()) if self._followed() else last

    def prepare(self) -> None:
        """Make the next launch follow the table, before a schedule."""
        if self._followed():
            self._window()
            table = self._table
            assert table is not None  # `_window` made it
            table.step = self._fields.clock.steps - self._first
            self._fields.state.schedules = table, *self._fields.state.schedules

    def _followed(self) -> list[Track]:
        """Return the tracks that launches can follow."""
        return [track for track in self._tracks if track.field in SCHEDULED]

    def _written(self) -> tuple[Track, ...]:
        """Return the tracks that the host writes."""
        return tuple(track for track in self._tracks if track.field not in SCHEDULED)

    def _window(self) -> int:
        """Make a table of the next steps unless there is one; return the step after it."""
        state, clock = self._fields.state, self._fields.clock
        if self._table and self._first <= clock.steps < self._end and self._dt == clock.dt:
            return self._end
        tracks = self._followed()
        count = int(max(1, min(WINDOW, WINDOW_NUMBERS // max(1, len(tracks)), self._last - clock.steps)))
        self._first, self._end, self._dt = clock.steps, clock.steps + count, clock.dt
        steps = np.arange(self._first, self._end)
        values = np.stack([track.values(steps) for track in tracks], 1)
        columns = [self._column(track) for track in tracks]
        self._table = DeviceSchedule(state.model, columns, values[None], 1, False)
        self._table.place_worlds(np.zeros(state.worlds, int), np.zeros(state.worlds))
        return self._end

    def _column(self, track: Track) -> ScheduledColumn:
        row = SCHEDULED[track.field]
        rows = self._fields.state.model.maximal_rows
        item = track.column if row.owner == "D" else int(rows[track.column])
        return ScheduledColumn(row.name, item, track.wakes)
