"""Free memory of the machine, of this process's control group, or of a GPU."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, overload

from . import cuda_driver

GROUPS, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@overload
def free_bytes(device: Literal["cpu"] = "cpu") -> int: ...
@overload
def free_bytes(device: str) -> int | None: ...
def free_bytes(device: str = "cpu") -> int | None:
    """Return the free bytes of a device (cpu | cuda | vulkan), or None if unknown."""
    if device == "cpu":
        import psutil

        return min([psutil.virtual_memory().available, *_group_rooms()])
    return cuda_driver.free_memory() if device == "cuda" else None


def _group_rooms() -> Iterator[int]:
    """Yield the bytes that this process's control group, and each enclosing one, can still allocate (Linux)."""
    with suppress(OSError, StopIteration):
        lines = MINE.read_text().splitlines()
        name = next(line.partition("::")[2] for line in lines if line.startswith("0::"))
        group = GROUPS / name.lstrip("/")
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):  # no such file, or "max": no bound
                most, used = (int((folder / f"memory.{word}").read_text()) for word in ("max", "current"))
                words = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                yield most - used + int(words["inactive_file"])  # the kernel drops inactive file pages on demand
