"""What a simulation takes of memory: known from its model alone, before anything is allocated."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Model
from ..tables.layout import PARAMETERS
from ..tables.topology import HEADER
from . import device as devices
from . import free_memory
from .bounds import OutOfMemory, most_in_buffer
from .device import Device
from .state import State

MEMORY_FRACTION = 0.9
"""Share of the free memory that is given away: other programs go on."""

TRACE_BYTES = 16 << 20
"""Most that one launch records before it hands over to the host, but for one frame of many worlds."""

MANY_WORLDS = 1 << 20
"""Worlds that outnumber the threads anywhere."""


@dataclass(frozen=True)
class Footprint:
    """Bytes of a simulation of W worlds: shared + W' (world + host), W' being W made up to whole packs of `lanes`.

    `shared` and `world` lie on the device. `host` lies beside it: what NumPy holds of a world while it is set or read,
    and what is recorded of it. `indexed` are the worlds whose arrays are not longer than an index reaches.
    """

    shared: int
    world: int
    host: int
    indexed: int
    device: Device

    def bytes(self, worlds: int) -> int:
        """Bytes of so many worlds, on device and host together."""
        return self.shared + self._packed(worlds) * (self.world + self.host)

    def most(self) -> int:
        """Worlds that fit in what is free now, as far as anybody says what is, and in the arrays of the device."""
        lanes, machine = self.device.lanes, free_memory.free_bytes()
        if self.device.name == "cpu":
            return min(self.indexed, self._fitting(machine, self.shared, self.world + self.host) // lanes * lanes)
        there = free_memory.free_bytes(self.device.name)
        here = min(self.indexed, self._fitting(machine, 0, self.host))
        return here if there is None else min(here, self._fitting(there, self.shared, self.world))

    def _packed(self, worlds: int) -> int:
        return -(-worlds // self.device.lanes) * self.device.lanes

    @staticmethod
    def _fitting(free: int, shared: int, world: int) -> int:
        return max(0, int(MEMORY_FRACTION * free - shared) // world)


def footprint(state: State, varying: Iterable[str] = (), frames: int = 0) -> Footprint:
    """What the simulation of a state takes; the state itself need not have started.

    Args:
        state: of the model, on the device.
        varying: names of parameters (`layout.PARAMETERS`) that are others in every world.
        frames: frames of every world that are recorded in memory.
    """
    device, number = state.device, state.device.bits // 8
    rows = {name: len(state.model.parameters[name]) for name in PARAMETERS}
    own = sum(rows[name] for name in set(varying))
    carried = sum(max(1, size) for size in state.sizes.values())
    workers = state.most_workers() if device.packed else 0  # on a GPU a world has scratch of its own
    scratch = state.scratch_rows * number
    words = len(HEADER) + 3 * len(PARAMETERS) + sum(table.size for table in state.model.tables.values())
    shared = (sum(rows.values()) - own) * number * device.lanes + workers * scratch * device.lanes + 4 * words
    recorded = state.row_count * number
    widest = max(*state.sizes.values(), 0 if device.packed else state.scratch_rows)
    indexed = most_in_buffer(device) // widest
    if own:
        indexed = min(indexed, (most_in_buffer(device) - (sum(rows.values()) - own) * device.lanes) // own)
    return Footprint(
        shared=shared + (TRACE_BYTES if frames else number * device.lanes),
        world=(carried + own) * number + (0 if device.packed else scratch) + (recorded if frames else 0),
        # float64 rows of one buffer on their way; parameters, and a copy; frames, their poses, all of them in one array
        host=8 * max(state.sizes.values()) + 2 * 8 * own + 3 * frames * recorded,
        indexed=indexed // device.lanes * device.lanes,
        device=device,
    )


def largest_batch(
    model: Model,
    device: str = "auto",
    precision: str | None = None,
    threads: int = 0,
    varying: Iterable[str] = (),
    frames: int = 0,
) -> int:
    """The most worlds of a model that fit in what is free on a device now, as far as anybody says what is.

    Arguments are those of `Simulation` and `footprint`. No array of theirs is longer than a kernel can index, which is
    what bounds a large GPU.
    """
    return batch_footprint(model, device, precision, threads, varying, frames).most()


def batch_footprint(
    model: Model,
    device: str = "auto",
    precision: str | None = None,
    threads: int = 0,
    varying: Iterable[str] = (),
    frames: int = 0,
) -> Footprint:
    """What many worlds of a model take, arguments as of `largest_batch`; `cpu-lanes` tells what a GPU would."""
    place = devices.start(device, precision or model.scene.precision, threads, MANY_WORLDS)
    return footprint(State(model, MANY_WORLDS, place), varying, frames)


def check_worlds(state: State) -> None:
    """Raise OutOfMemory where the worlds of a state that has not started do not fit."""
    needs = footprint(state)
    most = needs.most()
    if state.worlds <= most:
        return
    free = min(filter(None, (free_memory.free_bytes(name) for name in {"cpu", state.device.name})))
    why = f"need {_size(needs.bytes(state.worlds))} and {_size(free)} are free on {state.device.name}"
    if most == needs.indexed:
        why = f"have more than the {most_in_buffer(state.device):,} numbers that one array can have"
    raise OutOfMemory(f"worlds = {state.worlds:,}: {why}; {most:,} fit: run more in several batches")


def check_frames(state: State, frames: int) -> None:
    """Raise OutOfMemory where a recording of so many frames does not fit."""
    each, free = 3 * state.frame_bytes, free_memory.free_bytes()
    if frames * each > MEMORY_FRACTION * free:
        raise OutOfMemory(
            f"{frames:,} frames of {state.worlds:,} worlds need {_size(frames * each)} and {_size(free)} are free; "
            f"{int(MEMORY_FRACTION * free) // each:,} fit: ask for fewer fps, or take them piece by piece from stream()"
        )


def _size(count: int) -> str:
    """Bytes as a reader takes them in."""
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:,.1f} MiB"
