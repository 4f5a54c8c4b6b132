"""Rows of the worlds of a simulation, wherever its arrays lie: start, waking and the quantities of a frame."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..quaternion import rounded
from ..tables.layout import FRAME
from .batch import Batch
from .buffer import Rows
from .dlpack import Adopted
from .row_layout import RowLayout


class WorldRows(Protocol):
    """Rows of all worlds, read and written by world and row; see `Buffer`."""

    @property
    def raw(self) -> "WorldRows": ...
    def read(self, rows: Rows, worlds: np.ndarray | None = None) -> np.ndarray: ...
    def fill(self, target: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None: ...
    def write(self, values: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None: ...


class StateRows:
    """Base class of `State` and of `CopiesState`, which keeps copies within a scene in lanes."""

    model: Model
    worlds: int
    device: Device
    batch: Batch
    layout: RowLayout
    sleeps: bool
    float: type[np.floating]

    def buffer(self, name: str) -> WorldRows:
        """Return a buffer with rows of every world: state | results | sleep | links | contacts."""
        raise NotImplementedError

    def mark_positions_changed(self, worlds: np.ndarray | None = None) -> None:
        """Mark joint or root positions of worlds (None: all) as changed; `sync_poses` then updates their links."""
        raise NotImplementedError

    def sync_poses(self) -> None:
        """Compute link poses from joint positions and root poses in the worlds marked as changed."""
        raise NotImplementedError

    def start(self) -> None:
        """Write the model's initial state to every world."""
        rows = np.zeros((1, self.layout.sizes["state"]))
        for name, first in (("Q", self.model.q), ("QD", self.model.qd)):
            rows[:, self.layout.rows[name]] = first
        poses = self.model.poses.copy()
        poses[:, 3:] = rounded(poses[:, 3:], self.float)
        rows[:, self.layout.rows["POSE"]] = poses.ravel()
        rows[:, self.layout.rows["ROOT_VELOCITY"]] = self.model.roots.ravel()
        if self.sleeps:  # a sleeping body does not move, whatever its velocity in the scene
            rows[0, self.layout.rows["QD"]] *= ~self.model.asleep[self.model.owners("dof")]
            rows[0, self.layout.rows["ROOT_VELOCITY"]] *= ~self.model.asleep.repeat(6)
        self.buffer("state").write(np.repeat(rows, self.worlds, 0), slice(0, self.layout.sizes["state"]))
        for name in ("results", "sleep", "contacts"):
            self.buffer(name).write(np.zeros((self.worlds, self.layout.sizes[name])), slice(0, self.layout.sizes[name]))
        asleep = np.where(self.model.asleep & self.sleeps, 1.0, -1.0)
        self.buffer("sleep").write(np.repeat(asleep[None], self.worlds, 0), self.layout.places["ASLEEP"][1])
        self.mark_positions_changed()
        self.sync_poses()

    def read(self) -> np.ndarray:
        """Return the state of all worlds, (worlds, rows)."""
        return self.buffer("state").read(slice(0, self.layout.sizes["state"]))

    def wake(self, worlds: np.ndarray | None = None, articulations: np.ndarray | None = None) -> None:
        """Wake articulations (None: all) of these worlds, and the articulations tied to them; call after a write."""
        if self.sleeps:
            rows = self.layout.places["ASLEEP"][1]
            rows = rows.start + (np.arange(rows.stop - rows.start) if articulations is None else articulations)
            count = self.worlds if worlds is None else len(worlds)
            self.buffer("sleep").write(np.full((count, len(rows)), -1.0, self.float), rows, worlds)

    def frame_rows(self, record: Iterable[str] = FRAME) -> dict[str, slice]:
        """Return the rows of each quantity in a frame of these quantities, keys of `layout.FRAME`, in its order."""
        rows, first = {}, 0
        for quantity in (quantity for quantity in FRAME if quantity in set(record)):
            width = self.layout.rows[FRAME[quantity]].stop - self.layout.rows[FRAME[quantity]].start
            rows[quantity] = slice(first, first + width)
            first += width
        return rows

    def frame_bytes(self, record: Iterable[str] = FRAME) -> int:
        """Return the bytes of a frame of all worlds."""
        numbers = sum(rows.stop - rows.start for rows in self.frame_rows(record).values())
        return self.device.bits // 8 * max(1, numbers) * self.batch.elements * self.device.lanes
