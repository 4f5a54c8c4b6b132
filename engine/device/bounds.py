"""How many numbers an array may have, whatever memory there is: kernels count its elements, or bytes, in 32 bits."""

from ..tables.reach import BYTES, ELEMENTS, PACKED_ELEMENTS
from .device import Device, DeviceError


class OutOfMemory(DeviceError):
    """What is asked for does not fit in memory, or in one array; the message says how much does."""


def most_numbers(device: Device) -> int:
    """Numbers of an array by world and column at most."""
    return BYTES // (device.bits // 8) if device.name == "vulkan" else ELEMENTS


def most_in_buffer(device: Device) -> int:
    """Numbers of an array by rows of all worlds, or of packs, at most."""
    return PACKED_ELEMENTS * device.lanes if device.packed else most_numbers(device)


def check_array(worlds: int, what: str, rows: int, most: int) -> None:
    """Raise OutOfMemory where an array has more elements than `most`.

    Args:
        worlds: that have so many `rows` of it each.
        what: what the array holds, for the message.
        rows: numbers of a world.
        most: numbers of all worlds at most.
    """
    if worlds * rows > most:
        raise OutOfMemory(
            f"worlds = {worlds:,}: {rows:,} numbers of each ({what}) are more than the {most:,} that one array can "
            f"have; {most // rows:,} fit: run more in several batches"
        )
