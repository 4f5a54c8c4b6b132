"""Counts that follow from the number of worlds and their device."""

from dataclasses import dataclass

from ..compiler.device import Device
from ..tables.reach import PACKED_ELEMENTS, TILED_ELEMENTS

TASKS_PER_WORKER = 4
"""Chunks of worlds per worker, so that no worker waits long for another."""

WORLDS_AT_ONCE = 1 << 17
"""Worlds that have scratch on a GPU, more than any GPU steps at once; more worlds take turns."""


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
    """

    worlds: int
    device: Device
    islands: int
    scratch_rows: int

    @property
    def packs(self) -> int:
        """Number of packs, or of worlds where there are no packs."""
        return -(-self.worlds // self.device.lanes)

    @property
    def elements(self) -> int:
        """Number of elements of a row."""
        return -(-self.worlds // self.device.tile) * self.device.tile // self.device.lanes

    @property
    def tasks(self) -> int:
        """Number of tasks of a launch."""
        return self.packs * self.islands

    @property
    def most_workers(self) -> int:
        """Maximum number of places of scratch: of workers, or of the worlds that a GPU steps at once."""
        if not self.device.packed:
            tiles = min(WORLDS_AT_ONCE, TILED_ELEMENTS // self.scratch_rows) // self.device.tile
            return max(1, tiles) * self.device.tile
        workers = self.device.workers * (1 if self.device.workers == 1 else TASKS_PER_WORKER)
        return min(workers, max(1, PACKED_ELEMENTS // max(1, self.scratch_rows)))

    @property
    def workers(self) -> int:
        """Number of workers of a launch over tasks, on a GPU one for each island of the worlds at once."""
        return min(self.tasks, self.most_workers) if self.device.packed else self.workers_of_worlds * self.islands

    @property
    def workers_of_worlds(self) -> int:
        """Number of workers of a launch over packs or worlds instead of tasks."""
        return min(self.packs, self.most_workers)

    @property
    def scratch_places(self) -> int:
        """Number of places of scratch: of workers, or of the elements that a GPU steps at once."""
        return self.workers if self.device.packed else min(self.elements, self.most_workers)
