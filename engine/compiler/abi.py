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
        import numpy as np

        kinds = [_argument(kind) for _, kind in signature]
        self.names = tuple(name for name, _ in signature)
        self._convert = [convert for _, convert in kinds]
        self._numbers = {i for i, (_, kind) in enumerate(signature) if " " not in kind}
        self._host = np.ndarray  # arrays that stay where they are while they live
        self._workers = self.names.index(WORKERS)
        fields = [(name, field) for name, (field, _) in zip(self.names, kinds, strict=True)]
        self._type: Any = type("Arguments", (ctypes.Structure,), {"_fields_": fields})
        self._last: tuple[bytes, tuple] = bytes(ctypes.sizeof(self._type)), (None,) * len(fields)
        """Structure of the last launch; its numbers, and weak references to its arrays of NumPy."""

    def structure(self, values: tuple) -> ctypes.Structure:
        """Return the values as the structure that a kernel reads.

        Launches repeat with most of their values, which are not converted again.
        """
        memory, known = self._last
        found, changed = self._type.from_buffer_copy(memory), None
        for i, (value, seen) in enumerate(zip(values, known, strict=True)):
            if value is seen or (type(seen) is weakref.ref and seen() is value):
                continue
            setattr(found, self.names[i], self._convert[i](value))
            changed = changed or list(known)
            changed[i] = weakref.ref(value) if isinstance(value, self._host) else value if i in self._numbers else None
        if changed:
            self._last = bytes(found), tuple(changed)  # at once: threads launch a kernel at one time
        return found

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

    def convert(array: Any) -> ctypes.Structure:
        """Return shape and address of an array; raise TypeError if a kernel of this kind cannot read it."""
        place = None
        if isinstance(array, HostCopy):
            array, place = array
        elif not isinstance(array, np.ndarray):  # of the kind that `new_array` or `dlpack` of `fajin.device` gave it
            known = getattr(array, "argument", None)
            if isinstance(known, made):
                return known
            found = made(tuple(array.shape[:count]), place_on_gpu(array))
            if hasattr(array, "place"):  # it stays there as long as it lives
                array.argument = found
            return found
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != count + (lanes != "1"):
            raise TypeError(f"array {array.dtype}{list(array.shape)}: must be contiguous, of {kind}")
        return made(array.shape[:count], array.ctypes.data if place is None else place)

    return made, convert


@cache
def _array_type(count: int) -> type[ctypes.Structure]:
    """Return the C type of an array of so many axes."""

    class Array(ctypes.Structure):
        _fields_ = (("shape", ctypes.c_int32 * count), ("data", ctypes.c_void_p))

    return Array
