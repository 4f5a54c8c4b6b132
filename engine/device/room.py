"""How much memory is free: of the machine and the control group this process runs in, or of a GPU."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GROUPS, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def free(device: str = "cpu") -> int | None:
    """Bytes that are free on a device (cpu | cuda | vulkan), or None where nobody says."""
    if device == "cpu":
        import psutil

        return min([psutil.virtual_memory().available, *_group_rooms()])
    return _gpu_room() if device == "cuda" else None


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


def _gpu_room() -> int | None:
    """What NVIDIA's driver says of the first GPU that this process may use."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"
    command = ["nvidia-smi", f"--id={first}", "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    with suppress(OSError, ValueError):
        return int(subprocess.run(command, capture_output=True, text=True, check=False).stdout) << 20
    return None
