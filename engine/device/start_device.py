"""Choose the device of a simulation: CUDA, Vulkan or CPU, packs or single lanes."""

import os

from ..errors import whole
from . import cuda_driver
from .debug_mode import debugging
from .device import PACK, Device
from .machine_code import runs_machine_code
from .names import CPU_LANES, DEVICES, PRECISIONS
from .packs import supports_packs
from .taichi_runtime import MOST_THREADS, check_surroundings, load_physics, running_backend, start_taichi


def start(name: str = "auto", precision: str = "f32", threads: int = 0, worlds: int = 1) -> Device:
    """Return the device with its backend running: Taichi, started or joined, unless kernels are machine code.

    Worlds that do not outnumber the threads run one by one, which is faster than one pack with idle lanes; the bits
    are the same.

    Args:
        name: auto (CUDA if there is one, else CPU) | cpu | cuda | vulkan; cpu-lanes is the GPU's path on the CPU.
        precision: f32 | f64
        threads: CPU threads at once, 0 for all cores.
        worlds: how many worlds will run.

    Raises:
        DeviceError: no such device here, or another one is already in use in this process.
        ValueError: no such name, precision or number of threads.
        TypeError: the number of threads must be whole.
    """
    if name not in (*DEVICES, CPU_LANES):
        raise ValueError(f"device {name!r}: one of {', '.join(DEVICES)}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: one of {', '.join(PRECISIONS)}")
    threads = whole("threads", threads, 0, MOST_THREADS)
    bits = int(precision[1:])
    compiles = runs_machine_code() and not debugging()
    compiled = compiles and _chooses_cpu(name)
    if compiled:
        check_surroundings()
    backend = "cpu" if compiled else start_taichi(name.removesuffix("-lanes"))
    if backend != "cpu":
        return Device(backend, 1, False, bits, 0, compiles and backend == "cuda")
    workers = threads or os.cpu_count() or 1
    if name == CPU_LANES:
        return Device("cpu", 1, False, bits, workers)
    single = worlds <= workers or debugging() or not supports_packs()
    return Device("cpu", 1 if single else PACK[bits], True, bits, workers, compiled)


def warm_up(name: str, precision: str, threads: int, worlds: int = 1) -> None:
    """Load what kernels need, while another process does something else; arguments are those of `start`.

    Raises:
        DeviceError, ValueError, TypeError: as of `start`.
    """
    device = start(name, precision, threads, worlds)
    if not device.compiled:
        load_physics(device, "kernels")


def running_or_cpu() -> str:
    """Return the name of a device for work that does not choose one: that which runs in this process, else the CPU."""
    return "auto" if running_backend() else "cpu"


def _chooses_cpu(name: str) -> bool:
    """Return whether a device is the CPU, without starting Taichi; not the path of a GPU on the CPU."""
    if name != "auto":
        return name == "cpu"
    return (running_backend() or ("cuda" if cuda_driver.names() else "cpu")) == "cpu"
