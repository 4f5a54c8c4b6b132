"""Where a simulation runs: Taichi, the numbers that lie on the device, and the memory they take."""

from .device import PACK, Device, DeviceError, compiling, laws, packs_work, start, verdicts

__all__ = ["PACK", "Device", "DeviceError", "compiling", "laws", "packs_work", "start", "verdicts"]
