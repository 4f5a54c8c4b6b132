"""Launch kernels: machine code on a CPU, PTX on NVIDIA's GPUs, Taichi elsewhere.

A process that finds the machine code of its kernels in the cache neither traces nor compiles, and does not import
Taichi.
"""

import ctypes
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np

from . import cuda_driver
from .buffer import NativeArray, address
from .code_cache import cached_code
from .cuda_code import ENTRY, NEWEST
from .device import Device
from .kernel_compiler import KernelRequest, compile_apart
from .machine_code import load_machine_code
from .taichi_runtime import compiler_options, forget_in_forks, load_physics

NUMBERS = {"i4": ctypes.c_int32, "f4": ctypes.c_float, "f8": ctypes.c_double}
WORKERS = "workers"
"""Argument of every kernel: the number of turns of its loop."""


def launch(device: Device, file: str, kernel: str, *arguments: Any, templates: tuple = ()) -> None:
    """Run a kernel of `fajin.physics`, whose last arguments are the templates."""
    run = None
    if device.compiled:
        architecture = _architecture() if device.name == "cuda" else ""
        run = compiled_kernel(KernelRequest(file, kernel, device.bits, device.lanes, templates, architecture))
    if run is not None:
        run(arguments, device.workers)
        return
    physics = load_physics(device, file)  # starts Taichi if need be
    with compiler_options(device):
        getattr(physics, kernel)(*arguments, *templates)


@cache
def _architecture() -> str:
    """Return the architecture of Taichi's GPU, or the newest one that LLVM knows."""
    return f"sm_{min(cuda_driver.capability(), NEWEST)}"


@cache
def compiled_kernel(request: KernelRequest) -> "CompiledKernel | CudaKernel | None":
    """Return a kernel, from the cache of machine code or compiled anew.

    None if that fails: the source is wrong, prints or asserts, or no child process can run. Taichi then compiles the
    kernel in this process, and its message shows why.
    """
    first, *others = request.parts()
    with ThreadPoolExecutor(max(len(others), 1)) as pool:  # at the same time
        waiting = [pool.submit(_code, other) for other in others]
        codes = [_code(first), *(code.result() for code in waiting)]
    found = [code for code in codes if code is not None]
    if len(found) < len(codes):
        return None
    return CudaKernel(*found) if request.architecture else CompiledKernel(*found)


def _code(request: KernelRequest) -> bytes | None:
    """Return the code of a kernel or of a part of one, from the cache or compiled anew."""
    return cached_code(f"{request.name}-{request.key()}", lambda: _compile(request))


def _compile(request: KernelRequest) -> bytes | None:
    """Compile a kernel, which takes seconds, and log it."""
    import logging

    logging.getLogger("fajin").info("compiling %s of %s for this kind of robot", request.name, request.file)
    return compile_apart(request)


class CompiledKernel:
    """Machine code of a kernel, called with NumPy arrays and numbers.

    Args:
        codes: header and object file of each part, as of `kernel_compiler`; the first has the loop.
    """

    def __init__(self, *codes: bytes):
        headers, files = zip(*(code.split(b"\n", 1) for code in codes), strict=True)
        self._arguments = _Arguments(json.loads(headers[0])["arguments"])
        self._code, place = load_machine_code(files)
        self._body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)(place)

    def __call__(self, values: tuple, threads: int) -> None:
        """Run all turns of the loop, on at most so many threads."""
        arguments = self._arguments.structure(values)
        context = _Context(ctypes.addressof(arguments), None, 0, None)
        place, turns = ctypes.addressof(context), range(self._arguments.turns(values))
        if threads == 1 or len(turns) == 1:
            for turn in turns:
                self._body(place, None, turn)
            return
        pool, started = _threads(threads), []
        try:
            started += (pool.submit(self._body, place, None, turn) for turn in turns)
        finally:
            _finish(started)


class CudaKernel:
    """PTX of a kernel, called with arrays and numbers. A thread runs a turn of the kernel's loop.

    Arrays are Taichi's on CUDA, or NumPy's, which are copied there and back.

    Args:
        code: header and PTX, as of `kernel_compiler`.
    """

    def __init__(self, code: bytes):
        header, code = code.split(b"\n", 1)
        words = json.loads(header)
        self._arguments, self._block = _Arguments(words["arguments"]), words["block"]
        self._function = cuda_driver.load_function(code, ENTRY)

    def __call__(self, values: tuple, _: int) -> None:
        """Run all turns of the loop, after all work on the GPU that began before."""
        turns = self._arguments.turns(values)
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        with cuda_driver.copies(arrays) as copied:
            remaining = iter(copied)
            values = tuple(next(remaining) if isinstance(value, np.ndarray) else value for value in values)
            arguments = self._arguments.structure(values), turns
            cuda_driver.launch_function(self._function, -(-turns // self._block), self._block, arguments)


class _Arguments:
    """Arguments of a kernel: name and kind of each, see `kernel_compiler`."""

    def __init__(self, signature: list[tuple[str, str]]):
        self._kinds = [_argument(kind) for _, kind in signature]
        self._workers = [name for name, _ in signature].index(WORKERS)
        fields = [(name, field) for (name, _), (field, _) in zip(signature, self._kinds, strict=True)]
        self._type = type("Arguments", (ctypes.Structure,), {"_fields_": fields})

    def structure(self, values: tuple) -> ctypes.Structure:
        """Return the values as the structure that a kernel reads."""
        return self._type(*(convert(value) for (_, convert), value in zip(self._kinds, values, strict=True)))

    def turns(self, values: tuple) -> int:
        """Return the number of turns of the kernel's loop."""
        return values[self._workers]


class _Context(ctypes.Structure):
    """Taichi's RuntimeContext, of which a loop reads the arguments only."""

    _fields_ = (
        ("arguments", ctypes.c_void_p),
        ("runtime", ctypes.c_void_p),
        ("thread", ctypes.c_int32),
        ("result", ctypes.c_void_p),
    )


def _argument(kind: str) -> tuple[type, Callable]:
    """Return the C type of an argument of a kind, and what converts a value to it."""
    if " " not in kind:
        return NUMBERS[kind], float if kind[0] == "f" else int
    axes, lanes, number = kind.split()
    count, dtype = int(axes), np.dtype(number)

    class Array(ctypes.Structure):
        _fields_ = (("shape", ctypes.c_int32 * count), ("data", ctypes.c_void_p))

    def convert(array: NativeArray) -> Array:
        """Return shape and address of an array; raise TypeError if a kernel of this kind cannot read it."""
        place = None
        if isinstance(array, cuda_driver.HostCopy):
            array, place = array
        elif not isinstance(array, np.ndarray):  # Taichi's, of the kind that `new_array` gave it
            return Array(array.shape[:count], address(array))
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != count + (lanes != "1"):
            raise TypeError(f"array {array.dtype}{list(array.shape)}: must be contiguous, of {kind}")
        return Array(array.shape[:count], array.ctypes.data if place is None else place)

    return Array, convert


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "fajin")


forget_in_forks(_threads.cache_clear)  # a fork has none of its parent's threads


def _finish(turns: Sequence[Future]) -> None:
    """Wait for all turns, which write to memory of the simulation, even if the user interrupts."""
    interrupted = None
    while True:
        try:
            wait(turns)
            break
        except KeyboardInterrupt as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted
