"""Choose the device of a simulation: CUDA, Vulkan or CPU, packs or single lanes."""

import atexit
import os
from dataclasses import replace
from functools import cache
from math import inf
from typing import TYPE_CHECKING

from ..compiler.debug_mode import DEBUG, debugging
from ..compiler.device import PACK, Device, DeviceError
from ..compiler.kernel_code import prepare_to_compile
from ..compiler.machine_code import lack, runs_machine_code
from ..compiler.packs import supports_packs
from ..compiler.processor import processor
from ..compiler.taichi_runtime import (
    MOST_THREADS,
    check_surroundings,
    load_physics,
    load_runtime,
    running_backend,
    start_taichi,
)
from ..errors import whole
from . import cuda_driver
from .cuda_errors import error_of, failure_of_taichi, is_broken, taichi_refusals, why_not_started
from .cuda_library import stay_in_context_at_exit
from .device_choice import crossing
from .names import CPU_LANES, DEVICES, PRECISIONS

if TYPE_CHECKING:
    from logging import Logger

    from ..model import Model  # which `--help` does without

LOGGER = "fajin.device"
"""Logger of the device that `auto` chooses (INFO), and of what is wrong with a device that runs (WARNING)."""


def start(
    name: str | Device = "auto", precision: str = "f32", threads: int = 0, worlds: int = 1, model: "Model | None" = None
) -> Device:
    """Return the device with its backend running: Taichi, started or joined, unless kernels are machine code.

    Worlds that do not outnumber the threads run one by one, which is faster than one pack with idle lanes; the bits
    are the same.

    Args:
        name: auto (the CPU, or CUDA where `device_choice` finds it faster) | cpu | cuda | vulkan; cpu-lanes is the
            GPU's path on the CPU. A device that `start` returned is returned again.
        precision: f32 | f64
        threads: CPU threads at once, 0 for all cores.
        worlds: how many worlds will run.
        model: their model, of which `auto` reads islands and contacts; None for one island without contacts.

    Raises:
        DeviceError: no such device here, or another one is already in use in this process.
        ValueError: no such name, precision or number of threads.
        TypeError: the number of threads must be whole.
    """
    if isinstance(name, Device):
        return name
    if name not in (*DEVICES, CPU_LANES):
        raise ValueError(f"device {name!r}: one of {', '.join(DEVICES)}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: one of {', '.join(PRECISIONS)}")
    threads = whole("threads", threads, 0, MOST_THREADS)
    bits, workers = int(precision[1:]), threads or os.cpu_count() or 1
    if name == "auto":
        name = _chosen(bits, workers, worlds, model)
        if name == "cuda":
            try:
                return _start_gpu(name, bits)
            except DeviceError as error:
                _warn(f"device auto: the CPU runs, since CUDA, which is faster, does not start: {error}")
                name = "cpu"
    if name in ("cuda", "vulkan"):
        return _start_gpu(name, bits)
    compiled = _compiles() and name != CPU_LANES
    if compiled:
        check_surroundings()
        processor()  # or refuse what the environment names
    else:
        start_taichi("cpu")
    if name == CPU_LANES:
        return Device("cpu", 1, False, bits, workers)
    single = worlds <= workers or debugging() or not supports_packs()
    return Device("cpu", 1 if single else PACK[bits], True, bits, workers, compiled)


def in_packs(device: Device) -> Device:
    """Return a device of `start` with packs of worlds if it has any, whatever the number of worlds."""
    if not device.packed or debugging() or not supports_packs():
        return device
    return replace(device, lanes=PACK[device.bits])


def one_by_one(device: Device) -> Device:
    """Return a device of `start` whose worlds run one by one if it is a CPU; the bits are the same."""
    return replace(device, lanes=1) if device.packed else device


def _compiles() -> bool:
    """Return whether kernels run as machine code or PTX that llvmlite has written."""
    return runs_machine_code() and not debugging()


def _start_gpu(name: str, bits: int) -> Device:
    """Return a GPU with Taichi running on it; warn once if CUDA runs Taichi's own code."""
    compiled = name == "cuda" and _compiles()
    if name == "cuda":
        _start_cuda()
        if not compiled:
            why = lack() or f"{DEBUG} = {os.environ.get(DEBUG)}"
            _warn(f"device cuda: runs Taichi's own code, which is slower and has not the bits of a CPU: {why}")
    else:
        start_taichi(name)
    return Device(name, 1, False, bits, 0, compiled)


def _start_cuda() -> None:
    """Start Taichi on CUDA, or raise DeviceError with the driver's reason."""
    why = "" if running_backend() else cuda_driver.hidden() or why_not_started()
    if why:
        raise DeviceError(f"device cuda: {why}")
    try:
        start_taichi("cuda")
    except DeviceError as error:
        failure = failure_of_taichi(error.__cause__)
        raise (error_of(failure, "to start Taichi", "see nvidia-smi") if failure else error) from None
    _prepare_threads()


@cache
def _prepare_threads() -> None:
    """Prepare Taichi on CUDA for other threads: it loads its runtime now, and frees what remains at the end.

    Taichi loads its runtime in the thread that started it only. When the process ends, it frees what remains in the
    context of the thread that ends it.
    """
    with taichi_refusals("to start Taichi", "see nvidia-smi"):
        load_runtime()
    atexit.register(stay_in_context_at_exit)


def _chosen(bits: int, workers: int, worlds: int, model: "Model | None") -> str:
    """Return the device of `auto`, and log it where there is a choice."""
    running = running_backend()
    if running and not _compiles():
        return running  # the only one of this process
    found = bool(cuda_driver.names())
    if not found and not is_broken():
        return "cpu"
    least = crossing(model, bits, workers, supports_packs(), cuda_driver.multiprocessors())
    if worlds >= least:
        if found:
            _say("cuda", worlds, least)
            return "cuda"
        _warn(f"device auto: the CPU runs, since CUDA, which is faster, does not start: {why_not_started()}")
    elif found:
        _say("cpu", worlds, least)
    return "cpu"


def _say(name: str, worlds: int, least: float) -> None:
    """Log a choice of `auto`, once for each device."""
    if name not in _said:
        _said.add(name)
        count = f"{worlds:,} world{'s' * (worlds != 1)}"
        _logger().info("device %s: %s; %s", name, count, crossing_line(least))


def crossing_line(least: float) -> str:
    """Return the sentence about the number of worlds from which CUDA is faster."""
    return "cuda is never faster here" if least == inf else f"cuda is faster from {least:,} worlds on"


def _warn(message: str) -> None:
    """Log a warning, once a process."""
    if message not in _said:
        _said.add(message)
        _logger().warning("%s", message)


def _logger() -> "Logger":
    import logging

    return logging.getLogger(LOGGER)


_said: set[str] = set()
"""Lines that were logged in this process."""


def warm_up(name: str, precision: str, threads: int, worlds: int = 1) -> None:
    """Load what kernels need, while another process does something else; arguments are those of `start`.

    Nothing is loaded where the device follows from the model, which is not known yet.

    Raises:
        DeviceError, ValueError, TypeError: as of `start`.
    """
    if name == "auto":
        if cuda_driver.names():
            return
        name = "cpu"
    device = start(name, precision, threads, worlds)
    if device.compiled:
        prepare_to_compile()
    else:
        load_physics(device, "kernels")


def running_or_cpu() -> str:
    """Return the name of a device for work that does not choose one: that which runs in this process, else the CPU."""
    return running_backend() or "cpu"
