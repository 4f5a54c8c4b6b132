"""Counts that follow from the number of worlds and their device."""

from dataclasses import dataclass
from functools import cached_property

from ..compiler.device import WARP, Device
from ..tables.reach import PACKED_ELEMENTS, TILED_ELEMENTS
from . import cuda_driver

TASKS_PER_WORKER = 4
"""Chunks of worlds per worker, so that no worker waits long for another."""

WORLDS_AT_ONCE = 1 << 17
"""Worlds that have scratch on a GPU, more than any GPU steps at once; more worlds take turns."""

SWEPT = 35
"""Numbers of a node that sweeps over a tree touch again and again, for each of which a warp needs a line of a cache."""

SCHEDULERS, MOST_WARPS = 4, 16
"""Warps of a multiprocessor: one for each of its schedulers at least, and as many as registers allow."""


def warps_at_once(nodes: int, lines: int, bits: int = 32) -> int:
    """Return the warps of a multiprocessor whose sweeps stay in its cache; `MOST_WARPS` if that is too few or all.

    Fewer warps than a multiprocessor can hold are faster if they do not wait for memory: see docs/speed.md.

    Args:
        nodes: number of nodes of the trees of a thread; 0 if it sweeps over contacts, too.
        lines: number of lines of the cache of a multiprocessor; 0 if unknown.
        bits: of a float.
    """
    warps = lines // max(1, SWEPT * nodes * bits // 32)
    return warps if nodes and SCHEDULERS <= warps < MOST_WARPS else MOST_WARPS


def worlds_at_once(device: Device, nodes: int, islands: int) -> int:
    """Return the most worlds that a GPU steps at once.

    Args:
        device: the device.
        nodes: number of nodes of a world; 0 if it sweeps over contacts, too.
        islands: number of islands of a world, each of which has a thread.
    """
    if device.name != "cuda" or not nodes:
        return WORLDS_AT_ONCE
    warps = warps_at_once(-(-nodes // islands), cuda_driver.cache_lines(), device.bits)
    return WORLDS_AT_ONCE if warps == MOST_WARPS else warps * WARP * cuda_driver.multiprocessors() // islands


@dataclass(frozen=True)
class Batch:
    """Worlds of one model on a device.

        pack     `device.lanes` worlds that a CPU steps at once; the last one may have idle lanes
        tile     `device.tile` worlds whose numbers lie side by side on a GPU
        element  a cell of a row of a buffer: a pack, or a world of a tile
        task     all steps of a launch of one island of a pack, or of a world where there are no packs
        worker   what takes tasks one after the other, with scratch of its own

    Args:
        worlds: number of worlds.
        device: the device.
        islands: number of islands of a world.
        scratch_rows: rows of the scratch of a worker.
        at_once: most worlds that a GPU steps at once.
    """

    worlds: int
    device: Device
    islands: int
    scratch_rows: int
    at_once: int

    @cached_property
    def packs(self) -> int:
        """Number of packs, or of worlds where there are no packs."""
        return -(-self.worlds // self.device.lanes)

    @cached_property
    def elements(self) -> int:
        """Number of elements of a row."""
        return -(-self.worlds // self.device.tile) * self.device.tile // self.device.lanes

    @cached_property
    def tasks(self) -> int:
        """Number of tasks of a launch."""
        return self.packs * self.islands

    @cached_property
    def most_workers(self) -> int:
        """Maximum number of places of scratch: of workers, or of the worlds that a GPU steps at once."""
        if not self.device.packed:
            tiles = min(self.at_once, TILED_ELEMENTS // self.scratch_rows) // self.device.tile
            return max(1, tiles) * self.device.tile
        workers = self.device.workers * (1 if self.device.workers == 1 else TASKS_PER_WORKER)
        return min(workers, max(1, PACKED_ELEMENTS // max(1, self.scratch_rows)))

    @cached_property
    def workers(self) -> int:
        """Number of workers of a launch over tasks, on a GPU one for each island of the worlds at once."""
        return min(self.tasks, self.most_workers) if self.device.packed else self.workers_of_worlds * self.islands

    @cached_property
    def workers_of_worlds(self) -> int:
        """Number of workers of a launch over packs or worlds instead of tasks; on a GPU in turns of equal length."""
        if self.device.packed:
            return min(self.packs, self.most_workers)
        each = -(-self.packs // -(-self.packs // self.most_workers))
        return min(self.packs, -(-each // self.device.tile) * self.device.tile)

    @cached_property
    def scratch_places(self) -> int:
        """Number of places of scratch: of workers, or of the elements that a GPU steps at once."""
        return self.workers if self.device.packed else -(-self.workers_of_worlds // self.device.tile) * self.device.tile
