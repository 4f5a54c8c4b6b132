"""Memory per world of a shard, estimated before allocation, and shard sizes that fit."""

from ...device import PACK, Device
from ...device.free_memory import free_bytes
from ...device.memory_estimate import MANY_WORLDS, MEMORY_FRACTION, footprint, largest_batch
from ...device.state import State
from ...model import Model
from ...tables.layout import PARAMETERS, STATISTICS
from .. import InvalidJob
from ..description.parameter_ref import ParameterRef
from ..description.prepared_job import PreparedJob
from ..metrics.named_metrics import LINK_METRICS, METRICS


def simulation_bytes_per_world(
    model: Model, settings: list[ParameterRef], bits: int, contact_slots: int | None = None
) -> int:
    """Return the bytes per world on a CPU: buffers, statistics, and the host's float64 copies of results."""
    changed = {quantity for setting in settings for quantity in (setting.quantity, *_with(setting))}
    varying = [name for name, row in PARAMETERS.items() if row.field in changed]
    needs = footprint(
        State(model, MANY_WORLDS, Device("cpu", PACK[bits], True, bits, 1), contact_slots=contact_slots), varying
    )
    counts = {"D": len(model.dof), "A": len(model.tables["ARTICULATIONS"])}
    counts["L"] = len(model.link) if len(model.tables["PAIRS"]) else 0
    counted = sum(width * counts[owner] for _, owner, width, _ in STATISTICS)
    columns = (len(METRICS) + 2) * len(model.dof) + len(LINK_METRICS) * counts["L"] + len(settings)
    return needs.world + needs.host + counted * (bits // 8 + 8) + 3 * columns * 8


def _with(setting: ParameterRef) -> tuple[str, ...]:
    """Return the fields that change along with a setting."""
    return ("inertia",) if setting.quantity == "mass" else ()


def largest_shard(work: PreparedJob, each: int, processes: int) -> int:
    """Return the largest number of worlds per shard if each process of this machine runs one shard.

    Args:
        work: the job.
        each: bytes per world, as of `simulation_bytes_per_world`.
        processes: number of processes on this machine.
    """
    here = int(MEMORY_FRACTION * free_bytes() / each)
    there = largest_batch(work.model, work.device, work.precision, work.threads)
    return max(1, min(here, there) // processes)


def even_shards(worlds: int, most: int, processes: int) -> int:
    """Return a number of worlds per shard that makes shards equal in size and processes equally loaded."""
    rounds = -(-worlds // (most * processes))
    size = -(-worlds // (rounds * processes))
    return min(most, -(-size // PACK[32]) * PACK[32])


def check_memory(worlds: int, each: int, processes: int) -> None:
    """Raise InvalidJob if the worlds of concurrent shards do not fit in memory.

    Args:
        worlds: number of worlds of one shard.
        each: bytes per world.
        processes: number of concurrent processes.
    """
    needed, room = worlds * each * processes, free_bytes()
    if needed > MEMORY_FRACTION * room:
        fits = max(1, int(MEMORY_FRACTION * room / processes / each))
        raise InvalidJob(
            f"--shard-size {worlds}: {worlds} worlds of {each / 1e3:.0f} kB in {processes} "
            f"{'process' if processes == 1 else 'processes'} need {needed / 1e9:.1f} GB, {room / 1e9:.1f} GB are free; "
            f"must be at most {fits}"
        )
