"""How much memory is free: of the machine and the control group this process runs in, or of a GPU."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from . import cuda_driver

GROUPS, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def free_bytes(device: str = "cpu") -> int | None:
    """Bytes that are free on a device (cpu | cuda | vulkan), or None where nobody says."""
    if device == "cpu":
        import psutil

        return min([psutil.virtual_memory().available, *_group_rooms()])
    return cuda_driver.free_memory() if device == "cuda" else None


def _group_rooms() -> Iterator[int]:
    """What the control group of this process, and each one around it, may still take (Linux, containers, Slurm)."""
    with suppress(OSError, StopIteration):
        lines = MINE.read_text().splitlines()
        name = next(line.partition("::")[2] for line in lines if line.startswith("0::"))
        group = GROUPS / name.lstrip("/")
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):  # no such file, or "max": no bound
                most, used = (int((folder / f"memory.{word}").read_text()) for word in ("max", "current"))
                words = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                yield most - used + int(words["inactive_file"])  # files at hand give way
