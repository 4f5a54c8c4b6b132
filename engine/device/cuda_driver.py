"""Calls of NVIDIA's CUDA driver API: queries about the GPUs visible to this process, copies, and kernels.

The driver applies CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and MIG; Taichi uses the first visible GPU.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .device import DeviceError

if TYPE_CHECKING:
    import numpy as np  # which `--help` does without

LIBRARY = "libcuda.so"
"""Library that Taichi loads on Linux; many containers have only libcuda.so.1."""

RESERVED, USED = 5, 7
"""Attributes of a memory pool: bytes reserved on the GPU, and bytes of them in use."""


def names() -> list[str]:
    """Return the names of the GPUs, Taichi's first; an empty list without a driver."""
    cuda, found = _load(), []
    with suppress(_Failure):
        for i in range(_ask(cuda, "cuDeviceGetCount", ctypes.c_int())):
            name = ctypes.create_string_buffer(256)
            _call(cuda, "cuDeviceGetName", name, len(name), _ask(cuda, "cuDeviceGet", ctypes.c_int(), i))
            found.append(name.value.decode(errors="replace"))
    return found


def free_memory() -> int | None:
    """Return the free bytes of Taichi's GPU, including unused bytes of its memory pool; None if unknown."""
    cuda = _load()
    with suppress(_Failure), _context(cuda) as device:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        _call(cuda, "cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value + _kept(cuda, device)
    return None


def copy_rows(place: int, stride: int, rows: "np.ndarray", up: bool) -> None:
    """Copy rows of bytes between the host and Taichi's GPU, after all work there that began before.

    Args:
        place: address of the first row on the GPU.
        stride: bytes from row to row there.
        rows: the rows on the host, one after the other; the first axis counts them.
        up: whether to copy to the GPU.

    Raises:
        DeviceError: the driver refuses.
    """
    width = rows.nbytes // len(rows)
    here = _Side(kind=_HOST, host=rows.ctypes.data, stride=width)
    there = _Side(kind=_DEVICE, device=place, stride=stride)
    copy = _Copy(*((here, there) if up else (there, here)), width, len(rows))
    cuda = _load()
    try:
        with _context(cuda):
            _call(cuda, "cuMemcpy2DUnaligned_v2", ctypes.byref(copy))
    except _Failure:
        raise DeviceError("device cuda: the driver refuses a copy; see whether another program uses the GPU") from None


class HostCopy(NamedTuple):
    """An array of the host's, and the address of its copy on Taichi's GPU."""

    array: "np.ndarray"
    place: int


@contextmanager
def copies(arrays: Sequence["np.ndarray"]) -> Iterator[list[HostCopy]]:
    """Copy contiguous arrays to Taichi's GPU, and at the end from it, after all work there that began before.

    Raises:
        DeviceError: the driver refuses.
    """
    cuda = _load()
    try:
        with _context(cuda), ExitStack() as stack:
            made = []
            for array in arrays:
                size = ctypes.c_size_t(max(1, array.nbytes))
                place = ctypes.c_void_p(_ask(cuda, "cuMemAlloc_v2", ctypes.c_void_p(), size))
                stack.callback(_call, cuda, "cuMemFree_v2", place)
                made.append((place, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)))
            for there, here, size in made:
                _call(cuda, "cuMemcpyHtoD_v2", there, here, size)
            yield [HostCopy(array, place.value or 0) for array, (place, _, _) in zip(arrays, made, strict=True)]
            for there, here, size in made:
                _call(cuda, "cuMemcpyDtoH_v2", here, there, size)
    except _Failure:
        raise DeviceError("device cuda: the driver refuses a copy; see whether another program uses the GPU") from None


def capability() -> int:
    """Return the compute capability of Taichi's GPU, as 10 times its number.

    Raises:
        DeviceError: the driver does not say.
    """
    cuda = _load()
    try:
        device = _ask(cuda, "cuDeviceGet", ctypes.c_int(), 0)
        major, minor = (_ask(cuda, "cuDeviceGetAttribute", ctypes.c_int(), what, device) for what in _CAPABILITY)
    except _Failure:
        raise DeviceError("device cuda: the driver does not say what the GPU can do; update it") from None
    return 10 * major + minor


