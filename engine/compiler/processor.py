"""The processor that machine code is made for: this one, or a level of x86-64 that a cluster's processors share."""

import os
from functools import cache

from .device import DeviceError

CPU = "FAJIN_CPU"
"""Environment variable: the level of x86-64 that code is made for; native, or nothing, for this processor."""

MACHINE_CODE = "FAJIN_MACHINE_CODE"
"""Environment variable: 0 lets Taichi run all kernels, as on other platforms than Linux on x86-64."""

LEVELS = {
    "x86-64-v2": ("ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""Levels of the x86-64 psABI, and the instruction sets that each adds, by LLVM's names; NumPy needs the first one."""


@cache
def processor() -> str:
    """Return the name and the instruction sets of the processor for which code is made; a level implies its sets.

    Raises:
        DeviceError: the environment names no level, or one that this processor does not have.
    """
    from llvmlite import binding

    chosen = os.environ.get(CPU) or "native"
    if chosen == "native":
        return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    if chosen not in LEVELS:
        *first, last = ("native", *LEVELS)
        raise DeviceError(f"{CPU} = {chosen}: must be {', '.join(first)} or {last}; write native")
    here, best = host_features(), "native"
    for level, features in LEVELS.items():
        missing = [feature for feature in features if feature not in here]
        if missing:
            rule = f"must be a level of this processor, which lacks {', '.join(missing)}"
            raise DeviceError(f"{CPU} = {chosen}: {rule}; write {best}")
        if level == chosen:
            break
        best = level
    return f"{chosen} "


def host_features() -> set[str]:
    """Return the instruction sets of this machine's processor, by LLVM's names."""
    from llvmlite import binding

    return {name for name, has in binding.get_host_cpu_features().items() if has}
