"""How much memory the worlds of a shard take, known before they are there."""

import os
from contextlib import suppress
from pathlib import Path

from ..footprint import largest_batch
from ..layout import PARAMETERS, RATES, REST, STATE, TALLY
from ..model import Model
from . import InvalidJob
from .metrics import METRICS
from .setting import Setting

MARGIN = 0.9
"""Share of the free memory that may be asked for."""


PACK = 16
"""Worlds that are stepped at once."""


def bytes_per_world(model: Model, settings: list[Setting], bits: int) -> int:
    """Buffers on the device and, in float64, what the host holds of a world while it sets and tells it."""
    counts = {"D": len(model.dof), "L": len(model.link)}
    counts |= {table[0]: len(model.tables[table]) for table in ("ARTICULATIONS", "JOINTS", "TENDONS")}
    carried = sum(width * counts[owner] for *_, owner, width, _ in (*STATE, *RATES, *REST, *TALLY))
    varying = {quantity for setting in settings for quantity in (setting.quantity, *_with(setting))}
    varied = sum(len(model.parameters[row]) for row in map(str.upper, varying) if row in PARAMETERS)
    told = (len(METRICS) + 2) * counts["D"] + len(settings)
    return (carried + varied) * bits // 8 + (3 * varied + 3 * told + carried) * 8


def _with(setting: Setting) -> tuple[str, ...]:
    """What changes along with a quantity."""
    return ("inertia",) if setting.quantity == "mass" else ()


def free() -> int:
    """Bytes that this process may still have: of the machine, and of its control group."""
    rooms = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")] if hasattr(os, "sysconf") else []
    info = Path("/proc/meminfo")
    if info.exists():
        words = dict(line.split(":", 1) for line in info.read_text().splitlines())
        rooms = [1024 * int(words["MemAvailable"].split()[0])]
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # no group, or "max"
        rooms.append(int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    return min(rooms, default=1 << 62)


def largest_shard(work, each: int, processes: int) -> int:
    """The most worlds that a shard can have where so many processes of this machine do one each.

    Args:
        work: names model, device, precision and threads.
        each: bytes of a world, as `bytes_per_world` says.
        processes: on this machine.
    """
    here = int(MARGIN * free() / each)
    there = largest_batch(work.model, work.device, work.precision, work.threads)
    return max(1, min(here, here if there is None else there) // processes)


def even_shards(worlds: int, most: int, processes: int) -> int:
    """Worlds of a shard, so that all shards but the last are as large, and processes have as many of them."""
    rounds = -(-worlds // (most * processes))
    size = -(-worlds // (rounds * processes))
    return min(most, -(-size // PACK) * PACK)


def check(worlds: int, each: int, processes: int) -> None:
    """Raise InvalidJob where so many processes of so many worlds do not fit.

    Args:
        worlds: of one shard.
        each: bytes of a world.
        processes: that run at once.
    """
    needed, room = worlds * each * processes, free()
    if needed > MARGIN * room:
        fits = max(1, int(MARGIN * room / processes / each))
        raise InvalidJob(
            f"--shard-size {worlds}: {worlds} worlds of {each / 1e3:.0f} kB in {processes} "
            f"{'process' if processes == 1 else 'processes'} need {needed / 1e9:.1f} GB, {room / 1e9:.1f} GB are free; "
            f"give {fits} or fewer"
        )
