"""Rows of all worlds in a device array, read and written by world and row.

The worlds of a tile lie side by side, row after row: [tile, row, lane]. A tile has the worlds of a pack on a CPU, and
of the threads of a warp on a GPU. NumPy views the memory of packs directly. On CUDA one copy moves rows of all worlds
between host and device. All else on a GPU is done by a kernel that copies rows, or the selected rows of selected
worlds; so a tensor on that GPU is never copied through the host.
"""

from typing import Any, TypeAlias, TypeGuard

import numpy as np

from ..compiler.device import Device
from ..compiler.taichi_arrays import new_taichi_array, wait_for_taichi
from . import cuda_copies, cuda_driver
from .compiled_kernel import launch
from .cuda_array import new_cuda_array
from .dlpack import Adopted, let_wait, scaled, wait_for_producer

Rows: TypeAlias = slice | np.ndarray
"""Rows of a buffer: a slice or an array of indices."""


Units: TypeAlias = np.ndarray | None
"""SI numbers of the units of rows on the device, see `StageUnits`; None: rows are SI numbers there, too."""

CACHE_LINE = 64
"""Bytes of a cache line, and of a pack."""


NativeArray: TypeAlias = Any
"""An array on the device: NumPy's on a CPU, Taichi's on a GPU."""


class Buffer:
    """`count` rows of W worlds, starting at element `first` of a device array.

    Rows are a slice or an array of indices; worlds are an array of indices, or None for all worlds. Idle lanes of the
    last tile hold copies of its last world.

    Args:
        array: the device array.
        device: the device.
        worlds: number of worlds W.
        count: number of rows.
        first: first element.
        units: units of the rows.
    """

    def __init__(
        self, array: NativeArray, device: Device, worlds: int, count: int, first: int = 0, units: Units = None
    ):
        self.array, self._device, self._worlds, self._units = array, device, worlds, units
        self._count, self._first, self._tiles = count, first, -(-worlds // device.tile)
        if device.packed:
            rows = array.reshape(-1, device.lanes)
            self.memory = rows[first : first + self._tiles * count].reshape(self._tiles, count, device.lanes)

    @property
    def raw(self) -> "Buffer":
        """Return this buffer with its numbers as they are on the device."""
        return Buffer(self.array, self._device, self._worlds, self._count, self._first)

    @property
    def place(self) -> tuple[int, int]:
        """Rows of a tile before the first row in the array, and rows of a tile."""
        return self._first * self._device.lanes // self._device.tile, self._count

    def in_units(self, values: Adopted, rows: Rows) -> Adopted:
        """Return values of rows, (..., rows), in the units of the device."""
        return values if self._units is None else scaled(values, 1.0 / self._units[rows])

    def read(self, rows: Rows, worlds: np.ndarray | None = None) -> np.ndarray:
        """Return a copy of the rows, (worlds, rows)."""
        size = (self._worlds if worlds is None else len(worlds), len(_indices(rows)))
        target = np.empty(size, np.float64 if self._device.bits == 64 else np.float32)
        self.fill(target, rows, worlds)
        return target

    def fill(self, target: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Copy rows into an array of shape (worlds, rows) on this device, or on the host if it is a NumPy array."""
        self._fill(target, rows, worlds)
        if self._units is not None:
            target[...] = scaled(target, self._units[rows])

    def _fill(self, target: Adopted, rows: Rows, worlds: np.ndarray | None) -> None:
        if not self._device.packed:
            if not self._copies(target, rows, worlds):
                self._move("gather", target, rows, worlds)
            elif target.size:
                self._download(rows, target)
            return
        assert isinstance(target, np.ndarray)  # a tensor is on a GPU
        if worlds is None:
            _from_tiles(self.memory[:, rows], target)
        elif len(worlds) < target.shape[1]:
            for numbers, (tile, lane) in zip(target, self._places(worlds), strict=True):
                numbers[...] = self.memory[tile, rows, lane]
        else:
            target[...] = self.memory[self._cells(rows, worlds)]

    def write(self, values: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Replace rows by the values of an array of shape (worlds, rows)."""
        values = self.in_units(values, rows)
        if not self._device.packed:
            if not self._copies(values, rows, worlds):
                self._move("scatter", values, rows, worlds)
            elif values.size:
                self._upload(rows, values)
            return
        assert isinstance(values, np.ndarray)  # a tensor is on a GPU
        if worlds is None:
            _to_tiles(self.memory, rows, values)
            return
        if len(worlds) < values.shape[1]:  # a world's rows at once take a tenth of the time
            for numbers, (tile, lane) in zip(values, self._places(worlds), strict=True):
                self.memory[tile, rows, lane] = numbers
        else:
            self.memory[self._cells(rows, worlds)] = values
        _fill_idle_lanes(self.memory, rows, self._worlds)

    def _copies(self, array: Adopted, rows: Rows, worlds: np.ndarray | None) -> TypeGuard[np.ndarray]:
        """Return whether one copy moves these rows between an array on the host and the device."""
        on_cuda = self._device.name == "cuda" and isinstance(array, np.ndarray)
        return on_cuda and isinstance(rows, slice) and worlds is None

    def _upload(self, rows: Rows, values: np.ndarray) -> None:
        """Copy values of all worlds to rows on CUDA."""
        for first, tiles in cuda_copies.uploads(*self._span(rows)):
            _to_tiles(tiles, slice(None), values[first * self._device.tile :][: len(tiles) * self._device.tile])

    def _download(self, rows: Rows, target: np.ndarray) -> None:
        """Copy rows on CUDA to an array of all worlds."""
        for first, tiles in cuda_copies.downloads(*self._span(rows)):
            _from_tiles(tiles, target[first * self._device.tile :][: len(tiles) * self._device.tile])

    def _span(self, rows: Rows) -> tuple[int, int, tuple[int, ...], np.dtype]:
        """Return address and stride of the tiles' rows on CUDA, the shape of all, and the type of their numbers."""
        assert isinstance(rows, slice)  # see _copies
        number = np.dtype(f"f{self._device.bits // 8}")
        row = self._device.tile * number.itemsize
        place = self.array.place + self._first * number.itemsize + rows.start * row
        return place, self._count * row, (self._tiles, rows.stop - rows.start, self._device.tile), number

    def _places(self, worlds: np.ndarray) -> list[tuple[int, int]]:
        """Return tile and lane of worlds."""
        return [divmod(world, self._device.lanes) for world in worlds.tolist()]

    def _cells(self, rows: Rows, worlds: np.ndarray) -> tuple:
        return (worlds // self._device.lanes)[:, None], _indices(rows), (worlds % self._device.lanes)[:, None]

    def _move(self, kernel: str, other: Adopted, rows: Rows, worlds: np.ndarray | None) -> None:
        if 0 in other.shape:
            return
        whole, reads = other, kernel == "gather"
        if isinstance(other, np.ndarray):
            whole = np.ascontiguousarray(other, f"f{self._device.bits // 8}")
        else:
            wait_for_producer(other)
        count = len(other)
        chosen: dict[str, Any] = {}
        if isinstance(rows, slice) and worlds is None:
            count = len(other) if reads else self._tiles * self._device.tile
            kernel, chosen = f"{kernel}_rows", {"row": rows.start}
        else:
            worlds = np.arange(self._worlds) if worlds is None else worlds
            places = _indices(rows).astype(np.int32), worlds.astype(np.int32)
            chosen = {name: as_input(numbers) for name, numbers in zip(("rows", "worlds"), places, strict=True)}
        given = as_input(whole) if isinstance(whole, np.ndarray) and not reads else whole
        source, target = (self.array, given) if reads else (given, self.array)
        launch(
            self._device, "gather_scatter", kernel, source=source, target=target, first=self._first, count=self._count,
            workers=count * int(other.shape[1]), **chosen,
        )  # fmt: skip
        if not isinstance(other, np.ndarray):
            let_wait(other)
        elif reads and whole is not other:
            other[...] = whole


def fill_array(array: NativeArray, device: Device, numbers: np.ndarray, number: str) -> None:
    """Copy numbers to an array of `new_array`; an array of a CPU may be longer."""
    if device.packed:
        array[: len(numbers)] = numbers
        return
    numbers = np.ascontiguousarray(numbers, number)
    if device.name == "cuda":
        for first, place in cuda_copies.uploads(array.place, numbers.itemsize, numbers.shape, numbers.dtype):
            place[...] = numbers[first : first + len(place)]
    else:
        array.from_numpy(numbers)


def _from_tiles(tiles: np.ndarray, target: np.ndarray) -> None:
    """Copy tiles, [tile, row, lane], to an array of shape (worlds, rows)."""
    lanes, worlds = tiles.shape[2], len(target)
    whole, tiles = worlds // lanes, tiles.transpose(0, 2, 1)
    np.copyto(target[: whole * lanes].reshape(tiles[:whole].shape), tiles[:whole])
    if whole < len(tiles):
        target[whole * lanes :] = tiles[-1, : worlds - whole * lanes]


def _to_tiles(tiles: np.ndarray, rows: Rows, values: np.ndarray) -> None:
    """Copy an array of shape (worlds, rows) to rows of tiles."""
    lanes, worlds = tiles.shape[2], len(values)
    whole = worlds // lanes
    tiles[:whole, rows] = values[: whole * lanes].reshape(whole, lanes, len(values[0])).transpose(0, 2, 1)
    if whole < len(tiles):
        tiles[-1, rows, : worlds - whole * lanes] = np.transpose(values[whole * lanes :])
    _fill_idle_lanes(tiles, rows, worlds)


def _fill_idle_lanes(tiles: np.ndarray, rows: Rows, worlds: int) -> None:
    """Copy rows of the last world to the lanes of its tile that have no world."""
    lanes = tiles.shape[2]
    idle = len(tiles) * lanes - worlds
    if idle:
        tiles[-1, rows, lanes - idle :] = tiles[-1, rows, lanes - idle - 1 : lanes - idle]


def as_input(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array, which a launch does not copy back from a GPU."""
    seen = array.view()
    seen.flags.writeable = False
    return seen


def _indices(rows: Rows) -> np.ndarray:
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def wait_for(device: Device) -> None:
    """Wait until a device has done all its work; a CPU has when a launch returns.

    Raises:
        DeviceError: a kernel failed on CUDA.
    """
    if device.name == "cuda":
        cuda_driver.synchronize()
    elif device.name == "vulkan":
        wait_for_taichi()


def new_array(device: Device, shape: tuple[int, ...], number: str, lanes: int = 1) -> NativeArray:
    """Return an array on the device: NumPy's, with an axis of lanes if there are several, or Taichi's on a GPU.

    Packs are loaded whole, so an array of packs starts at the beginning of a cache line.

    Raises:
        OutOfMemory: the array does not fit in the memory of a GPU, which other programs use, too.
    """
    if device.name == "cuda":
        return new_cuda_array(shape, number)
    if not device.packed:
        return new_taichi_array(shape, number)
    size, itemsize = int(np.prod(shape)) * lanes, np.dtype(number).itemsize
    memory = np.zeros(size + CACHE_LINE // itemsize, number)
    first = -memory.ctypes.data % CACHE_LINE // itemsize
    return memory[first : first + size].reshape(shape if lanes == 1 else (*shape, lanes))
