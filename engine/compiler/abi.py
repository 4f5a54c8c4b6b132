"""Context and arguments that the code of a kernel is called with, as C lays them out."""

import ctypes
import weakref
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np  # which `--help` does without

NUMBERS = {"i4": ctypes.c_int32, "f4": ctypes.c_float, "f8": ctypes.c_double}
WORKERS = "workers"
"""Argument of every kernel: the number of turns of its loop."""


class HostCopy(NamedTuple):
    """An array of the host's, and the address of its copy on Taichi's GPU."""

    array: "np.ndarray"
    place: int


def place_on_gpu(array: Any) -> int:
    """Return the address of an array on Taichi's GPU: Taichi's own, or a tensor of PyTorch's."""
    return array.place if hasattr(array, "place") else array.data_ptr()


class Arguments:
    """Arguments of a kernel: name and kind of each, see `kernel_compiler`."""

    def __init__(self, signature: list[tuple[str, str]]):
        self._kinds = [_argument(kind) for _, kind in signature]
        self.names = tuple(name for name, _ in signature)
        self._workers = self.names.index(WORKERS)
        fields = [(name, field) for (name, _), (field, _) in zip(signature, self._kinds, strict=True)]
        self._type = type("Arguments", (ctypes.Structure,), {"_fields_": fields})

    def structure(self, values: tuple) -> ctypes.Structure:
        """Return the values as the structure that a kernel reads."""
        return self._type(*(convert(value) for (_, convert), value in zip(self._kinds, values, strict=True)))

    def turns(self, values: tuple) -> int:
        """Return the number of turns of the kernel's loop."""
        return values[self._workers]


class Context(ctypes.Structure):
    """Taichi's RuntimeContext, of which a loop reads the arguments only."""

    _fields_ = (
        ("arguments", ctypes.c_void_p),
        ("runtime", ctypes.c_void_p),
        ("thread", ctypes.c_int32),
        ("result", ctypes.c_void_p),
    )


def _argument(kind: str) -> tuple[type, Callable]:
    """Return the C type of an argument of a kind, and what converts a value to it."""
    import numpy as np

    if " " not in kind:
        return NUMBERS[kind], float if kind[0] == "f" else int
    axes, lanes, number = kind.split()
    count, dtype = int(axes), np.dtype(number)
    made = _array_type(count)
    last: tuple[Callable[[], Any], ctypes.Structure] | None = None  # launches repeat with most of their arrays

    def convert(array: Any) -> ctypes.Structure:
        """Return shape and address of an array; raise TypeError if a kernel of this kind cannot read it."""
        nonlocal last
        seen = last
        if seen is not None and seen[0]() is array:
            return seen[1]
        place, known = None, getattr(array, "argument", None)
        if isinstance(known, made):
            return known
        if isinstance(array, HostCopy):
            array, place = array
        elif not isinstance(array, np.ndarray):  # of the kind that `new_array` or `dlpack` of `fajin.device` gave it
            found = made(tuple(array.shape[:count]), place_on_gpu(array))
            if hasattr(array, "place"):  # it stays there as long as it lives
                array.argument = found
            return found
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != count + (lanes != "1"):
            raise TypeError(f"array {array.dtype}{list(array.shape)}: must be contiguous, of {kind}")
        if place is not None:
            return made(array.shape[:count], place)
        found = made(array.shape[:count], array.ctypes.data)
        last = weakref.ref(array), found
        return found

    return made, convert


@cache
def _array_type(count: int) -> type[ctypes.Structure]:
    """Return the C type of an array of so many axes."""

    class Array(ctypes.Structure):
        _fields_ = (("shape", ctypes.c_int32 * count), ("data", ctypes.c_void_p))

    return Array
