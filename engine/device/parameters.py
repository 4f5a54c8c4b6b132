"""Parameters of a model that may differ between worlds: rows on the host and their places on the device."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..model.row_flags import flag_articulations, flag_nodes
from ..quaternion import rounded
from ..tables.layout import FOLLOWERS, INFINITE, PARAMETERS
from ..tables.topology import TABLES
from .batch import Batch
from .buffer import Buffer, NativeArray, fill_array
from .contact_slots import ContactSlots
from .row_layout import RowLayout
from .shared_rows import SharedRows
from .stage_units import StageUnits

STRUCTURAL = {name for name, row in PARAMETERS.items() if row.decides}
"""Parameters that decide which rows a joint has, and which links have external forces."""


class Arrays(Protocol):
    """The device arrays of a model in which parameters lie; `State` has them."""

    model: Model
    device: Device
    worlds: int
    float: type[np.floating]
    batch: Batch
    slots: ContactSlots
    layout: RowLayout
    units: StageUnits | None

    def array(self, name: str, shape: tuple[int, ...] | None = None) -> NativeArray:
        """Return the device array of that name."""
        ...


class Parameters:
    """The parameters of one simulation: (1, rows) shared by all worlds, or (worlds, rows).

    The host's rows are current until `device_buffer` returns a parameter for writing on the device. The host then
    fetches the rows when it needs them.
    """

    def __init__(self, state: Arrays):
        self._state = state
        self._rows = {name: rows[None].copy() for name, rows in state.model.parameters.items()}
        self._first: dict[str, int] = {}  # first element on the device, by parameter
        self._newer_on_host: set[str] = set()  # newer on the host
        self._newer_on_device: set[str] = set()  # newer on the device
        self._written_there: set[str] = set()  # of the only world, and written on the device
        self._shared = SharedRows({}, state.device.tile)  # on a GPU
        self._places: list[int] = []  # words of the topology: place of every parameter, and its rows per world
        self._topology_is_stale = True
        self.version = 0
        """Number of parameters set so far; while it stays, shared ones have their rows, and varying ones vary."""

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the rows of a parameter; read-only."""
        if name in self._newer_on_device:
            self._fetch(name)
        return self._rows[name]

    def __setitem__(self, name: str, rows: np.ndarray) -> None:
        """Replace a parameter: (1, rows) shared by all worlds, or (worlds, rows)."""
        self.version += 1
        rows = np.clip(rows, -INFINITE, INFINITE)
        same_size = rows.shape == self._rows[name].shape
        self._rows[name] = rows
        self._newer_on_host.add(name)
        self._newer_on_device.discard(name)
        if not same_size:
            self._invalidate_layout()
        self._topology_is_stale |= name in STRUCTURAL
        if name in FOLLOWERS:
            clamps = self._state.model.clamps
            self[FOLLOWERS[name]] = np.where(clamps >= 0, rows[:, clamps], INFINITE)

    def varies(self, name: str) -> bool:
        """Return whether every world has its own rows of a parameter."""
        return len(self._rows[name]) > 1

    def device_buffer(self, name: str) -> Buffer:
        """Return the buffer of a parameter of all worlds for writing on the device; not for `STRUCTURAL` parameters."""
        self.move_to_device((name,))
        return self._buffer(name)

    def move_to_device(self, names: Iterable[str]) -> None:
        """Prepare parameters for writing on the device, with rows of every world; not for `STRUCTURAL` parameters."""
        for name in names:
            if len(self._rows[name]) < self._state.worlds:
                self[name] = np.repeat(self._rows[name], self._state.worlds, 0)
            if self._state.worlds == 1 and name not in self._written_there:  # on a GPU, it leaves the shared ones
                self._written_there.add(name)
                self._invalidate_layout()
        self.upload()
        self._newer_on_device.update(names)

    def upload(self) -> None:
        """Copy changed parameters to the device, and the topology where its contents changed."""
        if not self._first:
            self._lay_out()
        if self._topology_is_stale:
            self._write_topology()
        shared = self._newer_on_host & self._shared.first.keys()
        for name in self._newer_on_host - shared:
            if self._rows[name].size:
                self._buffer(name).write(self._rounded(name), self._all(name))
        if shared:
            self._upload_shared(shared)
        self._newer_on_host.clear()

    def _upload_shared(self, names: Iterable[str]) -> None:
        """Copy changed parameters that all worlds share to a GPU, with those beside them."""
        for name in names:
            buffer, everything = self._buffer(name), self._all(name)
            self._shared.write(name, np.asarray(buffer.in_units(self._rounded(name), everything))[0])
        rows = self._shared.block
        block = Buffer(self._state.array("parameters"), self._state.device, self._state.device.tile, len(rows))
        block.write(rows.T, slice(0, len(rows)))

    def _rounded(self, name: str) -> np.ndarray:
        """Return the rows of a parameter for the device; rotations of shapes are unit ones in its precision."""
        rows = self._rows[name]
        if name != "COLLIDER_ROTATION":
            return rows
        return rounded(rows.reshape(len(rows), -1, 4), self._state.float).reshape(rows.shape)

    def mark_topology_changed(self) -> None:
        """Mark the topology on the device as outdated."""
        self._topology_is_stale = True

    def _invalidate_layout(self) -> None:
        """Mark the layout as outdated; parameters that are newer on the device are fetched first."""
        for name in tuple(self._newer_on_device):
            self._fetch(name)
        self._first.clear()

    def _fetch(self, name: str) -> None:
        self._newer_on_device.discard(name)
        self._rows[name] = self._buffer(name).read(self._all(name)).astype(np.float64)

    def _all(self, name: str) -> slice:
        return slice(0, self._rows[name].shape[1])

    def _buffer(self, name: str) -> Buffer:
        worlds, count = self._rows[name].shape
        units = self._state.units.parameter(name) if self._state.units else None
        return Buffer(self._state.array("parameters"), self._state.device, worlds, count, self._first[name], units)

    def _lay_out(self) -> None:
        """Assign a place to every parameter."""
        state, counts = self._state, {name: self._rows[name].shape[1] for name in PARAMETERS}
        own = {name for name in PARAMETERS if self.varies(name) or name in self._written_there}
        if not state.device.packed:
            self._shared = SharedRows({name: counts[name] for name in PARAMETERS if name not in own}, state.device.tile)
        self._first, first = dict(self._shared.first), self._shared.block.size
        self._places = []
        for name, count in counts.items():
            if name not in self._first:
                self._first[name] = first
                first += count * (state.batch.elements if name in own else 1)
            lanes = 0 if state.device.packed else state.device.tile
            self._places += [self._first[name], (count * lanes + lanes - 1 if lanes else count) if name in own else 0]
        state.array("parameters", (first,))
        self._newer_on_host, self._topology_is_stale = set(PARAMETERS), True

    def _write_topology(self) -> None:
        """Write the topology: header, places, nodes, articulations."""
        state, self._topology_is_stale = self._state, False
        tables = state.model.tables | {
            "NODES": flag_nodes(state.model.nodes, self._rows),
            "ARTICULATIONS": flag_articulations(state.model.tables, self._rows),
            "ISLANDS": state.slots.islands,
        }
        words = np.concatenate([state.layout.header(), self._places, *(tables[name].ravel() for name in TABLES)])
        topology = state.array("topology", (len(words),))
        fill_array(topology, state.device, words, "i4")
