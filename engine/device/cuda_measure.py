"""Measurements of Taichi's GPU."""

import ctypes
from time import perf_counter

from .cuda_copies import device_memory
from .cuda_driver import OTHERS, free_memory, synchronize
from .cuda_errors import refusals
from .cuda_library import call, context

LARGEST = 1 << 30
"""Most bytes that are copied at once, many times what a cache holds."""


def copy_rate(repeats: int = 10) -> float:
    """Return the bytes per second that a GPU reads and writes while it copies within its memory.

    Raises:
        DeviceError: the driver refuses, or (OutOfMemory) there is no room.
    """
    size = min(LARGEST, (free_memory() or 0) // 4)
    with refusals("a copy", OTHERS), context(), device_memory(size) as source, device_memory(size) as target:
        began = 0.0
        for repeat in range(repeats + 1):
            if repeat == 1:  # the first one may find a GPU that saves power
                synchronize()
                began = perf_counter()
            call("cuMemcpyDtoD_v2", target, source, ctypes.c_size_t(size))
        synchronize()
        return 2.0 * size * repeats / (perf_counter() - began)
