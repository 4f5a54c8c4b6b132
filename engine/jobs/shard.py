"""A unit of work: one shard of a job to its files. The same job and number give the same files, wherever it runs."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..atomic_write import OutputError, commit, staging_directory
from ..recording.joint_log import write_joint_log
from . import InvalidJob, checksum
from .job import Job, prepare
from .simulate_shard import simulate_worlds
from .table import UNREADABLE, read_columns, read_footer, write_table

METRICS_FOLDER, TRAJECTORIES_FOLDER, NONFINITE = "metrics", "trajectories", "broken"
"""Folders of a job: a table a shard, a zarr group a shard, a joint log a broken world."""

CHECKSUM = "fajin.checksum"
"""Key of a table's footer: checksum of everything else in it."""


def path_of(folder: Path, i: int) -> Path:
    """Where the table of shard i lies; it is there once the shard is done."""
    return folder / METRICS_FOLDER / f"{i:05d}.parquet"


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
        OutputError: the disk is full, or the folder takes no files.
    """
    work = prepare(job)
    outcome = simulate_worlds(work, job.worlds_of(i), halt)
    path, others = path_of(folder, i), []
    if outcome.trajectories:
        others.append(folder / TRAJECTORIES_FOLDER / f"{i:05d}.zarr")
        write_atomically(others[-1], outcome.trajectories.write)
    for failure in outcome.failures:
        if failure.states is not None:
            others.append(folder / NONFINITE / f"world-{failure.world}.npz")
            write_atomically(others[-1], lambda draft, states=failure.states: write_joint_log(states, draft))
    files = {other.relative_to(folder).as_posix(): checksum.of_output(other) for other in others}
    about = {"fajin.shard": str(i), "fajin.device": outcome.device, "fajin.stepping": repr(outcome.stepping)}
    about |= {"fajin.worlds": str(len(job.worlds_of(i))), "fajin.broken": str(len(outcome.failures))}
    about |= {"fajin.job": checksum.of_job(job), "fajin.files": json.dumps(files)}
    about |= {CHECKSUM: checksum.of_table(outcome.columns, about)}
    write_atomically(path, lambda draft: write_table(outcome.columns, draft, about))
    return path


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Have a file or folder written beside its place, whole, then put it there.

    Raises:
        OutputError: the system does not take it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*"):  # of a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        with staging_directory(path) as folder:
            draft = folder / path.name
            write(draft)
            commit(draft, path)
    except OutputError:
        raise
    except OSError as error:
        plain = OSError(error.errno, os.strerror(error.errno)) if error.errno else error  # pyarrow says it at length
        raise OutputError.of(path, plain) from None


@dataclass(frozen=True)
class About:
    """What `run_shard` wrote about a shard beside its table."""

    broken: int  # worlds that left the finite numbers
    device: str
    stepping: float  # seconds in launches


def about(folder: Path, i: int) -> About | None:
    """What is written about shard i; None where it is not done, or nothing of it can be read."""
    try:
        said = read_footer(path_of(folder, i))
        if said["fajin.shard"] == str(i):
            return About(int(said["fajin.broken"]), said["fajin.device"], float(said["fajin.stepping"]))
    except UNREADABLE:
        pass
    return None


def remove(i: int, folder: Path) -> None:
    """Take away the table of a shard, so that it does not count as done.

    Raises:
        OutputError: the system does not let it go.
    """
    path = path_of(folder, i)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError.of(path, error) from None


def flaw(job: Job, i: int, folder: Path) -> str | None:
    """Why what lies there as shard i of a job is not that: damaged, cut short, of another job or another shard.

    Returns:
        The reason, "" where nothing lies there, or None: the shard is done.

    Raises:
        InvalidJob: in the place of its table is something that is no file.
    """
    path = path_of(folder, i)
    if not path.is_file():
        if path.exists():
            raise InvalidJob(f"{path}: must be a file, the table of a shard; take away what lies there")
        return ""
    try:
        columns, about = read_columns(path), read_footer(path)
        return _flaw(job, i, columns, about) or _flaw_of_files(folder, json.loads(about["fajin.files"]))
    except UNREADABLE as error:
        return f"cannot be read ({' '.join(str(error).split())[:80]})"


def _flaw(job: Job, i: int, columns: dict[str, np.ndarray], about: dict[str, str]) -> str | None:
    if about.get(CHECKSUM) is None:
        return "has no checksum"
    if checksum.of_table(columns, {key: value for key, value in about.items() if key != CHECKSUM}) != about[CHECKSUM]:
        return "is damaged"
    if about["fajin.job"] != checksum.of_job(job):
        return "is of another job"
    if about["fajin.shard"] != str(i):
        return f"is of shard {about['fajin.shard']}"
    if not np.array_equal(columns["world"], job.worlds_of(i)):
        return "has other worlds"
    return None


def _flaw_of_files(folder: Path, files: dict[str, str]) -> str | None:
    """What is wrong with the trajectories and logs that belong to a table, {path: checksum}."""
    for name, known in files.items():
        if not (folder / name).exists():
            return f"is without {name}"
        if checksum.of_output(folder / name) != known:
            return f"has another {name}"
    return None
