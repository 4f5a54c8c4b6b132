"""The device layer: the choice of a device, the arrays of a simulation there, and their memory use."""

from ..compiler.device import PACK, Device, DeviceError
from .start_device import one_by_one, running_or_cpu, start, warm_up

__all__ = ["PACK", "Device", "DeviceError", "one_by_one", "running_or_cpu", "start", "warm_up"]
