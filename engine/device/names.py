"""Names of devices and precisions."""

from enum import Enum

from ..compiler.device import BACKENDS


class DeviceName(str, Enum):
    """Device of a simulation."""

    AUTO = "auto"  # the CPU, or CUDA where it is faster
    CPU = "cpu"
    CUDA = "cuda"
    VULKAN = "vulkan"
    CPU_LANES = "cpu-lanes"  # the code path of a GPU on the CPU, for tests and benchmarks


class PrecisionName(str, Enum):
    """Floating-point precision of a simulation."""

    F32 = "f32"
    F64 = "f64"


CPU_LANES = DeviceName.CPU_LANES.value
DEVICES = ("auto", *BACKENDS)
"""Devices that users choose."""

PRECISIONS = tuple(name.value for name in PrecisionName)
