"""Launch kernels: machine code on a CPU, PTX on NVIDIA's GPUs, Taichi elsewhere.

A process that finds the machine code of its kernels in the cache neither traces nor compiles, and does not import
Taichi.
"""

import ctypes
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from ..compiler.abi import Arguments, Context
from ..compiler.cuda_code import ENTRY, NEWEST
from ..compiler.device import Device
from ..compiler.kernel_code import kernel_code
from ..compiler.kernel_compiler import KernelRequest
from ..compiler.machine_code import lack, load_machine_code
from ..compiler.rolled_loops import rolled_loops
from ..compiler.taichi_runtime import compiler_options, forget_in_forks, load_physics
from . import cuda_copies, cuda_driver
from .cuda_errors import taichi_refusals

STEPS = "step_kernel"
"""Kernel that takes seconds to compile; others take less than one."""


def launch(device: Device, file: str, kernel: str, templates: tuple = (), **arguments: Any) -> None:
    """Run a kernel of `fajin.physics`; read-only arrays are not copied back.

    Args:
        device: the device.
        file: file of the kernel.
        kernel: its name.
        templates: values of its templates in their order.
        arguments: its other arguments by their names.

    Raises:
        TypeError: an argument is missing, or the kernel has none of its name.
    """
    run = None
    if device.compiled:
        architecture = _architecture() if device.name == "cuda" else ""
        run = _kernel(file, kernel, device.bits, device.lanes, templates, architecture)
    if run is not None:
        run(in_order(run.names, arguments), device.workers)
        return
    if kernel == STEPS and device.name == "cpu" and not device.compiled:
        _announce()
    physics = load_physics(device, file)  # starts Taichi if need be
    refusals = taichi_refusals("a kernel", cuda_driver.OTHERS) if device.name == "cuda" else nullcontext()
    loops = rolled_loops() if device.name == "cpu" else nullcontext()
    with refusals, compiler_options(device), loops:
        run = getattr(physics, kernel)
        names = tuple(argument.name for argument in run._primal.arguments)
        run(*in_order(names[: len(names) - len(templates)], arguments), *templates)


@cache
def _announce() -> None:
    """Log once a process, if no machine code is kept, that each process compiles; the record has the `reason`."""
    import logging
    import re

    if reason := lack():
        what, *_ = re.split(",? must |; ", reason)  # the fix is of `fajin doctor`: a line has no room for it
        extra = {"reason": what, "repeats": True}
        logging.getLogger("fajin").info("compiling %s in this process: %s", STEPS, reason, extra=extra)


def in_order(names: tuple[str, ...], arguments: dict[str, Any]) -> tuple:
    """Return the arguments of a kernel in the order of their names.

    Raises:
        TypeError: as of `launch`.
    """
    known, pick = _picker(names)
    if arguments.keys() != known:
        raise TypeError(f"arguments {', '.join(sorted(arguments.keys() ^ known))}: must be those of the kernel")
    return pick(arguments)


@cache
def _picker(names: tuple[str, ...]) -> tuple[frozenset[str], Callable[[dict[str, Any]], tuple]]:
    """Return a kernel's names, and what picks its arguments; every kernel has two at least."""
    return frozenset(names), itemgetter(*names)


@cache
def _architecture() -> str:
    """Return the architecture of Taichi's GPU, or the newest one that LLVM knows."""
    return f"sm_{min(cuda_driver.capability(), NEWEST)}"


@cache
def _kernel(*words: Any) -> "CompiledKernel | CudaKernel | None":
    """Return the kernel of a request of these words; to make a request takes longer than to find a kernel."""
    return compiled_kernel(KernelRequest(*words))


@cache
def compiled_kernel(request: KernelRequest) -> "CompiledKernel | CudaKernel | None":
    """Return a kernel, from the cache of machine code or compiled anew.

    None if that fails: the source is wrong, prints or asserts, or no child process can run. Taichi then compiles the
    kernel in this process, and its message shows why.
    """
    first, *others = request.parts()
    with ThreadPoolExecutor(max(len(others), 1)) as pool:  # at the same time
        waiting = [pool.submit(kernel_code, other) for other in others]
        codes = [kernel_code(first), *(code.result() for code in waiting)]
    found = [code for code in codes if code is not None]
    if len(found) < len(codes):
        return None
    return CudaKernel(*found) if request.architecture else CompiledKernel(*found)


class CompiledKernel:
    """Machine code of a kernel, called with NumPy arrays and numbers.

    Args:
        codes: header and object file of each part, as of `kernel_compiler`; the first has the loop.
    """

    def __init__(self, *codes: bytes):
        headers, files = zip(*(code.split(b"\n", 1) for code in codes), strict=True)
        self._arguments = Arguments(json.loads(headers[0])["arguments"])
        self.names = self._arguments.names
        self._code, place = load_machine_code(files)
        self._body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)(place)

    def __call__(self, values: tuple, threads: int) -> None:
        """Run all turns of the loop, on at most so many threads."""
        arguments = self._arguments.structure(values)
        context = Context(ctypes.addressof(arguments), None, 0, None)
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

    Arrays are on CUDA, Taichi's or PyTorch's, or NumPy's, which are copied there, and back if they are writable.

    Args:
        code: header and PTX, as of `kernel_compiler`.
    """

    def __init__(self, code: bytes):
        header, code = code.split(b"\n", 1)
        words = json.loads(header)
        self._arguments, self._block = Arguments(words["arguments"]), words["block"]
        self.names = self._arguments.names
        self._function = cuda_driver.load_function(code, ENTRY)

    def __call__(self, values: tuple, _: int) -> None:
        """Run all turns of the loop, after all work on the GPU that began before."""
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        if not arrays:
            self._launch(values)
            return
        with cuda_copies.copies(arrays) as copied:
            remaining = iter(copied)
            self._launch(tuple(next(remaining) if isinstance(value, np.ndarray) else value for value in values))

    def _launch(self, values: tuple) -> None:
        """Run all turns of the loop; all arrays are on the GPU."""
        turns = self._arguments.turns(values)
        arguments = self._arguments.structure(values), turns
        cuda_driver.launch_function(self._function, -(-turns // self._block), self._block, arguments)


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
