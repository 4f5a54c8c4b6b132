"""A job and its folder: checked, run shard by shard, gone on with after whatever ended it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import InvalidJob, manifest, memory, shard, trajectories, workers
from .job import Job, Work, prepare
from .setting import Setting
from .table import arrow


@dataclass
class Summary:
    """What lies in a job's folder."""

    worlds: int = 0  # done
    broken: int = 0  # of these left the finite numbers
    shards: int = 0  # done
    stepping: float = 0.0  # seconds in launches, of all processes
    device: str = ""


def start(job: Job, folder: Path, resume: bool, processes: int = 1) -> list[int]:
    """Check everything and write the manifest; return the numbers of the shards that are to be done.

    Raises:
        InvalidScene, InvalidJob: something the job names is wrong, does not fit in memory, or `folder` holds results
            of another job, or of this one that `resume` does not ask to go on with.
        UnwritableOutput: the folder takes no files.
    """
    work = prepare(job)
    arrow()
    if job.record:
        trajectories.zarr()
    check(job, work, processes)
    if (folder / manifest.NAME).exists():
        if not resume:
            raise InvalidJob(f"{folder}: holds results already; go on with --resume, or give another folder")
        manifest.check_same(manifest.read(folder), job, work, folder)
    else:
        if folder.is_dir() and any(folder.iterdir()):
            raise InvalidJob(f"{folder}: holds other files; give a folder that is empty or does not exist")
        manifest.write(manifest.describe(job, work), folder)
    return [i for i in range(job.shards) if not shard.path_of(folder, i).exists()]


def check(job: Job, work: Work, processes: int) -> None:
    """Raise InvalidJob where shards do not fit in memory, or a value of a shard is none that it can have."""
    texts = [*work.sweep.table, *work.sweep.grid, *(setting.text for setting, _ in work.sweep.draws())]
    each = memory.bytes_per_world(work.model, list(map(Setting.parse, texts)), int(work.precision[1:]))
    if job.record:
        frames = work.steps // job.record.every + 1
        each += 4 * frames * 3 * len(work.sweep.names.dof) * (job.record.last - job.record.first) // job.shard
    memory.check(min(job.shard, job.worlds), each, processes)
    for i in range(job.shards):
        work.sweep.columns(job.span(i))


def run(
    job: Job, folder: Path, shards: list[int], processes: int, tell: Callable[[float], None] = lambda done: None
) -> None:
    """Do these shards of a job; `tell` hears how many worlds of them are done, and may raise to end it."""
    done, steps = 0.0, max(1, prepare(job).steps)

    def halt(step: int) -> None:
        tell(done + size * step / steps)

    size = min(job.shard, job.worlds)
    if processes == 1:
        finished = workers.here(job, shards, folder, halt)
    else:
        finished = workers.side_by_side(job, shards, folder, processes, lambda: tell(done))
    for i in finished:
        done += len(job.span(i))
        tell(done)


def summarize(job: Job, folder: Path) -> Summary:
    """What is done of a job."""
    summary = Summary()
    for i in range(job.shards):
        path = shard.path_of(folder, i)
        if path.exists():
            about = shard.about(path)
            summary.shards += 1
            summary.worlds += int(about["fajin.worlds"])
            summary.broken += int(about["fajin.broken"])
            summary.stepping += float(about["fajin.stepping"])
            summary.device = about["fajin.device"]
    return summary
