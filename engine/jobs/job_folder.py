"""A job and its folder: checked, run shard by shard, gone on with after whatever ended it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from .. import device as devices
from . import InvalidJob, manifest, shard, shard_size, trajectories
from .executor import Executor
from .job import Job, PreparedJob, prepare
from .parameter_ref import ParameterRef
from .partition import ShardSubset
from .table import arrow


@dataclass
class Summary:
    """What lies in a job's folder."""

    worlds: int = 0  # done
    broken: int = 0  # of these left the finite numbers
    shards: int = 0  # done
    stepping: float = 0.0  # seconds in launches, of all processes
    device: str = ""


MOST_SHARDS = 1_000_000
"""Each is a file of its own."""


def start(
    job: Job, folder: Path, resume: bool, processes: int = 1, portion: ShardSubset | None = None
) -> dict[int, str]:
    """Check everything and write the manifest; return the numbers of the shards that are to be done.

    What lies in the place of a shard and is not whole, or not of this job, is taken away.

    Args:
        job: the job.
        folder: of its results.
        resume: whether to go on with what lies there.
        processes: that do shards on this machine at once; 0 if others do.
        portion: which of the shards are done here; others, on a shared disk, may begin at the same moment.

    Returns:
        {number: "" or why what lay there did not count}.

    Raises:
        InvalidScene, InvalidJob: something the job names is wrong, does not fit in memory, or `folder` holds results
            of another job, or of this one that `resume` does not ask to go on with.
        OutputError: the folder takes no files.
    """
    work = prepare(job)
    arrow()
    if job.record:
        trajectories.zarr()
    check_job(job, work, processes)
    if folder.is_dir() and any(file.name[0] != "." for file in folder.iterdir()):
        there = (folder / manifest.NAME).exists()  # looked for last: where others begin as well, it is their first file
        if not there:
            raise InvalidJob(f"{folder}: holds other files; give a folder that is empty or does not exist")
    else:
        there = not manifest.create_if_absent(manifest.describe(job, work), folder)
    if there and not (resume or portion):
        raise InvalidJob(f"{folder}: holds results already; go on with --resume, or give another folder")
    manifest.check_same(manifest.read_manifest(folder), job, work, folder)
    shards = range(job.shards) if portion is None else portion.of(job.shards)
    flaws = {i: flaw for i in shards if (flaw := shard.flaw(job, i, folder)) is not None}
    for i in flaws:
        shard.remove(i, folder)
    return flaws


def warm_up(job: Job) -> None:
    """Start Taichi and load what shards of a job need, while somebody else reads its scene.

    Raises:
        InvalidJob, DeviceError: something of that is not here.
    """
    arrow()
    place = devices.start(job.device, job.precision or "f32", job.threads, min(job.shard, job.worlds))
    devices.load_physics(place, "kernels")


def check_job(job: Job, work: PreparedJob, processes: int) -> None:
    """Raise InvalidJob where shards do not fit in memory, or a value of a shard is none that it can have."""
    if job.shards > MOST_SHARDS:
        least = -(-job.worlds // MOST_SHARDS)
        raise InvalidJob(
            f"--worlds {job.worlds}: in shards of {job.shard} must be at most {MOST_SHARDS:,} shards; "
            f"give a --shard-size of {least} or more"
        )
    shard_size.check_memory(min(job.shard, job.worlds), bytes_per_world(job, work), processes)
    for i in range(job.shards):
        work.sweep.columns(job.worlds_of(i))


def bytes_per_world(job: Job, work: PreparedJob) -> int:
    """What a world takes of memory while its shard is done, trajectories included."""
    texts = [*work.sweep.table, *work.sweep.grid, *(setting.text for setting, _ in work.sweep.draws())]
    each = shard_size.simulation_bytes_per_world(
        work.model, list(map(ParameterRef.parse, texts)), int(work.precision[1:])
    )
    if job.record:
        frames = work.steps // job.record.every + 1
        each += 4 * frames * 3 * len(work.sweep.names.dof) * (job.record.last - job.record.first) // job.shard
    return each


def fit_shard_size(job: Job, processes: int) -> tuple[Job, int, int]:
    """The job in the largest shards that fit; bytes of a world, and how many worlds fit at once.

    Raises:
        InvalidScene, InvalidJob, DeviceError: something the job names is wrong, or is not here.
    """
    whole = replace(job, shard=job.worlds)
    work = prepare(whole)
    each = bytes_per_world(whole, work)
    most = shard_size.largest_shard(work, each, processes)
    return replace(job, shard=shard_size.even_shards(job.worlds, most, processes)), each, most


def run(
    job: Job, folder: Path, shards: list[int], crew: Executor, tell: Callable[[float], None] = lambda done: None
) -> None:
    """Have these shards of a job done; `tell` hears how many worlds of them are done, and may raise to end it."""
    done, steps, size = 0.0, max(1, prepare(job).steps), min(job.shard, job.worlds)

    def look(step: int) -> None:
        tell(done + size * step / steps)

    for i in crew(job, shards, folder, look):
        done += len(job.worlds_of(i))
        tell(done)


def summarize(job: Job, folder: Path, portion: ShardSubset | None = None) -> Summary:
    """What is done of a job, or of a portion of it."""
    summary = Summary()
    for i in range(job.shards) if portion is None else portion.of(job.shards):
        about = shard.about(folder, i)
        if about:
            summary.shards += 1
            summary.worlds += len(job.worlds_of(i))
            summary.broken += about.broken
            summary.stepping += about.stepping
            summary.device = about.device
    return summary
