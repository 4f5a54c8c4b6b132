"""Simulation of one shard of a job to its files. Equal jobs and numbers give equal files on any machine."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...atomic_write import OutputError, commit, staging_directory
from ...input_file import DAMAGED
from ...recording.joint_log import write_joint_log
from .. import InvalidJob
from ..description.column_units import column_units
from ..description.job import Job
from ..description.prepared_job import prepare
from ..description.table import arrow
from ..metrics.named_metrics import NAMED
from . import checksum
from .result_table import has_arrow, read_columns, read_metadata, write_table
from .simulate_shard import simulate_worlds

METRICS_FOLDER, TRAJECTORIES_FOLDER, NONFINITE = "metrics", "trajectories", "broken"
"""Folders of a job: a table per shard, a zarr group per shard, a joint log per non-finite world."""

CHECKSUM = "fajin.checksum"
"""Key in a table's metadata: checksum of all other contents."""


def path_of(folder: Path, i: int) -> Path:
    """Return the path of the table of shard i, which exists once the shard is finished: .csv without pyarrow."""
    parquet = folder / METRICS_FOLDER / f"{i:05d}.parquet"
    text = parquet.with_suffix(".csv")
    return text if text.exists() or not (has_arrow() or parquet.exists()) else parquet


def check_format(path: Path) -> None:
    """Raise InvalidJob if a table is there and its format cannot be read here; it is not damaged."""
    if path.suffix == ".parquet" and path.exists():
        arrow()


def run_shard(job: Job, i: int, folder: Path, halt: Callable[[int], None] = lambda done: None) -> Path:
    """Simulate shard i of a job and write its files, the table last.

    Args:
        job: the job.
        i: number of the shard, from 0.
        folder: folder of the job's results.
        halt: called after every launch with the number of finished steps; an exception ends the shard unwritten.

    Returns:
        The path of the table.

    Raises:
        InvalidScene, InvalidJob: an input of the job is invalid.
        OutputError: the disk is full, or the folder is not writable.
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
    metrics = {name: {"unit": NAMED[name].unit} for name in work.metrics}
    units = column_units(list(outcome.columns), metrics, work.sweep.names.dof)
    about |= {"fajin.units": json.dumps(units, ensure_ascii=False)}
    about |= {CHECKSUM: checksum.of_table(outcome.columns, about)}
    write_atomically(path, lambda draft: write_table(outcome.columns, draft, about))
    return path


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file or folder to a staging folder, then move it into place.

    Raises:
        OutputError: the operating system reports an error.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*"):  # staging folders of a killed run
            shutil.rmtree(left, ignore_errors=True)
        with staging_directory(path) as folder:
            draft = folder / path.name
            write(draft)
            commit(draft, path)
    except OutputError:
        raise
    except OSError as error:
        plain = OSError(error.errno, os.strerror(error.errno)) if error.errno else error  # pyarrow's message is long
        raise OutputError.of(path, plain) from None


@dataclass(frozen=True)
class About:
    """Metadata of a finished shard."""

    broken: int  # number of non-finite worlds
    device: str
    stepping: float  # seconds in launches


def about(folder: Path, i: int) -> About | None:
    """Return the metadata of shard i; None if the shard is not finished or not readable."""
    path = path_of(folder, i)
    check_format(path)
    try:
        said = read_metadata(path)
        if said["fajin.shard"] == str(i):
            return About(int(said["fajin.broken"]), said["fajin.device"], float(said["fajin.stepping"]))
    except DAMAGED:
        pass
    return None


def remove(i: int, folder: Path) -> None:
    """Remove the table of a shard, so that it does not count as finished.

    Raises:
        OutputError: the file cannot be removed.
    """
    path = path_of(folder, i)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError.of(path, error) from None


def flaw(job: Job, i: int, folder: Path) -> str | None:
    """Return why an existing file is not shard i of a job: damaged, truncated, of another job or another shard.

    Returns:
        The reason, "" if no file exists, or None if the shard is finished.

    Raises:
        InvalidJob: the path of the table exists but is not a file.
    """
    path = path_of(folder, i)
    if not path.is_file():
        if path.exists():
            raise InvalidJob(f"{path}: must be a file, the table of a shard; remove it")
        return ""
    check_format(path)
    try:
        columns, about = read_columns(path), read_metadata(path)
        return _flaw(job, i, columns, about) or _flaw_of_files(folder, json.loads(about["fajin.files"]))
    except DAMAGED as error:
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
        return "has wrong worlds"
    return None


def _flaw_of_files(folder: Path, files: dict[str, str]) -> str | None:
    """Return the flaw of the trajectories and logs of a table, {path: checksum}, or None."""
    for name, known in files.items():
        if not (folder / name).exists():
            return f"lacks {name}"
        if checksum.of_output(folder / name) != known:
            return f"has a changed {name}"
    return None
