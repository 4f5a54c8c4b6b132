"""Rows of all worlds in a device array, read and written by world and row.

The worlds of a tile lie side by side, row after row: [tile, row, lane]. A tile has the worlds of a pack on a CPU, and
of the threads of a warp on a GPU. NumPy views the memory of packs directly. On a GPU a kernel copies rows, or the
selected rows of selected worlds, so that a tensor on that GPU is never copied through the host.
"""

from typing import Any, TypeAlias

import numpy as np

from .device import Device
from .dlpack import Adopted, order
from .taichi_runtime import compiler_options, load_physics

Rows: TypeAlias = slice | np.ndarray
"""Rows of a buffer: a slice or an array of indices."""


CACHE_LINE = 64
"""Bytes of a cache line, and of a pack."""


NativeArray: TypeAlias = Any
"""An array on the device: NumPy's on a CPU, Taichi's on a GPU."""


class Buffer:
    """`count` rows of W worlds, starting at element `first` of a device array.

    Rows are a slice or an array of indices; worlds are an array of indices, or None for all worlds. Idle lanes of the
    last tile hold copies of its last world.
    """

    def __init__(self, array: NativeArray, device: Device, worlds: int, count: int, first: int = 0):
        self.array, self._device, self._worlds = array, device, worlds
        self._count, self._first = count, first
        if device.packed:
            packs = -(-worlds // device.lanes)
            rows = array.reshape(-1, device.lanes)
            self.memory = rows[first : first + packs * count].reshape(packs, count, device.lanes)

    def read(self, rows: Rows, worlds: np.ndarray | None = None) -> np.ndarray:
        """Return a copy of the rows, (worlds, rows)."""
        size = (self._worlds if worlds is None else len(worlds), len(_indices(rows)))
        target = np.empty(size, np.float64 if self._device.bits == 64 else np.float32)
        self.fill(target, rows, worlds)
        return target

    def fill(self, target: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Copy rows into an array of shape (worlds, rows) on this device, or on the host if it is a NumPy array."""
        if not self._device.packed:
            self._move("gather", target, rows, worlds)
            return
        assert isinstance(target, np.ndarray)  # a tensor is on a GPU
        if worlds is not None:
            target[...] = self.memory[self._cells(rows, worlds)]
        else:
            lanes, whole = self._device.lanes, self._worlds // self._device.lanes
            packs = self.memory[:, rows].transpose(0, 2, 1)
            np.copyto(target[: whole * lanes].reshape(packs[:whole].shape), packs[:whole])
            if whole < len(packs):
                target[whole * lanes :] = packs[-1, : self._worlds - whole * lanes]

    def write(self, values: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Replace rows by the values of an array of shape (worlds, rows)."""
        if not self._device.packed:
            self._move("scatter", values, rows, worlds)
            return
        assert isinstance(values, np.ndarray)  # a tensor is on a GPU
        lanes, whole = self._device.lanes, self._worlds // self._device.lanes
        if worlds is not None:
            self.memory[self._cells(rows, worlds)] = values
        else:
            packs = values[: whole * lanes].reshape(whole, lanes, len(values[0]))
            self.memory[:whole, rows] = packs.transpose(0, 2, 1)
            if whole < len(self.memory):
                self.memory[-1, rows, : self._worlds - whole * lanes] = np.transpose(values[whole * lanes :])
        idle = len(self.memory) * lanes - self._worlds
        if idle:
            self.memory[-1, rows, lanes - idle :] = self.memory[-1, rows, lanes - idle - 1 : lanes - idle]

    def _cells(self, rows: Rows, worlds: np.ndarray) -> tuple:
        return (worlds // self._device.lanes)[:, None], _indices(rows), (worlds % self._device.lanes)[:, None]

    def _move(self, kernel: str, other: Adopted, rows: Rows, worlds: np.ndarray | None) -> None:
        if 0 in other.shape:
            return
        whole = other
        if isinstance(other, np.ndarray):
            whole = np.ascontiguousarray(other, f"f{self._device.bits // 8}")
        else:
            order(other)
        chosen: tuple = ()
        if isinstance(rows, slice) and worlds is None:
            kernel, chosen = f"{kernel}_rows", (rows.start,)
        else:
            worlds = np.arange(self._worlds) if worlds is None else worlds
            chosen = _indices(rows).astype(np.int32), worlds.astype(np.int32)
        with compiler_options(self._device):
            getattr(load_physics(self._device, "gather_scatter"), kernel)(
                self.array, self._first, self._count, *chosen, whole
            )
        if not isinstance(other, np.ndarray):
            _finish()  # the next reader or writer may be on another stream
        elif kernel.startswith("gather") and whole is not other:
            other[...] = whole


def _indices(rows: Rows) -> np.ndarray:
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def _finish() -> None:
    import taichi as ti

    ti.sync()


def new_array(device: Device, shape: tuple[int, ...], number: str, lanes: int = 1) -> NativeArray:
    """Return an array on the device: NumPy's, with an axis of lanes if there are several, or Taichi's on a GPU.

    Packs are loaded whole, so an array of packs starts at the beginning of a cache line.
    """
    if not device.packed:
        import taichi as ti

        return ti.ndarray({"i4": ti.i32, "f4": ti.f32, "f8": ti.f64}[number], shape)
    size, itemsize = int(np.prod(shape)) * lanes, np.dtype(number).itemsize
    memory = np.zeros(size + CACHE_LINE // itemsize, number)
    first = -memory.ctypes.data % CACHE_LINE // itemsize
    return memory[first : first + size].reshape(shape if lanes == 1 else (*shape, lanes))
