"""NVIDIA's driver, by its own calls: what it says of the GPUs that this process may use.

CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and MIG are heeded as the driver heeds them; the first of them is Taichi's.
"""

import ctypes
from contextlib import suppress

LIBRARY = "libcuda.so"
"""What Taichi loads on Linux; what many containers have is libcuda.so.1 alone."""

RESERVED, USED = 5, 7
"""Attributes of a memory pool: bytes taken from the GPU, bytes of them in use."""


def names() -> list[str]:
    """Names of the GPUs, Taichi's first; none where there is no driver."""
    cuda, found = _load(), []
    with suppress(_Failure):
        for i in range(_ask(cuda, "cuDeviceGetCount", ctypes.c_int())):
            name = ctypes.create_string_buffer(256)
            _call(cuda, "cuDeviceGetName", name, len(name), _ask(cuda, "cuDeviceGet", ctypes.c_int(), i))
            found.append(name.value.decode(errors="replace"))
    return found


def free_memory() -> int | None:
    """Bytes that are free on Taichi's GPU, those that its memory pool keeps among them; None where nobody says."""
    cuda = _load()
    with suppress(_Failure):
        device = _ask(cuda, "cuDeviceGet", ctypes.c_int(), 0)
        context = ctypes.c_void_p(_ask(cuda, "cuDevicePrimaryCtxRetain", ctypes.c_void_p(), device))
        try:
            _call(cuda, "cuCtxPushCurrent_v2", context)
            try:
                free, total = ctypes.c_size_t(), ctypes.c_size_t()
                _call(cuda, "cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
                return free.value + _kept(cuda, device)
            finally:
                _call(cuda, "cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        finally:
            _call(cuda, "cuDevicePrimaryCtxRelease_v2", device)
    return None


def hidden() -> str:
    """Why Taichi finds no driver though there is one, and what to do; "" where that is not so."""
    if _opens(LIBRARY) or not _opens(f"{LIBRARY}.1"):
        return ""
    return (
        f"Taichi loads {LIBRARY}, here is {LIBRARY}.1 only: link the former to the latter, in a folder of the loader's"
    )


class _Failure(Exception):
    """The driver is not there, or refuses a call."""


def _kept(cuda, device: int) -> int:
    """Bytes that the pool of a GPU, from which Taichi allocates, has taken and uses no more."""
    with suppress(_Failure):
        pool = ctypes.c_void_p(_ask(cuda, "cuDeviceGetDefaultMemPool", ctypes.c_void_p(), device))
        reserved, used = (_ask_pool(cuda, pool, attribute) for attribute in (RESERVED, USED))
        return max(0, reserved - used)
    return 0


def _ask_pool(cuda, pool: ctypes.c_void_p, attribute: int) -> int:
    value = ctypes.c_uint64()
    _call(cuda, "cuMemPoolGetAttribute", pool, attribute, ctypes.byref(value))
    return value.value


def _load():
    """The driver, started; None where it is not there."""
    for name in (LIBRARY, f"{LIBRARY}.1", "nvcuda.dll"):
        cuda = _opens(name)
        if cuda is not None:
            return cuda if cuda.cuInit(0) == 0 else None
    return None


def _opens(name: str) -> ctypes.CDLL | None:
    """A library, or None where the loader does not find it."""
    with suppress(OSError):
        return ctypes.CDLL(name)
    return None


def _ask(cuda, name: str, answer, *arguments):
    """What a call writes to its first argument."""
    _call(cuda, name, ctypes.byref(answer), *arguments)
    return answer.value


def _call(cuda, name: str, *arguments) -> None:
    function = getattr(cuda, name, None)
    if function is None or function(*arguments) != 0:
        raise _Failure(name)
