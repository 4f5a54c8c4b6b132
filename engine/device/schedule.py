"""Parameters that follow the rows of a table on the device while a launch runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model import Model
from ..tables.layout import INFINITE, PARAMETERS
from ..tables.schedule import SCHEDULE_COLUMN, SCHEDULE_HEADER, UNSET
from ..tables.topology import TABLES
from .bounds import check_array, most_numbers
from .buffer import NativeArray, new_array
from .device import Device

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
        self.parameters = tuple(dict.fromkeys(column.parameter for column in columns))
        self._table = np.where(np.isnan(table), UNSET, np.clip(table, -INFINITE, INFINITE))[:, :, order]
        self._every, self._interpolates = every, interpolates
        self._arrays: tuple[NativeArray, NativeArray] | None = None
        self._uploaded = False
        self.step = 0
        """Number of steps since the schedule was set."""

    def place_worlds(self, device: Device, starts: np.ndarray, delays: np.ndarray) -> None:
        """Set where every world is in the table.

        Args:
            device: the device.
            starts: step at which each world began, (W,).
            delays: delays, (W,) [steps].
        """
        whole = np.rint(delays)
        delays = np.where(np.abs(delays - whole) <= WHOLE * np.maximum(1.0, delays), whole, delays)
        steps = np.ceil(delays)
        worlds, rows, columns = self._table.shape
        shared, last = worlds == 1, len(starts) - 1
        strides = (columns, 1, 0 if shared else rows * columns)
        if not device.packed and not shared:  # worlds side by side
            strides = (columns * worlds, worlds, 1)
        header = dict(zip(("ROW_STRIDE", "COLUMN_STRIDE", "WORLD_STRIDE"), strides, strict=True)) | {
            "EVERY": self._every,
            "LAST_ROW": rows - 1,
            "INTERPOLATES": int(self._interpolates),
            "TOGETHER": int(shared and np.ptp(starts + steps) == 0 and np.ptp(delays - steps) == 0.0),
            "LAST_WORLD": last,
            "COLUMN_WORDS": len(SCHEDULE_HEADER) + len(self._first),
            "STARTS": len(SCHEDULE_HEADER) + len(self._first) + self._words.size,
            "FRACTIONS": self._table.size,
            "STEP": self._table.size + len(starts),
        }
        words = [[header[name] for name in SCHEDULE_HEADER], self._first, self._words.ravel(), starts + steps]
        places = np.concatenate([steps - delays, [1.0 / self._every]])
        self._upload(device, np.concatenate(words), places)

    def _upload(self, device: Device, words: np.ndarray, places: np.ndarray) -> None:
        """Copy words and the worlds' places to the device, and the table where it is not there yet."""
        size, number = self._table.size, f"f{device.bits // 8}"
        if self._arrays is None:
            check_array(1, "schedule", size + len(places), most_numbers(device))
            self._arrays = (
                new_array(device, (len(words),), "i4"),
                new_array(device, (size + len(places),), number),
            )
        if not device.packed:
            shared = len(self._table) == 1
            table = self._table if shared else np.moveaxis(self._table, 0, 2)
            self._arrays[0].from_numpy(words.astype(np.int32))
            self._arrays[1].from_numpy(np.concatenate([table.ravel(), places]).astype(number))
            return
        self._arrays[0][:] = words
        numbers = self._arrays[1]
        numbers[size:] = places
        if not self._uploaded:
            numbers[:size].reshape(self._table.shape)[...] = self._table
            self._uploaded = True

    @property
    def arrays(self) -> tuple[NativeArray, NativeArray]:
        """Words and numbers on the device."""
        assert self._arrays is not None  # worlds are placed before a launch
        return self._arrays


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
