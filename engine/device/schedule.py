"""Parameters that follow the rows of a table on the device while a launch runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..tables.layout import INFINITE, PARAMETERS
from ..tables.schedule import SCHEDULE_COLUMN, SCHEDULE_HEADER, UNSET
from ..tables.topology import TABLES
from .bounds import check_array, most_numbers
from .buffer import NativeArray, fill_array, new_array
from .dlpack import scaled
from .stage_units import StageUnits

WHOLE = 1e-9
"""Distance of a delay to a whole number of steps, relative to it, below which it is that number."""


class ScheduledColumn(NamedTuple):
    """A parameter of one degree of freedom, or of one axis of a maximal joint."""

    parameter: str  # name of its row in `layout.PARAMETERS`
    item: int
    wakes: bool = False  # whether a value that is set wakes even if it changes nothing


class DeviceSchedule:
    """A table of values on the device, and the worlds' places in it.

    Args:
        model: the compiled scene.
        columns: parameters that follow the table.
        table: values, (1, T, columns) shared by all worlds or (W, T, columns); NaN leaves the parameter as it is.
        every: steps per row.
        interpolates: whether values change linearly from row to row.
    """

    def __init__(
        self, model: Model, columns: Sequence[ScheduledColumn], table: np.ndarray, every: int, interpolates: bool
    ):
        order, self._first, self._words = _sort_columns(model, columns)
        self.columns = [columns[i] for i in order.tolist()]
        """The parameters in the order of the table's columns."""
        self.parameters = tuple(dict.fromkeys(column.parameter for column in columns))
        self.table = np.where(np.isnan(table), UNSET, np.clip(table, -INFINITE, INFINITE))[:, :, order]
        self._every, self._interpolates = every, interpolates
        self._starts, self._fractions = np.zeros(0, int), np.zeros(0)
        self.placements = 0  # number of times that worlds were placed
        self._follows = (-1, 0)  # placements of the scene's schedule, and number of copies
        self.step = 0
        """Number of steps since the schedule was set."""

    def place_worlds(self, starts: np.ndarray, delays: np.ndarray) -> None:
        """Set where every world is in the table.

        Args:
            starts: step at which each world began, (W,).
            delays: delays, (W,) [steps].
        """
        whole = np.rint(delays)
        delays = np.where(np.abs(delays - whole) <= WHOLE * np.maximum(1.0, np.abs(delays)), whole, delays)
        steps = np.ceil(delays).astype(int)
        self._starts, self._fractions = starts + steps, steps - delays
        self.placements += 1

    def with_columns(self, model: Model, columns: Sequence[ScheduledColumn], table: np.ndarray) -> "DeviceSchedule":
        """Return a schedule of other columns, of a template of the scene, with rows as this one's."""
        return DeviceSchedule(model, columns, np.where(table == UNSET, np.nan, table), self._every, self._interpolates)

    def place_columns(self, schedule: "DeviceSchedule", copies: int) -> None:
        """Set where every column is in the table: where a world of the scene's schedule is, for each of its copies."""
        if self._follows != (schedule.placements, copies):
            self._follows = schedule.placements, copies
            self._starts, self._fractions = (
                np.repeat(each, copies) for each in (schedule._starts, schedule._fractions)
            )
            self.placements += 1

    @property
    def word_count(self) -> int:
        """Number of words."""
        return len(SCHEDULE_HEADER) + len(self._first) + self._words.size + len(self._starts)

    @property
    def numbers_after_table(self) -> np.ndarray:
        """Numbers after the table: the worlds' fractions and 1/every."""
        return np.append(self._fractions, 1.0 / self._every)

    def words(self, packed: bool, header: int, table: int, following: "DeviceSchedule | None") -> np.ndarray:
        """Return the words.

        Args:
            packed: whether packs of worlds are on the device.
            header: place of the first word.
            table: place of the first number.
            following: the schedule after this one.
        """
        worlds, rows, columns = self.table.shape
        shared = worlds == 1
        strides = (columns, 1, 0 if shared else rows * columns)
        if not packed and not shared:  # worlds side by side
            strides = (columns * worlds, worlds, 1)
        islands = header + len(SCHEDULE_HEADER)
        entries = islands + len(self._first)
        words = dict(zip(("ROW_STRIDE", "COLUMN_STRIDE", "WORLD_STRIDE"), strides, strict=True)) | {
            "EVERY": self._every,
            "LAST_ROW": rows - 1,
            "INTERPOLATES": int(self._interpolates),
            "TOGETHER": int(shared and np.ptp(self._starts) == 0 and np.ptp(self._fractions) == 0.0),
            "LAST_WORLD": len(self._starts) - 1,
            "ISLAND_COLUMNS": islands,
            "COLUMN_WORDS": entries,
            "STARTS": entries + self._words.size,
            "TABLE": table,
            "FRACTIONS": table + self.table.size,
            "STEP": table + self.table.size + len(self._fractions),
            "NEXT": header + self.word_count if following else 0,
            "NEXT_STEPS": following.step - self.step if following else 0,
        }
        return np.concatenate(
            [[words[name] for name in SCHEDULE_HEADER], self._first, self._words.ravel(), self._starts]
        )


