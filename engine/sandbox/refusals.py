"""Refusals of files whose child process breaks a limit or dies."""

import signal
from pathlib import Path

from ..scene import InvalidScene
from .limits import VARIABLE, Limits

UNITS = {
    "cpu": "s of processor time",
    "wall": "s of wall time",
    "memory": "GB of memory",
    "output": "GB of values",
}


def broken_limit(path: str | Path, limits: Limits, name: str) -> InvalidScene:
    """Return the refusal of a file whose child breaks a limit."""
    value = getattr(limits, name)
    return InvalidScene(
        file=path,
        rule=f"a file that is read within {value:g} {UNITS[name]}",
        fix=f"raise the limit if the file is sound: fajin --limits {name}={2.0 * value:g}, or {VARIABLE}",
    )


def death(path: str | Path, limits: Limits, code: int, memory: int, how: str = "") -> InvalidScene:
    """Return the refusal of a file whose child dies.

    Args:
        path: the file.
        limits: limits of the child.
        code: exit code, or minus the number of a signal.
        memory: most memory that the child used [KB].
        how: what ended it; "" for code.
    """
    if code == -getattr(signal, "SIGXCPU", 0):
        return broken_limit(path, limits, "cpu")
    killed = (-signal.SIGABRT, -signal.SIGSEGV, -getattr(signal, "SIGKILL", 0))
    if code in killed and memory * 1024 > 0.5e9 * limits.memory:
        return broken_limit(path, limits, "memory")
    ended = f"signal {-code}" if code < 0 else how or f"exit code {code}"
    fix = "the file is damaged or hostile: export the scene as USD again"
    return InvalidScene(file=path, rule=f"a file that its reader survives ({ended})", fix=fix)
