"""Launch kernels: machine code on a CPU, Taichi elsewhere.

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

from .code_cache import cached_code
from .device import Device
from .kernel_compiler import KernelRequest, compile_apart
from .machine_code import load_machine_code
from .taichi_runtime import compiler_options, forget_in_forks, load_physics

NUMBERS = {"i4": ctypes.c_int32, "f4": ctypes.c_float, "f8": ctypes.c_double}
WORKERS = "workers"
"""Argument of every kernel: the number of turns of its loop."""


def launch(device: Device, file: str, kernel: str, *arguments: Any, templates: tuple = ()) -> None:
    """Run a kernel of `fajin.physics`, whose last arguments are the templates."""
    run = (
        compiled_kernel(KernelRequest(file, kernel, device.bits, device.lanes, templates)) if device.compiled else None
    )
    if run is not None:
        run(arguments, device.workers)
        return
    physics = load_physics(device, file)  # starts Taichi if need be
    with compiler_options(device):
        getattr(physics, kernel)(*arguments, *templates)


@cache
def compiled_kernel(request: KernelRequest) -> "CompiledKernel | None":
    """Return a kernel, from the cache of machine code or compiled anew.

    None if that fails: the source is wrong, prints or asserts, or no child process can run. Taichi then compiles the
    kernel in this process, and its message shows why.
    """
    code = cached_code(f"{request.name}-{request.key()}", lambda: _compile(request))
    return None if code is None else CompiledKernel(code)


def _compile(request: KernelRequest) -> bytes | None:
    """Compile a kernel, which takes seconds, and log it."""
    import logging

    logging.getLogger("fajin").info("compiling %s of %s for this kind of robot", request.name, request.file)
    return compile_apart(request)


class CompiledKernel:
    """Machine code of a kernel, called with NumPy arrays and numbers.

    Args:
        code: header and object file, as of `kernel_compiler`.
    """

    def __init__(self, code: bytes):
        header, code = code.split(b"\n", 1)
        signature = json.loads(header)
        self._code, address = load_machine_code(code)
        self._body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)(address)
        self._kinds = [_argument(kind) for _, kind in signature]
        self._workers = [name for name, _ in signature].index(WORKERS)
        fields = [(name, field) for (name, _), (field, _) in zip(signature, self._kinds, strict=True)]
        self._arguments = type("Arguments", (ctypes.Structure,), {"_fields_": fields})

    def __call__(self, values: tuple, threads: int) -> None:
        """Run all turns of the loop, on at most so many threads."""
        pairs = zip(self._kinds, values, strict=True)
        arguments = self._arguments(*(convert(value) for (_, convert), value in pairs))
        context = _Context(ctypes.addressof(arguments), None, 0, None)
        place, turns = ctypes.addressof(context), range(values[self._workers])
        if threads == 1 or len(turns) == 1:
            for turn in turns:
                self._body(place, None, turn)
            return
        pool, started = _threads(threads), []
        try:
            started += (pool.submit(self._body, place, None, turn) for turn in turns)
        finally:
            _finish(started)


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

    def convert(array: np.ndarray) -> Array:
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != count + (lanes != "1"):
            raise TypeError(f"array {array.dtype}{list(array.shape)}: must be contiguous, of {kind}")
        return Array(array.shape[:count], array.ctypes.data)

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