class ScheduleArrays:
    """Arrays on the device with the schedules of a launch, one after the other.

    Schedules that are there already are not copied again; nor are their tables if only worlds were placed anew.
    """

    def __init__(self, device: Device, units: StageUnits | None):
        self._device, self._units = device, units
        self._arrays: dict[str, NativeArray] = {}
        self._copied: list[tuple[DeviceSchedule, int, int]] = []  # schedule, its placements, its steps after the first
        self._tables: list[tuple[DeviceSchedule, int]] = []  # schedule, place of its table

    def upload(self, schedules: Sequence[DeviceSchedule]) -> tuple[NativeArray, NativeArray]:
        """Return words and numbers on the device."""
        wanted = [(schedule, schedule.placements, schedule.step - schedules[0].step) for schedule in schedules]
        if not self._arrays or (schedules and wanted != self._copied):
            self._copy(schedules)
            self._copied = wanted
        return self._arrays["words"], self._arrays["numbers"]

    def _copy(self, schedules: Sequence[DeviceSchedule]) -> None:
        packed = self._device.packed
        words, tables, first = [np.zeros(0, int)], [], 0
        for i, schedule in enumerate(schedules):
            following = schedules[i + 1] if i + 1 < len(schedules) else None
            words.append(schedule.words(packed, sum(map(len, words)), first, following))
            tables.append((schedule, first))
            first += schedule.table.size + len(schedule.numbers_after_table)
        check_array(1, "schedule", first, most_numbers(self._device))
        everything = np.concatenate(words)
        self._resize("words", "i4", len(everything))
        if self._resize("numbers", f"f{self._device.bits // 8}", first):
            self._tables = []
        if first or packed:
            fill_array(self._arrays["words"], self._device, everything, "i4")
        if packed:
            self._copy_numbers(tables)
        elif first:
            numbers = [
                x
                for schedule, _ in tables
                for x in (_side_by_side(self._on_device(schedule)), schedule.numbers_after_table)
            ]
            fill_array(self._arrays["numbers"], self._device, np.concatenate(numbers), f"f{self._device.bits // 8}")

    def _copy_numbers(self, tables: list[tuple[DeviceSchedule, int]]) -> None:
        numbers = self._arrays["numbers"]
        for i, (schedule, first) in enumerate(tables):
            end = first + schedule.table.size
            if self._tables[i : i + 1] != [(schedule, first)]:
                numbers[first:end].reshape(schedule.table.shape)[...] = self._on_device(schedule)
            after = schedule.numbers_after_table
            numbers[end : end + len(after)] = after
        self._tables = tables

    def _on_device(self, schedule: DeviceSchedule) -> np.ndarray:
        """Return the table of a schedule in the units of the device."""
        if self._units is None:
            return schedule.table
        units = [self._units.parameter(column.parameter)[column.item] for column in schedule.columns]
        return scaled(schedule.table, 1.0 / np.array(units))

    def _resize(self, name: str, number: str, count: int) -> bool:
        """Make room for numbers; return whether the array is a new one. A GPU's array has exactly their size."""
        count, old = max(count, 1), self._arrays.get(name)
        if old is not None and (old.shape[0] >= count if self._device.packed else old.shape[0] == count):
            return False
        self._arrays[name] = new_array(self._device, (count,), number)
        return True


def _side_by_side(table: np.ndarray) -> np.ndarray:
    """Return the numbers of a table, tables of worlds side by side."""
    return (table if len(table) == 1 else np.moveaxis(table, 0, 2)).ravel()


def _sort_columns(model: Model, columns: Sequence[ScheduledColumn]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the order of columns by island, the first column of every island and their number, and their words."""
    islands, member = model.tables["ISLANDS"], TABLES["ISLANDS"]
    of_articulation = np.zeros(len(model.tables["ARTICULATIONS"]), int)
    of_joint = np.zeros(len(model.tables["JOINTS"]), int)
    for i, words in enumerate(islands):
        of_articulation[model.tables["MEMBERS"][words[member["MEMBER"]] : words[member["MEMBER_END"]], 0]] = i
        of_joint[words[member["JOINT"]] : words[member["JOINT_END"]]] = i
    owners = model.owners("dof")
    isles, entries = [], []
    for name, item, wakes in columns:
        outside = PARAMETERS[name].owner == "X"
        isles.append(of_joint[item // 6] if outside else of_articulation[owners[item]])
        words = {"PARAMETER": PARAMETERS[name].index, "ITEM": item, "ARTICULATION": -1 if outside else owners[item]}
        words["WAKES"] = int(wakes)
        entries.append([words[word] for word in SCHEDULE_COLUMN])
    order = np.argsort(isles, kind="stable")
    first = np.searchsorted(np.array(isles)[order], np.arange(len(islands) + 1))
    return order, first, np.array(entries)[order]
