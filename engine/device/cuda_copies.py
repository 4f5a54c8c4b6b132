"""Copies between the host and Taichi's GPU, in the order of Taichi's stream.

Rows of the worlds go through pinned memory, which the GPU reads and writes by itself: a copy to the GPU does not wait
for the kernels before it, and a copy from the GPU needs no second one within the driver.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from threading import Lock

import numpy as np

from ..compiler.abi import HostCopy
from ..compiler.taichi_runtime import forget_in_forks
from .cuda_driver import OTHERS, new_event
from .cuda_errors import refusals
from .cuda_library import CudaFailure, ask, call, context

PORTABLE = 1
"""Flag of pinned memory that all contexts share."""

PIECE = 8 << 20
"""Bytes of a piece of pinned memory, unless a row is longer. There are two, which copies to the GPU use in turn."""

_HOST, _DEVICE = 1, 2
"""Kinds of memory."""


class _Side(ctypes.Structure):
    """Source or destination of a copy, in CUDA_MEMCPY2D."""

    _fields_ = (
        ("byte", ctypes.c_size_t),
        ("row", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("host", ctypes.c_void_p),
        ("device", ctypes.c_uint64),
        ("array", ctypes.c_void_p),
        ("stride", ctypes.c_size_t),
    )


class _Copy(ctypes.Structure):
    """Arguments of a copy, CUDA_MEMCPY2D."""

    _fields_ = (("source", _Side), ("target", _Side), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t))


class _Piece:
    """Pinned memory of some bytes, and an event of the last copy from it."""

    def __init__(self, size: int):
        place = ask("cuMemHostAlloc", ctypes.c_void_p(), ctypes.c_size_t(size), PORTABLE)
        self.bytes = np.frombuffer(memoryview((ctypes.c_uint8 * size).from_address(place)), np.uint8)
        self._event, self._is_read = new_event(), False

    def wait(self) -> None:
        """Wait until the GPU has read the memory."""
        if self._is_read:
            call("cuEventSynchronize", self._event)
            self._is_read = False

    def mark(self) -> None:
        """Note that the GPU reads the memory from now on."""
        call("cuEventRecord", self._event, None)
        self._is_read = True

    def release(self) -> None:
        """Free the memory after the GPU has read it."""
        self.wait()
        call("cuMemFreeHost", ctypes.c_void_p(self.bytes.ctypes.data))


class _Staging:
    """Pinned memory of this process, for one copy at a time."""

    def __init__(self) -> None:
        self.lock, self._pieces, self._turn = Lock(), [], 0

    def next(self, size: int) -> _Piece:
        """Return a piece of at least so many bytes, and the other one the next time."""
        if not self._pieces or len(self._pieces[0].bytes) < size:
            while self._pieces:
                self._pieces.pop().release()
            self._pieces = [_Piece(max(size, PIECE)) for _ in range(2)]
        self._turn = 1 - self._turn
        return self._pieces[self._turn]


@cache
def _staging() -> _Staging:
    return _Staging()


forget_in_forks(_staging.cache_clear)


def uploads(place: int, stride: int, shape: tuple[int, ...], number: np.dtype) -> Iterator[tuple[int, np.ndarray]]:
    """Yield pinned arrays of rows with the index of their first row, and copy each to the GPU when it has been filled.

    The host waits only for a copy that still reads the pinned memory.

    Args:
        place: address of the first row on the GPU.
        stride: bytes from row to row there.
        shape: shape of all rows; the first axis counts them.
        number: type of their numbers.

    Raises:
        DeviceError: the driver refuses, or a kernel before failed.
    """
    with refusals("a copy", OTHERS), context(), _staging().lock:
        for first, rows, piece in _pieces(shape, number):
            piece.wait()
            yield first, rows
            _copy("cuMemcpy2DAsync_v2", place + first * stride, stride, rows, True)
            piece.mark()


def downloads(place: int, stride: int, shape: tuple[int, ...], number: np.dtype) -> Iterator[tuple[int, np.ndarray]]:
    """Yield pinned arrays with rows of the GPU, valid until the next one, and the index of their first row.

    Arguments and errors are those of `uploads`. The host waits for all work on Taichi's stream.
    """
    with refusals("a copy", OTHERS), context(), _staging().lock:
        for first, rows, _ in _pieces(shape, number):
            _copy("cuMemcpy2DUnaligned_v2", place + first * stride, stride, rows, False)
            yield first, rows


def _pieces(shape: tuple[int, ...], number: np.dtype) -> Iterator[tuple[int, np.ndarray, _Piece]]:
    """Yield the index of a first row, pinned memory for the rows from it on, and its piece."""
    width = int(np.prod(shape[1:])) * number.itemsize
    step = max(1, PIECE // max(width, 1))
    for first in range(0, shape[0], step):
        count = min(step, shape[0] - first)
        piece = _staging().next(count * width)
        yield first, piece.bytes[: count * width].view(number).reshape(count, *shape[1:]), piece


def _copy(name: str, place: int, stride: int, rows: np.ndarray, up: bool) -> None:
    """Copy rows between the host and a place on the GPU; rows without gaps are one row for the driver."""
    height, width = (len(rows), rows.nbytes // len(rows)) if stride * len(rows) != rows.nbytes else (1, rows.nbytes)
    here = _Side(kind=_HOST, host=rows.ctypes.data, stride=width)
    there = _Side(kind=_DEVICE, device=place, stride=max(stride, width))
    copy = _Copy(*((here, there) if up else (there, here)), width, height)
    call(name, ctypes.byref(copy), *([None] if "Async" in name else []))


@contextmanager
def copies(arrays: Sequence[np.ndarray]) -> Iterator[list[HostCopy]]:
    """Copy contiguous arrays to Taichi's GPU, and at the end from it, after all work there that began before.

    Read-only arrays are inputs and are not copied back. Nothing waits for the GPU if all arrays are.

    Raises:
        OutOfMemory: they do not fit.
        DeviceError: the driver refuses, or a kernel before the copies failed.
    """
    with refusals("a copy", OTHERS), context(), ExitStack() as stack:
        made = []
        for array in arrays:
            place = stack.enter_context(device_memory(max(1, array.nbytes)))
            made.append((array, place, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)))
        for _, there, here, size in made:
            call("cuMemcpyHtoD_v2", there, here, size)
        yield [HostCopy(array, place.value or 0) for array, place, _, _ in made]
        for array, there, here, size in made:
            if array.flags.writeable:
                call("cuMemcpyDtoH_v2", here, there, size)


@contextmanager
def device_memory(size: int) -> Iterator[ctypes.c_void_p]:
    """Lend memory of some bytes from the pool of Taichi's arrays; call it within `context`.

    It is released after the kernels that began before; what they did is the next call's to report.
    """
    place = ctypes.c_void_p(ask("cuMemAllocAsync", ctypes.c_void_p(), ctypes.c_size_t(size), None))
    try:
        yield place
    finally:
        with suppress(CudaFailure):
            call("cuMemFreeAsync", place, None)
