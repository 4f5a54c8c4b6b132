"""The device layer: compiled kernels, Taichi, the device arrays of a simulation and their memory use."""

from .device import PACK, Device, DeviceError
from .packs import capability_cache, supports_packs
from .start_device import running_or_cpu, start, warm_up
from .taichi_runtime import compiler_options, load_physics, start_taichi

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
