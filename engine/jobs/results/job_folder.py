"""A batch job in a folder: validation, running by shards, resuming and summary."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ... import device as devices
from .. import InvalidJob
from ..description.job import Job
from ..description.parameter_ref import ParameterRef
from ..description.prepared_job import PreparedJob, prepare
from ..execution.shard_loop import run_shards
from ..execution.worker_pool import WorkerPool
from ..rollout import trajectories
from ..shards import shard, shard_size
from ..shards.partition import ShardSubset
from . import manifest


@dataclass
class Summary:
    """Summary of the results in a job's folder."""

    worlds: int = 0  # number of finished worlds
    broken: int = 0  # number of non-finite worlds among them
    shards: int = 0  # number of finished shards
    stepping: float = 0.0  # seconds in launches, summed over processes
    device: str = ""


MOST_SHARDS = 1_000_000
"""Maximum number of shards; each is a file."""


def start(
    job: Job, folder: Path, resume: bool, processes: int = 1, portion: ShardSubset | None = None
) -> dict[int, str]:
    """Check the job and write its manifest; return the shards that must run.

    Files that are damaged or belong to another job are removed if they have the name of a shard.

    Args:
        job: the job.
        folder: folder of its results.
        resume: continue with results in the folder.
        processes: number of processes that run shards on this machine; 0 if only other machines do.
        portion: subset of shards of this machine; other machines on a shared disk may start at the same moment.

    Returns:
        {number: "" or the reason why an existing file was not accepted}.

    Raises:
        InvalidScene, InvalidJob: an input is invalid or does not fit in memory; or `folder` has results of another
            job, or of this job without `resume`.
        OutputError: the folder is not writable.
    """
    work = prepare(job)
    if job.record:
        trajectories.zarr()
    check_job(job, work, processes)
    if folder.is_dir() and any(file.name[0] != "." for file in folder.iterdir()):
        there = (folder / manifest.NAME).exists()  # checked last: it is the first file of other machines
        if not there:
            raise InvalidJob(f"{folder}: must be empty or not exist, but has other files; choose another folder")
    else:
        there = not manifest.create_if_absent(manifest.describe(job, work), folder)
    if there and not (resume or portion):
        raise InvalidJob(f"{folder}: has results already; continue with --resume, or choose another folder")
    manifest.check_same(manifest.read_manifest(folder), job, work, folder)
    shards = range(job.shards) if portion is None else portion.of(job.shards)
    flaws = {i: flaw for i in shards if (flaw := shard.flaw(job, i, folder)) is not None}
    for i in flaws:
        shard.remove(i, folder)
    return flaws


def warm_up(job: Job) -> None:
    """Start Taichi and load the modules that shards of a job need, while a child process reads the scene.

    Raises:
        InvalidJob, DeviceError: a package or the device is missing.
    """
    devices.warm_up(job.device, job.precision or "f32", job.threads, min(job.shard, job.worlds))


def check_job(job: Job, work: PreparedJob, processes: int) -> None:
    """Raise InvalidJob if shards do not fit in memory, or a value in a shard is invalid."""
    if job.shards > MOST_SHARDS:
        least = -(-job.worlds // MOST_SHARDS)
        raise InvalidJob(
            f"--worlds {job.worlds}: must be at most {MOST_SHARDS:,} shards of {job.shard} worlds; "
            f"use a --shard-size of {least} or more"
        )
    shard_size.check_memory(min(job.shard, job.worlds), bytes_per_world(job, work), processes)
    for i in range(job.shards):
        work.sweep.columns(job.worlds_of(i))


def bytes_per_world(job: Job, work: PreparedJob) -> int:
    """Return the memory per world while its shard runs, including trajectories and controls."""
    texts = [
        *work.sweep.table,
        *work.sweep.grid,
        *(setting.text for setting, _ in work.sweep.draws()),
        *work.sweep.fitted,
    ]
    each = shard_size.simulation_bytes_per_world(
        work.model, list(map(ParameterRef.parse, texts)), int(work.precision[1:]), work.contact_slots
    )
    if job.record:
        frames = work.steps // job.record.every + 1
        each += 4 * frames * 3 * len(work.sweep.names.dof) * (job.record.last - job.record.first) // job.shard
    numbers = [row.values[0] for row in work.rows if row.values.ndim == 3]  # as read, and thrice for the device
    return each + sum(rows.nbytes + 3 * rows.size * int(work.precision[1:]) // 8 for rows in numbers)


def fit_shard_size(job: Job, processes: int) -> tuple[Job, int, int]:
    """Return the job with the largest shards that fit, the bytes per world, and the number of worlds that fit.

    Raises:
        InvalidScene, InvalidJob, DeviceError: an input is invalid, or the device is missing.
    """
    whole = replace(job, shard=job.worlds)
    work = prepare(whole)
    each = bytes_per_world(whole, work)
    most = shard_size.largest_shard(work, each, processes)
    return replace(job, shard=shard_size.even_shards(job.worlds, most, processes)), each, most


def run(
    job: Job, folder: Path, shards: list[int], workers: WorkerPool, tell: Callable[[float], None] = lambda done: None
) -> None:
    """Run shards of a job; `tell` is called with the number of finished worlds and may raise to stop."""
    done, steps, size = 0.0, max(1, prepare(job).steps), min(job.shard, job.worlds)

    def report(step: int) -> None:
        tell(done + size * step / steps)

    for i in run_shards(job, shards, folder, workers, report):
        done += len(job.worlds_of(i))
        tell(done)


def summarize(job: Job, folder: Path, portion: ShardSubset | None = None) -> Summary:
    """Return a summary of the finished part of a job, or of a subset of its shards."""
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
