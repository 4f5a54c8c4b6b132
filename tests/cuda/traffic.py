"""A model of an H100's caches, fed with the addresses of a launch: bytes and rate of a step, by the worlds at once.

A warp's 32 worlds lie side by side in lines of 128 bytes, so the lines that one world touches are those of its warp. A
warp owns a share of both caches, and a load hits if fewer other lines were touched since the last access to its own
than the share holds (least recently used). Predictions are uncertain by 40 %: clocks per instruction and loads per
group are assumptions.
"""

from collections import OrderedDict
from dataclasses import dataclass
from math import ceil, hypot

import numpy as np

LINE = 128
"""Bytes of a line of a cache."""

WARP = 32
MULTIPROCESSORS, CLOCK = 132, 1.755e9
"""Multiprocessors of an H100, and clocks per second."""

SHARED_MEMORY = 228 << 10
"""Bytes of a multiprocessor's own cache that kernels can have as shared memory, as a driver says."""

NEAR, FAR = 1900, int(0.85 * 50e6 / LINE)
"""Lines of a multiprocessor's own cache and of the common one, of both the share that data gets."""

FAR_BANDWIDTH, BANDWIDTH = 5.5e12, 2.7e12
"""Bytes per second of the common cache and of the memory."""

INSTRUCTION = 2.7
"""Clocks of a warp's instruction, with those it waits for, but for loads."""

GROUP, SHARED_GROUP = 5, 4
"""Loads that are under way together: of the worlds' own lines, and of what all worlds share."""

NEAR_CLOCKS, FAR_CLOCKS, MEMORY_CLOCKS = 35, 270, 650
"""Clocks until a group of loads is there."""


@dataclass(frozen=True)
class Trace:
    """Accesses of one world in a launch, in order.

    Attributes:
        lines: number of the line of each access.
        stores: whether it is written.
        own: whether the line is of this world's warp alone.
        steps: number of steps of the launch.
        instructions: number of instructions of a thread in the launch.
    """

    lines: np.ndarray
    stores: np.ndarray
    own: np.ndarray
    steps: int
    instructions: float

    @property
    def loads(self) -> float:
        """Loads of a step from lines of the world's own warp."""
        return (self.own & ~self.stores).sum() / self.steps

    @property
    def writes(self) -> float:
        """Stores of a step to lines of the world's own warp."""
        return (self.own & self.stores).sum() / self.steps

    def touched(self, least: int) -> int:
        """Number of own lines that the second step touches so many times or more."""
        step = slice(len(self.lines) // self.steps, 2 * len(self.lines) // self.steps)
        _, counts = np.unique(self.lines[step][self.own[step]], return_counts=True)
        return int((counts >= least).sum())


def trace_of(words: np.ndarray, steps: int, instructions: float) -> Trace:
    """The trace of the first thread; a line that a thread of another warp touches, too, is of all worlds.

    Args:
        words: as `trace.h` writes them.
        steps: number of steps of the launch.
        instructions: of a thread in the launch.
    """
    lines, second = (words >> np.uint64(2)) // LINE, (words & np.uint64(1)).astype(bool)
    shared = np.unique(lines[second])
    lines, stores = lines[~second], (words[~second] & np.uint64(2)).astype(bool)
    return Trace(lines, stores, ~np.isin(lines, shared), steps, instructions)


def misses(trace: Trace, size: int) -> tuple[float, float]:
    """Loads that miss and lines that are written back, per step after the first, of a cache of so many lines."""
    held: OrderedDict[int, bool] = OrderedDict()  # line: whether it was written; the last used last
    missed = back = 0
    warm = len(trace.lines) // trace.steps
    each = zip(trace.lines.tolist(), trace.stores.tolist(), trace.own.tolist(), strict=True)
    for i, (line, store, own) in enumerate(each):
        if line in held:
            held[line] = held.pop(line) or store
            continue
        held[line] = store
        if len(held) > size:
            _, written = held.popitem(last=False)
            back += written and i >= warm
        missed += own and not store and i >= warm
    return missed / (trace.steps - 1), back / (trace.steps - 1)


@dataclass(frozen=True)
class Prediction:
    """What the model says of a launch."""

    near_misses: float  # share of loads
    far_misses: float  # share of loads
    memory: float  # [B/step]
    far: float  # [B/step], of the common cache
    latency_bound: float  # [steps/s]
    memory_bound: float  # [steps/s]
    rate: float  # [steps/s]


def predict(trace: Trace, worlds: int, most_warps: int) -> Prediction:
    """The prediction for so many worlds.

    Args:
        trace: of one of them.
        worlds: number of worlds of the launch.
        most_warps: warps that a multiprocessor holds at once; further ones take turns of equal length.
    """
    warps = ceil(worlds / WARP / MULTIPROCESSORS)
    turns = ceil(warps / most_warps)
    at_once = ceil(warps / turns)
    near, far = NEAR // at_once, FAR // (MULTIPROCESSORS * at_once)
    first, _ = misses(trace, near)
    second, back = misses(trace, max(near, far))
    memory, common = 4 * (second + back), 4 * (first + trace.writes)
    shared = (~trace.own & ~trace.stores).sum() / trace.steps
    clocks = INSTRUCTION * trace.instructions / trace.steps + NEAR_CLOCKS * (
        (trace.loads - first) / GROUP + shared / SHARED_GROUP
    )
    clocks += (FAR_CLOCKS * (first - second) + MEMORY_CLOCKS * second) / GROUP
    latency = worlds / turns * CLOCK / clocks
    bound = min(BANDWIDTH / memory if memory else np.inf, FAR_BANDWIDTH / common if common else np.inf)
    rate = 1.0 / hypot(1.0 / latency, 1.0 / bound)
    return Prediction(first / trace.loads, second / trace.loads, memory, common, latency, bound, rate)
