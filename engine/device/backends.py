"""Devices available to this process, found without starting any of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

from ..compiler.device import PACK
from ..compiler.kernel_cache import kernel_cache
from ..compiler.machine_code import lack
from ..compiler.packs import capability_cache, supports_packs
from ..compiler.taichi_runtime import built_backends
from . import cuda_driver
from .cuda_errors import is_broken, why_not_started
from .device_choice import crossing
from .names import BACKENDS
from .start_device import crossing_line


def backends() -> dict[str, str]:
    """Return a description per device name; "" for a device that is not available."""
    cores = f"{os.cpu_count()} cores"
    with _quiet_stderr():
        built = built_backends()
    packs = f"{cores}, packs of {PACK[32]} worlds" if supports_packs() else f"{cores}, single worlds"
    found = {
        "cpu": packs,
        "cuda": ", ".join(cuda_driver.names()) if "cuda" in built else "",
        "vulkan": "a loader, and whatever driver it finds" if "vulkan" in built else "",
    }
    return {name: found[name] for name in BACKENDS}


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Discard what C++ writes on standard error: Taichi complains of a Vulkan loader that finds no driver."""
    try:
        kept = os.dup(2)
    except OSError:  # the shell closed it
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def absence(device: str) -> str:
    """Return the reason why a device is not available."""
    return (cuda_driver.hidden() or why_not_started() if device == "cuda" else "") or "not available"


def is_faulty(device: str) -> bool:
    """Return whether a device that is not available has a driver that does not start."""
    return device == "cuda" and is_broken()


def own_code() -> str:
    """Return why kernels are Taichi's own code on a CPU and on CUDA; "" if llvmlite writes them."""
    return lack()


def automatic() -> tuple[str, float]:
    """Return which device `auto` is, and the number of worlds from which it is CUDA, infinite for none."""
    if not cuda_driver.names():
        return "cpu", inf
    threads, packs, size = os.cpu_count() or 1, supports_packs(), cuda_driver.multiprocessors()
    least = crossing(None, 32, threads, packs, size)
    return f"cpu; {crossing_line(least)} ({threads} threads, one robot per world, no contacts)", least


def caches() -> dict[str, Path]:
    """Return the cache folders: Taichi's compiled kernels and fajin's file of this machine's capabilities."""
    return {"compiled kernels": kernel_cache(), "converters and capabilities": capability_cache()}
