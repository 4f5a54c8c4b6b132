"""Limits of this process, which it cannot lift again."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from .landlock import confine
from .limits import Limits


def limit_process(limits: Limits, writable: str, parent: int) -> None:
    """Set the limits of this process, which writes only below a folder; it dies with its parent.

    Args:
        limits: processor time and memory.
        writable: the folder; "" for none.
        parent: the process that forked this one.
    """
    import resource

    cpu, size = max(1, round(limits.cpu)), 0  # whole seconds
    with suppress(OSError):
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        cpu += int(sum(os.times()[:2]))
    memory = size + int(limits.memory * 1e9)
    for kind, soft, hard in (
        ("RLIMIT_CPU", cpu, cpu + 2),
        ("RLIMIT_AS", memory, memory),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_FSIZE", *((resource.RLIM_INFINITY,) * 2 if writable else (0, 0))),
    ):
        with suppress(ValueError, OSError):  # macOS has no limit of address space
            resource.setrlimit(getattr(resource, kind), (soft, hard))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    confine(writable)
    if os.getppid() != parent:
        os._exit(1)


def highest_descriptor() -> int:
    """Return the highest open descriptor."""
    return max((int(entry.name) for entry in Path("/proc/self/fd").iterdir()), default=1024)
