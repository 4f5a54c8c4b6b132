"""Memory needs of a simulation, computed from its model before anything is allocated."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..compiler.device import Device
from ..model import Model
from ..tables.layout import FRAME, PARAMETERS
from ..tables.topology import HEADER
from . import free_memory
from . import start_device as devices
from .bounds import OutOfMemory, most_in_buffer
from .copies_state import AnyState
from .row_layout import ON_REQUEST
from .shared_rows import SharedRows
from .state import State

MEMORY_FRACTION = 0.9
"""Fraction of the free memory that simulations may use; the rest is left to other programs."""

TRACE_BYTES = 16 << 20
"""Maximum bytes of frames that one launch records before the host reads them; one frame may be larger."""

MANY_WORLDS = 1 << 20
"""Number of worlds that exceeds the number of threads of any device."""


@dataclass(frozen=True)
class Footprint:
    """Bytes of a simulation of W worlds: shared + W' (world + host) + min(W', at_once) scratch.

    W' is W rounded up to whole tiles. `shared`, `world` and `scratch` are on the device; scratch is 0 on a CPU, where
    that of all workers is in `shared`. `host` is beside the device: NumPy's copies per world while data is set or read,
    and recorded frames per world. `indexed` is the number of worlds whose arrays 32-bit indices can address.
    """

    shared: int
    world: int
    scratch: int
    at_once: int
    host: int
    indexed: int
    device: Device

    def bytes(self, worlds: int) -> int:
        """Return the bytes of that number of worlds, device and host together."""
        tiled = -(-worlds // self.device.tile) * self.device.tile
        return self.shared + tiled * (self.world + self.host) + min(tiled, self.at_once) * self.scratch

    def most(self) -> int:
        """Return the number of worlds that fit in the known free memory and in the arrays of the device."""
        machine = free_memory.free_bytes()
        if self.device.name == "cpu":
            return min(self.indexed, self._fitting(machine, self.shared, self.world + self.host, self.scratch))
        there = free_memory.free_bytes(self.device.name)
        here = min(self.indexed, self._fitting(machine, 0, self.host))
        return here if there is None else min(here, self._fitting(there, self.shared, self.world, self.scratch))

    def _fitting(self, free: int, shared: int, world: int, scratch: int = 0) -> int:
        """Return the number of worlds in whole tiles that fit."""
        rest = int(MEMORY_FRACTION * free - shared)
        most = max(rest // (world + scratch), (rest - self.at_once * scratch) // world, 0)
        return most // self.device.tile * self.device.tile


def footprint(
    state: AnyState, varying: Iterable[str] = (), frames: int = 0, record: Iterable[str] = FRAME
) -> Footprint:
    """Return the memory needs of a simulation; its state need not be started.

    Args:
        state: state of the scene, on the device.
        varying: names of parameters (`layout.PARAMETERS`) that differ between worlds.
        frames: number of frames per world that are recorded in memory.
        record: quantities of a frame.
    """
    parts = [_part_footprint(part, varying, frames, record) for part in state.parts]
    counts = [part.worlds // state.worlds for part in state.parts]  # columns of a world
    per_world = {
        name: sum(count * getattr(part, name) for part, count in zip(parts, counts, strict=True))
        for name in ("world", "host")
    }
    return replace(
        parts[0],
        **per_world,
        shared=sum(part.shared for part in parts),
        scratch=sum(count * part.scratch for part, count in zip(parts, counts, strict=True)),
        at_once=max(part.at_once // count for part, count in zip(parts, counts, strict=True)),
        indexed=min(part.indexed // count for part, count in zip(parts, counts, strict=True)),
    )


def _part_footprint(state: State, varying: Iterable[str], frames: int, record: Iterable[str]) -> Footprint:
    """Return the memory needs of the columns of a template, or of all worlds of a scene without copies in lanes."""
    device, number = state.device, state.device.bits // 8
    rows = {name: len(state.model.parameters[name]) for name in PARAMETERS}
    own = sum(rows[name] for name in set(varying))
    common = SharedRows({name: rows[name] for name in rows if name not in varying}, device.tile).block.size
    if device.packed:
        common = (sum(rows.values()) - own) * device.tile
    sizes = [max(1, size) for name, size in state.layout.sizes.items() if name not in ON_REQUEST]
    scratch = state.layout.scratch_rows * number
    workers = state.batch.most_workers if device.packed else 0
    words = len(HEADER) + 2 * len(PARAMETERS) + sum(table.size for table in state.model.tables.values())
    shared = common * number + workers * scratch * device.lanes + 4 * words
    recorded = max((rows.stop for rows in state.frame_rows(record).values()), default=0) * number
    largest = max(sizes)
    indexed = most_in_buffer(device) // largest
    if own:
        indexed = min(indexed, (most_in_buffer(device) - common) // own)
    return Footprint(
        shared=shared + (TRACE_BYTES if frames else number * device.lanes),
        world=(sum(sizes) + own) * number + (recorded if frames else 0),
        scratch=0 if device.packed else scratch,
        at_once=state.batch.most_workers,
        # float64 rows of one buffer in transit; parameters, and a copy; frames, their poses, all of them in one array
        host=8 * largest + 2 * 8 * own + 3 * frames * recorded,
        indexed=indexed // device.tile * device.tile,
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
    """Return the largest number of worlds of a model that fit in the known free memory of a device.

    Arguments are those of `Simulation` and `footprint`. Every array also fits in the index range of a kernel, which is
    the bound on a large GPU.
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
    """Return the memory needs of many worlds of a model. Arguments as of `largest_batch`; `cpu-lanes` models a GPU."""
    place = devices.start(device, precision or model.scene.precision, threads, MANY_WORLDS, model)
    return footprint(State(model, MANY_WORLDS, place), varying, frames)


def check_worlds(state: AnyState) -> None:
    """Raise OutOfMemory if the worlds of a state that is not started do not fit."""
    needs = footprint(state)
    most = needs.most()
    if state.worlds <= most:
        return
    free = min(filter(None, (free_memory.free_bytes(name) for name in {"cpu", state.device.name})))
    why = f"{_size(needs.bytes(state.worlds))} needed, {_size(free)} free on {state.device.name}"
    if most == needs.indexed:
        why = f"more than the {most_in_buffer(state.device):,} elements of one array"
    raise OutOfMemory(f"worlds = {state.worlds:,}: {why}; must be at most {most:,}; split the run into several batches")


def check_frames(state: AnyState, frames: int, record: Iterable[str] = FRAME) -> None:
    """Raise OutOfMemory if a recording of that number of frames of these quantities does not fit."""
    each, free = 3 * state.frame_bytes(record), free_memory.free_bytes()
    if frames * each > MEMORY_FRACTION * free:
        raise OutOfMemory(
            f"frames = {frames:,}: {state.worlds:,} worlds need {_size(frames * each)}, {_size(free)} are free; "
            f"must be at most {int(MEMORY_FRACTION * free) // each:,}; reduce fps or record less, or use stream()"
        )


def _size(count: int) -> str:
    """Return a number of bytes as readable text."""
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:,.1f} MiB"
