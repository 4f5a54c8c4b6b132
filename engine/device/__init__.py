"""Where a simulation runs: Taichi, the numbers that lie on the device, and the memory they take."""

from .device import PACK, Device, DeviceError, capability_cache, compiler_options, load_physics, start, supports_packs

__all__ = [
    "PACK",
    "Device",
    "DeviceError",
    "capability_cache",
    "compiler_options",
    "load_physics",
    "start",
    "supports_packs",
]
