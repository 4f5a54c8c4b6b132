"""The device layer: Taichi, the device arrays of a simulation and their memory use."""

from .device import (
    PACK,
    Device,
    DeviceError,
    capability_cache,
    compiler_options,
    load_physics,
    running_or_cpu,
    start,
    start_taichi,
    supports_packs,
    warm_up,
)

__all__ = [
    "PACK",
    "Device",
    "DeviceError",
    "capability_cache",
    "compiler_options",
    "load_physics",
    "running_or_cpu",
    "start",
    "start_taichi",
    "supports_packs",
    "warm_up",
]
