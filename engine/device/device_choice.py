"""The device of `auto`: the CPU or CUDA, whichever takes less time for a step of all worlds.

N tasks (W worlds of I islands, each with n degrees of freedom) take, in ns,

    CPU     n · max(1, N / T) · ALONE               with T threads and W <= T, or on a processor without packs
            n · max(ALONE, N / T · IN_PACKS · b)    in packs; b = bits / 32
    CUDA    n · (FIRST + N · EACH · b · 132 / M) · k       with M multiprocessors; k = 2 with contacts, else 1

So n cancels. CUDA is faster from N = k · FIRST / (ns of a task on all threads - k · ns of a task on the GPU) on, if
that is positive: many threads are as fast as a GPU. A thread of a GPU steps a world by itself, joint after joint, some
25 times as slowly as a processor does; but thousands of them run at once.

The numbers are those of docs/speed.md: of the CPU measured, of CUDA from a model of an H100, since no GPU was there.
"""

from math import floor, inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Model  # which `--help` does without

ALONE = 400.0
"""ns per step and degree of freedom of one world on a thread: "One world" (Franka 411, G1 383), "Copies" (405)."""

IN_PACKS = 33.0
"""ns per step, degree of freedom and world of packs of 16 on a thread: "Scaling"."""

FIRST = 10_000.0
"""ns per step and degree of freedom of few worlds on a GPU: "Estimate for a GPU" (Franka 9,000, G1 11,000)."""

EACH, H100 = 1.0, 132
"""ns per step, degree of freedom and world of many worlds on an H100, and its multiprocessors: "Estimate for a GPU"."""

CONTACTS = 2.0
"""Factor of CUDA's time with contacts over the CPU's: a quarter of the rate on a GPU, half of it on a CPU."""


def crossing(model: "Model | None", bits: int, threads: int, packs: bool = True, multiprocessors: int = H100) -> float:
    """Return the number of worlds from which CUDA is faster than the CPU; infinite if it never is.

    Args:
        model: model of the worlds; None for one island without contacts.
        bits: 32 | 64
        threads: number of threads of the CPU.
        packs: whether the CPU runs packs of worlds.
        multiprocessors: number of multiprocessors of the GPU.
    """
    islands, contacts = 1, False
    if model is not None:
        islands, contacts = max(1, len(model.tables["ISLANDS"])), len(model.tables["PAIRS"]) > 0
    factor, b = CONTACTS if contacts else 1.0, bits / 32
    on_gpu = EACH * b * H100 / (multiprocessors or H100)
    alone = _tasks(ALONE / threads, on_gpu, factor) / islands
    if not packs or alone <= threads:
        return max(1, floor(alone) + 1) if alone < inf else inf
    many = _tasks(IN_PACKS * b / threads, on_gpu, factor) / islands
    return max(threads, floor(many)) + 1 if many < inf else inf


def _tasks(on_cpu: float, on_gpu: float, factor: float) -> float:
    """Return the number of tasks beyond which CUDA is faster, from the ns of a task on all threads and on a GPU."""
    return factor * FIRST / (on_cpu - factor * on_gpu) if on_cpu > factor * on_gpu else inf
