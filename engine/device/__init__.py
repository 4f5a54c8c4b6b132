"""The device layer: the choice of a device, the arrays of a simulation there, and their memory use."""

from ..compiler.device import PACK, Device, DeviceError
from .start_device import running_or_cpu, start, warm_up

__all__ = ["PACK", "Device", "DeviceError", "running_or_cpu", "start", "warm_up"]
