"""A unit of work: one shard of a job to its files. The same job and number give the same files, wherever it runs."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ..atomic import UnwritableOutput, publish, workspace
from ..recording.joint_log import write_joint_log
from .job import Job, prepare
from .outcome import simulate
from .table import arrow, write_table

METRICS, TRAJECTORIES, BROKEN = "metrics", "trajectories", "broken"
"""Folders of a job: a table a shard, a zarr group a shard, a joint log a broken world."""


def path_of(folder: Path, i: int) -> Path:
    """Where the table of shard i lies; it is there once the shard is done."""
    return folder / METRICS / f"{i:05d}.parquet"


def run_shard(job: Job, i: int, folder: Path, halt: Callable[[int], None] = lambda done: None) -> Path:
    """Simulate shard i of a job and write its files; the table comes last.

    Args:
        job: the job.
        i: number of the shard, from 0.
        folder: of the job's results.
        halt: told after every launch how many steps are done; what it raises ends the shard, and nothing is written.

    Returns:
        Where its table lies.

    Raises:
        InvalidScene, InvalidJob: something the job names is wrong.
        UnwritableOutput: the disk is full, or the folder takes no files.
    """
    work = prepare(job)
    outcome = simulate(work, job.span(i), halt)
    path = path_of(folder, i)
    if outcome.trajectories:
        place(folder / TRAJECTORIES / f"{i:05d}.zarr", outcome.trajectories.write)
    for failure in outcome.failures:
        if failure.states is not None:
            log = folder / BROKEN / f"world-{failure.world}.npz"
            place(log, lambda draft, states=failure.states: write_joint_log(states, draft))
    about = {"fajin.shard": str(i), "fajin.device": outcome.device, "fajin.stepping": repr(outcome.stepping)}
    about |= {"fajin.worlds": str(len(job.span(i))), "fajin.broken": str(len(outcome.failures))}
    place(path, lambda draft: write_table(outcome.columns, draft, about))
    return path


def place(path: Path, write: Callable[[Path], None]) -> None:
    """Have a file or folder written beside its place, whole, then put it there.

    Raises:
        UnwritableOutput: the system does not take it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*"):  # of a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        with workspace(path) as folder:
            draft = folder / path.name
            write(draft)
            publish(draft, path)
    except UnwritableOutput:
        raise
    except OSError as error:
        plain = OSError(error.errno, os.strerror(error.errno)) if error.errno else error  # pyarrow says it at length
        raise UnwritableOutput.of(path, plain) from None


def about(path: Path) -> dict[str, str]:
    """What `run_shard` wrote about a shard beside its table: fajin.worlds, .broken, .device, .stepping."""
    _, parquet = arrow()
    return {key.decode(): value.decode() for key, value in parquet.read_schema(path).metadata.items()}
