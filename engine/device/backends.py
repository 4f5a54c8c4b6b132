"""What is here to run on, told without starting anything."""

import os
from pathlib import Path

from . import cuda_driver
from . import device as devices
from .kernel_cache import kernel_cache, prepare_kernel_cache


def backends() -> dict[str, str]:
    """What each device is here; "" for one that is not."""
    prepare_kernel_cache()
    import taichi as ti
    from taichi._lib import core

    ti.set_logging_level(ti.ERROR)  # that a driver is not there is an answer, not a warning
    cores = f"{os.cpu_count()} cores"
    packs = f"{cores}, packs of {devices.PACK[32]} worlds" if devices.supports_packs() else f"{cores}, single worlds"
    return {
        "cpu": packs,
        "cuda": (", ".join(cuda_driver.names()) or "a driver") if core.with_cuda() else "",
        "vulkan": "a loader, and whatever driver it finds" if core.with_vulkan() else "",
    }


def absence(device: str) -> str:
    """What is to be said of a device that is not here."""
    return (cuda_driver.hidden() if device == "cuda" else "") or "none here"


def caches() -> dict[str, Path]:
    """Folders of what is kept from run to run: Taichi's compiled kernels, and what fajin found out of this machine."""
    return {"compiled kernels": kernel_cache(), "what this machine can": devices.capability_cache()}
