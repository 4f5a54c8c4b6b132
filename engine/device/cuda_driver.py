"""Work of NVIDIA's driver on Taichi's GPU: queries, kernels, and the order of streams."""

import ctypes
from contextlib import suppress
from functools import cache

from ..compiler.taichi_runtime import forget_in_forks
from .cuda_errors import refusals
from .cuda_library import LIBRARY, CudaFailure, ask, call, context, library

RESERVED, USED = 5, 7
"""Attributes of a memory pool: bytes reserved on the GPU, and bytes of them in use."""

MULTIPROCESSORS, SHARED_MEMORY, CAPABILITY = 16, 81, (75, 76)
"""Attributes of a device: multiprocessors, bytes of memory that one shares, both numbers of the compute capability."""

LINE = 128
"""Bytes of a line of a cache."""

ERROR_LOG, ERROR_LOG_BYTES = 5, 6
"""Options of the driver's assembler: a buffer for lines about errors, and its size."""

WITHOUT_TIME = 2
"""Flag of an event that only orders work."""

OTHERS = "see whether another program uses the GPU"


def names() -> list[str]:
    """Return the names of the GPUs, Taichi's first; an empty list without a driver."""
    found = []
    with suppress(CudaFailure):
        for i in range(ask("cuDeviceGetCount", ctypes.c_int())):
            name = ctypes.create_string_buffer(256)
            call("cuDeviceGetName", name, len(name), ask("cuDeviceGet", ctypes.c_int(), i))
            found.append(name.value.decode(errors="replace"))
    return found


def multiprocessors() -> int:
    """Return the number of multiprocessors of Taichi's GPU; 0 if unknown."""
    return _attribute(MULTIPROCESSORS)


def cache_lines() -> int:
    """Return the lines that the cache of a multiprocessor has where kernels need no shared memory; 0 if unknown."""
    return _attribute(SHARED_MEMORY) // LINE


def _attribute(which: int) -> int:
    """Return an attribute of Taichi's GPU; 0 if unknown."""
    with suppress(CudaFailure):
        device = ask("cuDeviceGet", ctypes.c_int(), 0)
        return ask("cuDeviceGetAttribute", ctypes.c_int(), which, device)
    return 0


def free_memory() -> int | None:
    """Return the free bytes of Taichi's GPU, including unused bytes of its memory pool; None if unknown."""
    with suppress(CudaFailure), context() as device:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value + _kept(device)
    return None


def capability() -> int:
    """Return the compute capability of Taichi's GPU, as 10 times its number.

    Raises:
        DeviceError: the driver does not say.
    """
    with refusals("to say what the GPU can do", "update it"):
        device = ask("cuDeviceGet", ctypes.c_int(), 0)
        major, minor = (ask("cuDeviceGetAttribute", ctypes.c_int(), what, device) for what in CAPABILITY)
    return 10 * major + minor


def load_function(code: bytes, name: str) -> ctypes.c_void_p:
    """Return a kernel of PTX with a zero at its end, which stays on Taichi's GPU as long as the process.

    Raises:
        DeviceError: the driver refuses the code; the message has the first lines of its assembler's log.
    """
    log = ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    with refusals("a kernel", "update the driver"), context():
        try:
            module = ctypes.c_void_p(ask("cuModuleLoadDataEx", ctypes.c_void_p(), code, 2, options, values))
        except CudaFailure as failure:
            failure.log = log.value.decode(errors="replace")
            raise
        return ctypes.c_void_p(ask("cuModuleGetFunction", ctypes.c_void_p(), module, name.encode()))


def launch_function(function: ctypes.c_void_p, blocks: int, threads: int, arguments: tuple) -> None:
    """Run a kernel on Taichi's GPU, after all work there that began before, and do not wait for it.

    Args:
        function: as of `load_function`.
        blocks: number of blocks.
        threads: number of threads of a block.
        arguments: structures of ctypes, and whole numbers, which the kernel gets as 32 bits.

    Raises:
        DeviceError: the driver refuses, or a kernel before this one failed.
    """
    values = [value if isinstance(value, ctypes.Structure) else ctypes.c_int32(value) for value in arguments]
    places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    with refusals("to run a kernel", OTHERS), context():
        call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, places, None)


def synchronize() -> None:
    """Wait until Taichi's GPU has done all work on Taichi's stream.

    Raises:
        DeviceError: a kernel failed.
    """
    with refusals("to wait for kernels", OTHERS), context():
        call("cuStreamSynchronize", None)


def new_event() -> ctypes.c_void_p:
    """Return an event without a time, which marks a place in a stream; call it within `context`."""
    return ctypes.c_void_p(ask("cuEventCreate", ctypes.c_void_p(), WITHOUT_TIME))


def order_streams(stream: int) -> None:
    """Make a stream wait for all work on Taichi's stream that began before; the host does not wait.

    Args:
        stream: handle of the stream (CUstream).

    Raises:
        DeviceError: the driver refuses, or a kernel before failed.
    """
    with refusals("to order streams", OTHERS), context():
        event = _order()
        call("cuEventRecord", event, None)
        call("cuStreamWaitEvent", ctypes.c_void_p(stream), event, 0)


def hidden() -> str:
    """Return why Taichi does not find the installed driver, with the fix; "" if that is not the case."""
    if library().name != f"{LIBRARY}.1":
        return ""
    if library().after_stub:
        return f"Taichi loads {LIBRARY}, a toolkit's stub here: remove its folder stubs from LD_LIBRARY_PATH"
    return f"Taichi loads {LIBRARY}, found only {LIBRARY}.1: link the former to the latter in a folder of the loader"


@cache
def _order() -> ctypes.c_void_p:
    """Return the event of `order_streams`; a stream that waits for it keeps the place that it had then."""
    return new_event()


forget_in_forks(_order.cache_clear)


def _kept(device: int) -> int:
    """Return the bytes that the pool of a GPU, from which Taichi allocates, has reserved but does not use."""
    with suppress(CudaFailure):
        pool = ctypes.c_void_p(ask("cuDeviceGetDefaultMemPool", ctypes.c_void_p(), device))
        reserved, used = (_ask_pool(pool, attribute) for attribute in (RESERVED, USED))
        return max(0, reserved - used)
    return 0


def _ask_pool(pool: ctypes.c_void_p, attribute: int) -> int:
    value = ctypes.c_uint64()
    call("cuMemPoolGetAttribute", pool, attribute, ctypes.byref(value))
    return value.value
