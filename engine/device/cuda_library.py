"""NVIDIA's driver library, libcuda: found and initialised once a process, its calls, and the context of Taichi.

The driver applies CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and MIG; Taichi uses the first visible GPU.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache

from ..compiler.taichi_runtime import forget_in_forks

LIBRARY = "libcuda.so"
"""Library that Taichi loads on Linux; many containers have only libcuda.so.1."""

LIBRARIES = (LIBRARY, f"{LIBRARY}.1", "nvcuda.dll")

STUB = 34
"""Result of `cuInit` in the library of a toolkit's folder `stubs`, which only a linker needs."""


class CudaFailure(Exception):
    """A call of the driver that failed.

    Attributes:
        call: name of the call.
        code: result of the call (CUresult); 0 if the driver, or the call in it, is missing.
        name: name of the result, as CUDA_ERROR_OUT_OF_MEMORY.
        text: the driver's description of the result.
        log: lines of the driver's assembler.
    """

    def __init__(self, call: str, code: int = 0, name: str = "", text: str = "", log: str = ""):
        super().__init__(f"{call}: {name}, {code}")
        self.call, self.code, self.name, self.text, self.log = call, code, name, text, log


@dataclass(frozen=True)
class Library:
    """The driver as the loader finds it."""

    name: str = ""  # of its file; "" if there is none
    functions: ctypes.CDLL | None = None
    code: int = 0  # result of cuInit
    after_stub: bool = False  # whether LIBRARY is a toolkit's stub


@cache
def library() -> Library:
    """Return the driver, initialised. A toolkit's stub is closed again: it has the name of the driver inside."""
    stub = False
    for name in LIBRARIES:
        functions = _opened(name)
        if functions is None:
            continue
        code = functions.cuInit(0) if hasattr(functions, "cuInit") else 0
        if code != STUB:
            return Library(name, functions, code, stub)
        stub = True
        _close(functions)
    return Library(code=STUB if stub else 0, after_stub=stub)


forget_in_forks(library.cache_clear)  # the driver does not work in a fork of a process that initialised it


def _opened(name: str) -> ctypes.CDLL | None:
    """Return a library, or None if the loader does not find it."""
    with suppress(OSError):
        return ctypes.CDLL(name)
    return None


def _close(functions: ctypes.CDLL) -> None:
    with suppress(ImportError):  # Windows has no stubs
        from _ctypes import dlclose

        dlclose(functions._handle)


def start_failure() -> CudaFailure | None:
    """Return why `cuInit` failed; None if it did not, or without a driver."""
    return _failure("cuInit", library().code) if library().code else None


def call(name: str, *arguments: object) -> None:
    """Call a function of the driver.

    Raises:
        CudaFailure: the driver or the function is missing, or the result is an error.
    """
    driver = library()
    if driver.code:
        raise _failure("cuInit", driver.code)
    function = getattr(driver.functions, name, None)
    if function is None:
        raise CudaFailure(name)
    code = function(*arguments)
    if code:
        raise _failure(name, code)


def ask(name: str, answer: ctypes.c_int | ctypes.c_void_p, *arguments: object) -> int:
    """Return the value that a call writes to its first argument; errors as of `call`."""
    call(name, ctypes.byref(answer), *arguments)
    return answer.value or 0


@cache
def primary_context() -> tuple[int, ctypes.c_void_p]:
    """Return the first GPU and its primary context, which is Taichi's; both keep it as long as the process."""
    device = ask("cuDeviceGet", ctypes.c_int(), 0)
    return device, ctypes.c_void_p(ask("cuDevicePrimaryCtxRetain", ctypes.c_void_p(), device))


forget_in_forks(primary_context.cache_clear)


class _Depth(threading.local):
    """Number of uses of `context` that this thread is in."""

    uses = 0


_depth = _Depth()


@contextmanager
def context() -> Iterator[int]:
    """Make Taichi's context current in this thread, unless an outer use did; yield the GPU.

    A failure in between is raised, not that of what ends it.
    """
    device, primary = primary_context()
    if not _depth.uses:
        call("cuCtxPushCurrent_v2", primary)
    _depth.uses += 1
    try:
        yield device
    finally:
        _depth.uses -= 1
        if not _depth.uses:
            with suppress(CudaFailure):
                call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


def stay_in_context_at_exit() -> None:
    """Make Taichi's context current in the thread that ends the process, if the driver still works."""
    with suppress(CudaFailure):
        call("cuCtxSetCurrent", primary_context()[1])


def _failure(name: str, code: int) -> CudaFailure:
    if code == STUB:  # whose library is closed
        return CudaFailure(name, code, "CUDA_ERROR_STUB_LIBRARY", "the library is a toolkit's, for linkers")
    return CudaFailure(
        name, code, _words("cuGetErrorName", code) or "an unknown error", _words("cuGetErrorString", code)
    )


def _words(name: str, code: int) -> str:
    """Return what the driver calls a result, by a function that works without `cuInit`; "" if it does not know."""
    function, text = getattr(library().functions, name, None), ctypes.c_char_p()
    if function is None or function(code, ctypes.byref(text)):
        return ""
    return (text.value or b"").decode(errors="replace")
