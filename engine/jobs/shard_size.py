"""How much memory the worlds of a shard take, known before they are there."""

from ..device import PACK, Device
from ..device.free_memory import free_bytes
from ..device.memory_estimate import MANY_WORLDS, MEMORY_FRACTION, footprint, largest_batch
from ..device.state import State
from ..model import Model
from ..tables.layout import PARAMETERS, STATISTICS
from . import InvalidJob
from .metrics import METRICS
from .parameter_ref import ParameterRef


def simulation_bytes_per_world(model: Model, settings: list[ParameterRef], bits: int) -> int:
    """Buffers of a world on a CPU, what is counted of it, and in float64 what the host holds while it tells it."""
    changed = {quantity for setting in settings for quantity in (setting.quantity, *_with(setting))}
    varying = [row for row in map(str.upper, changed) if row in PARAMETERS]
    needs = footprint(State(model, MANY_WORLDS, Device("cpu", PACK[bits], True, bits, 1)), varying)
    counts = {"D": len(model.dof), "A": len(model.tables["ARTICULATIONS"])}
    counted = sum(width * counts[owner] for _, owner, width, _ in STATISTICS)
    told = (len(METRICS) + 2) * len(model.dof) + len(settings)
    return needs.world + needs.host + counted * (bits // 8 + 8) + 3 * told * 8


def _with(setting: ParameterRef) -> tuple[str, ...]:
    """What changes along with a quantity."""
    return ("inertia",) if setting.quantity == "mass" else ()


def largest_shard(work, each: int, processes: int) -> int:
    """The most worlds that a shard can have where so many processes of this machine do one each.

    Args:
        work: names model, device, precision and threads.
        each: bytes of a world, as `simulation_bytes_per_world` says.
        processes: on this machine.
    """
    here = int(MEMORY_FRACTION * free_bytes() / each)
    there = largest_batch(work.model, work.device, work.precision, work.threads)
    return max(1, min(here, there) // processes)


def even_shards(worlds: int, most: int, processes: int) -> int:
    """Worlds of a shard, so that all shards but the last are as large, and processes have as many of them."""
    rounds = -(-worlds // (most * processes))
    size = -(-worlds // (rounds * processes))
    return min(most, -(-size // PACK[32]) * PACK[32])


def check_memory(worlds: int, each: int, processes: int) -> None:
    """Raise InvalidJob where so many processes of so many worlds do not fit.

    Args:
        worlds: of one shard.
        each: bytes of a world.
        processes: that run at once.
    """
    needed, room = worlds * each * processes, free_bytes()
    if needed > MEMORY_FRACTION * room:
        fits = max(1, int(MEMORY_FRACTION * room / processes / each))
        raise InvalidJob(
            f"--shard-size {worlds}: {worlds} worlds of {each / 1e3:.0f} kB in {processes} "
            f"{'process' if processes == 1 else 'processes'} need {needed / 1e9:.1f} GB, {room / 1e9:.1f} GB are free; "
            f"give {fits} or fewer"
        )
