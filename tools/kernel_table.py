"""Table of the kernels in the cache, for `fajin doctor --kernels`."""

import json
from dataclasses import asdict

from .table import print_table

COLUMNS = ("kernel", "type", "device", "features", "size", "unused")
"""Columns; a type is f32x16 for 32 bits and 16 lanes. Kernels are named without the word that ends their names."""
DURATIONS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
"""Units of a duration, the largest first."""


def print_kernels(as_json: bool) -> None:
    """Print the kernels in the cache, the last used first."""
    from fajin.compiler.cached_kernels import cached_kernels
    from fajin.compiler.kernel_cache import kernel_cache
    from fajin.html import count

    kernels = cached_kernels()
    if as_json:
        print(json.dumps([asdict(kernel) for kernel in kernels], indent=1))
        return
    if not kernels:
        print(f"no compiled kernels in {kernel_cache()}")
        return
    rows = [
        [
            kernel.name.removesuffix("_kernel"),
            f"f{kernel.bits}x{kernel.lanes}" if kernel.bits else "–",
            kernel.device or "–",
            *(" ".join(kernel.features) or "–", f"{kernel.bytes / 1e3:,.0f} kB", duration(kernel.seconds)),
        ]
        for kernel in kernels
    ]
    print_table(f"{count(len(kernels), 'kernel')} in {kernel_cache()}", len(COLUMNS), COLUMNS, rows)


def duration(seconds: float) -> str:
    """Return a duration in whole numbers of the largest unit that it reaches."""
    unit, size = next((unit for unit in DURATIONS if seconds >= unit[1]), DURATIONS[-1])
    return f"{int(seconds / size)} {unit}"