def load_function(code: bytes, name: str) -> ctypes.c_void_p:
    """Return a kernel of PTX with a zero at its end, which stays on Taichi's GPU as long as the process.

    Raises:
        DeviceError: the driver refuses the code.
    """
    cuda = _load()
    try:
        with _context(cuda):
            module = ctypes.c_void_p(_ask(cuda, "cuModuleLoadDataEx", ctypes.c_void_p(), code, 0, None, None))
            return ctypes.c_void_p(_ask(cuda, "cuModuleGetFunction", ctypes.c_void_p(), module, name.encode()))
    except _Failure:
        raise DeviceError("device cuda: the driver refuses a kernel; update the driver") from None


def launch_function(function: ctypes.c_void_p, blocks: int, threads: int, arguments: tuple) -> None:
    """Run a kernel on Taichi's GPU, after all work there that began before, and do not wait for it.

    Args:
        function: as of `load_function`.
        blocks: number of blocks.
        threads: number of threads of a block.
        arguments: structures of ctypes, and whole numbers, which the kernel gets as 32 bits.

    Raises:
        DeviceError: the driver refuses.
    """
    values = [value if isinstance(value, ctypes.Structure) else ctypes.c_int32(value) for value in arguments]
    places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    cuda = _load()
    try:
        with _context(cuda):
            _call(cuda, "cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, places, None)
    except _Failure:
        raise DeviceError(
            "device cuda: the driver refuses a kernel; see whether another program uses the GPU"
        ) from None


_CAPABILITY = 75, 76
"""Attributes of a device: major and minor number of its compute capability."""

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


def hidden() -> str:
    """Return why Taichi does not find the installed driver, with the fix; "" if that is not the case."""
    if _opens(LIBRARY) or not _opens(f"{LIBRARY}.1"):
        return ""
    return f"Taichi loads {LIBRARY}, found only {LIBRARY}.1: link the former to the latter in a folder of the loader"


_Driver: TypeAlias = ctypes.CDLL | None


class _Failure(Exception):
    """The driver is missing, or a call failed."""


@contextmanager
def _context(cuda: _Driver) -> Iterator[int]:
    """Enter Taichi's context, the primary one of the first GPU; yield the GPU."""
    device = _ask(cuda, "cuDeviceGet", ctypes.c_int(), 0)
    context = ctypes.c_void_p(_ask(cuda, "cuDevicePrimaryCtxRetain", ctypes.c_void_p(), device))
    try:
        _call(cuda, "cuCtxPushCurrent_v2", context)
        try:
            yield device
        finally:
            _call(cuda, "cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    finally:
        _call(cuda, "cuDevicePrimaryCtxRelease_v2", device)


def _kept(cuda: _Driver, device: int) -> int:
    """Return the bytes that the pool of a GPU, from which Taichi allocates, has reserved but does not use."""
    with suppress(_Failure):
        pool = ctypes.c_void_p(_ask(cuda, "cuDeviceGetDefaultMemPool", ctypes.c_void_p(), device))
        reserved, used = (_ask_pool(cuda, pool, attribute) for attribute in (RESERVED, USED))
        return max(0, reserved - used)
    return 0


def _ask_pool(cuda: _Driver, pool: ctypes.c_void_p, attribute: int) -> int:
    value = ctypes.c_uint64()
    _call(cuda, "cuMemPoolGetAttribute", pool, attribute, ctypes.byref(value))
    return value.value


def _load() -> _Driver:
    """Return the initialised driver; None if it is missing."""
    for name in (LIBRARY, f"{LIBRARY}.1", "nvcuda.dll"):
        cuda = _opens(name)
        if cuda is not None:
            return cuda if cuda.cuInit(0) == 0 else None
    return None


def _opens(name: str) -> _Driver:
    """Return a library, or None if the loader does not find it."""
    with suppress(OSError):
        return ctypes.CDLL(name)
    return None


def _ask(cuda: _Driver, name: str, answer: ctypes.c_int | ctypes.c_void_p, *arguments: object) -> int:
    """Return the value that a call writes to its first argument."""
    _call(cuda, name, ctypes.byref(answer), *arguments)
    return answer.value or 0


def _call(cuda: _Driver, name: str, *arguments: object) -> None:
    function = getattr(cuda, name, None)
    if function is None or function(*arguments) != 0:
        raise _Failure(name)
