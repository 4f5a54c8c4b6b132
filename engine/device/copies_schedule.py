"""Schedules of a scene as those of its templates, whose columns are worlds and copies."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..model import Model
from ..tables.schedule import UNSET
from .copies import Copies
from .schedule import DeviceSchedule, ScheduledColumn


class TemplateSchedules:
    """Schedules of the columns of one template, for those of a scene.

    Args:
        model: model of the template.
        copies: its copies.
        worlds: number of worlds.
    """

    def __init__(self, model: Model, copies: Copies, worlds: int):
        self._model, self._copies, self._worlds = model, copies, worlds
        self._known: list[tuple[DeviceSchedule, DeviceSchedule | None]] = []

    def of(self, schedules: Sequence[DeviceSchedule]) -> tuple[DeviceSchedule, ...]:
        """Return the schedules that this template follows for those of the scene, at the same step."""
        before = {id(schedule): mine for schedule, mine in self._known}
        self._known = [
            (schedule, before[id(schedule)] if id(schedule) in before else self._make(schedule))
            for schedule in schedules
        ]
        found = []
        for schedule, mine in self._known:
            if mine is not None:
                mine.step = schedule.step
                mine.place_columns(schedule, self._copies.count)
                found.append(mine)
        return tuple(found)

    def _make(self, schedule: DeviceSchedule) -> DeviceSchedule | None:
        """Return the schedule of the template's columns; None if the scene's has no column in it."""
        columns, picks = self._columns(schedule.columns)
        if not columns:
            return None
        worlds, rows, _ = schedule.table.shape
        padded = np.concatenate([schedule.table, np.full((worlds, rows, 1), UNSET)], 2)
        tables = padded[:, :, picks].transpose(0, 2, 1, 3)  # (worlds, copies, rows, columns)
        tables = tables[:, :1] if worlds == 1 and (picks == picks[0]).all() else tables
        if worlds == 1 and tables.shape[1] > 1:
            tables = np.broadcast_to(tables, (self._worlds, *tables.shape[1:]))
        return schedule.with_columns(self._model, columns, tables.reshape(-1, rows, len(columns)))

    def _columns(self, columns: Sequence[ScheduledColumn]) -> tuple[list[ScheduledColumn], np.ndarray]:
        """Return the template's columns, and for each copy the scene's columns in their place, -1 for none."""
        places = {name: self._items(name) for name in {column.parameter for column in columns}}
        found: dict[tuple[ScheduledColumn, int], np.ndarray] = {}
        seen: Counter = Counter()
        for i, column in enumerate(columns):
            if column.item in places[column.parameter]:
                copy, item = places[column.parameter][column.item]
                mine = column._replace(item=item)
                key = mine, seen[copy, mine]
                seen[copy, mine] += 1
                found.setdefault(key, np.full(self._copies.count, -1))[copy] = i
        picks = np.stack(list(found.values()), 1) if found else np.zeros((self._copies.count, 0), int)
        return [column for column, _ in found], picks

    def _items(self, name: str) -> dict[int, tuple[int, int]]:
        """Return copy and row of each row of the scene that the template has of a parameter."""
        rows = self._copies.parameter_rows(name)
        count = rows.shape[1]
        return {row: divmod(place, count) for place, row in enumerate(rows.ravel().tolist())}
