"""What is here to run on, told without starting anything."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from . import device as devices
from .kernel_cache import kernel_cache, prepare_kernel_cache


def backends() -> dict[str, str]:
    """What each device is here; "" for one that is not."""
    prepare_kernel_cache()
    import taichi as ti
    from taichi._lib import core

    ti.set_logging_level(ti.ERROR)  # that a driver is not there is an answer, not a warning
    cores = f"{os.cpu_count()} cores"
    packs = f"{cores}, packs of {devices.PACK[32]} worlds" if devices.packs_work() else f"{cores}, single worlds"
    return {
        "cpu": packs,
        "cuda": (_graphics_card() or "a driver") if core.with_cuda() else "",
        "vulkan": "a loader, and whatever driver it finds" if core.with_vulkan() else "",
    }


def caches() -> dict[str, Path]:
    """Folders of what is kept from run to run: Taichi's compiled kernels, and what fajin found out of this machine."""
    return {"compiled kernels": kernel_cache(), "what this machine can": devices.verdicts()}


def _graphics_card() -> str:
    """What NVIDIA's driver calls the GPUs."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    with suppress(OSError):
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return ", ".join(line.strip() for line in said.splitlines())
    return ""
