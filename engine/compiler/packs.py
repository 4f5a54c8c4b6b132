"""Trial of packs of worlds on this machine, in a child process."""

import contextlib
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .device import PACK
from .kernel_cache import CACHE_OPTIONS, cache_home, prepare_kernel_cache

ENDED = (-2, -9, -15)
"""Results of a child that Ctrl-C, the system or a user ended; they say nothing about the machine."""


def supports_packs() -> bool:
    """Return whether this machine runs packs.

    A failure aborts the process, so a child tries once and the answer is kept. A file without an answer is one that
    another process writes at this moment, or did not write to its end.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    verdict = capability_cache() / f"packs-taichi-{version('taichi')}-{platform.node()}"
    with contextlib.suppress(OSError):
        if (known := verdict.read_text()) in ("yes", "no"):
            return known == "yes"
    trial = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import probe_packs; probe_packs()"], capture_output=True, check=False
    )
    works = trial.returncode == 0
    if trial.returncode in ENDED:
        return works
    with contextlib.suppress(OSError):  # a cache that cannot be written costs a second the next time
        verdict.parent.mkdir(parents=True, exist_ok=True)
        verdict.write_text("yes" if works else "no")
    return works


def capability_cache() -> Path:
    """Return the folder of files about this machine's capabilities."""
    return cache_home() / "fajin"


def probe_packs() -> None:
    """Compile and run a kernel over packs; the process dies where packs do not work."""
    prepare_kernel_cache()
    import taichi as ti

    options: dict[str, Any] = CACHE_OPTIONS
    ti.init(arch=ti.cpu, log_level="error", real_matrix_scalarize=False, offline_cache=False, **options)
    pack = ti.types.vector(PACK[32], ti.f32)

    @ti.kernel
    def trial(x: ti.types.ndarray(pack, 1)):  # pyright: ignore[reportInvalidTypeForm]  # Taichi reads it as an object
        for i in range(1):
            x[i] = ti.select((x[i] < 1.0) | (x[i] > 2.0), ti.sqrt(ti.max(x[i], 4.0)), 0.0 - ti.floor(x[i]))

    x = ti.ndarray(pack, 1)
    trial(x)
    if x.to_numpy().min() != 2.0:
        raise SystemExit(1)
