"""Bounds on the size of an array, independent of memory: kernels index its elements, or bytes, with 32 bits."""

from ..compiler.device import Device, DeviceError
from ..tables.reach import BYTES, ELEMENTS, PACKED_ELEMENTS, TILED_ELEMENTS


class OutOfMemory(DeviceError):
    """Raised where the data does not fit in memory or in one array; the message states how much fits."""


def most_numbers(device: Device) -> int:
    """Return the maximum number of elements of an array indexed by world and column."""
    return BYTES // (device.bits // 8) if device.name == "vulkan" else ELEMENTS


def most_in_buffer(device: Device) -> int:
    """Return the maximum number of numbers of a buffer of packs, or of tiles."""
    return PACKED_ELEMENTS * device.lanes if device.packed else min(TILED_ELEMENTS, most_numbers(device))


def check_array(worlds: int, what: str, rows: int, most: int) -> None:
    """Raise OutOfMemory if an array has more elements than `most`.

    Args:
        worlds: number of worlds.
        what: content of the array, for the message.
        rows: number of elements per world.
        most: maximum number of elements of all worlds.
    """
    if worlds * rows > most:
        raise OutOfMemory(
            f"worlds = {worlds:,}: {rows:,} numbers per world ({what}) exceed the {most:,} elements of one array; "
            f"must be at most {most // rows:,}; split the run into several batches"
        )
