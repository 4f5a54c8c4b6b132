"""The manifest of a results folder, `manifest.json`, from which the job can be reproduced bit for bit."""

import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ...atomic_write import OutputError, commit_if_absent, staging_directory
from ...device.names import CPU_LANES, DEVICES, PRECISIONS
from ...input_file import UnreadableFile, read_json
from .. import InvalidJob
from ..description import validation
from ..description.job import FILES, Job
from ..description.prepared_job import PreparedJob
from ..metrics.named_metrics import NAMED

NAME, FORMAT = "manifest.json", "fajin batch 1"
RECORDED_PACKAGES = ("fajin", "taichi", "numpy", "usd-core", "newton-usd-schemas", "pyarrow", "zarr")

MEND = "pass a folder written by fajin batch -o"


@dataclass(frozen=True)
class SceneFiles:
    """Contents and step of a job's scene."""

    sha256: str  # PreparedJob.digest
    files: dict[str, str]  # {path: SHA-256}
    dt: float


@dataclass(frozen=True)
class Manifest:
    """The schema of a manifest in plain values; `read_manifest` checks it."""

    format: str
    job: Job
    scene: SceneFiles
    files: dict[str, str]  # {field of the job: SHA-256}
    shards: int
    dof: tuple[str, ...]
    metrics: dict[str, Any]
    versions: dict[str, str | None]
    machine: str
    started: str


LEAST = {"worlds": 1, "shard": 1, "every": 1, "seed": 0, "threads": 0, "seconds": 0.0}
CHOICES = {"device": (*DEVICES, CPU_LANES), "precision": (None, *PRECISIONS)}
"""Minimum value, or all allowed values, of fields of a job. Other fields are checked with the scene."""


def describe(job: Job, work: PreparedJob) -> dict:
    """Return the manifest of a job."""
    return {
        "format": FORMAT,
        "job": json.loads(job.as_json()),
        "scene": {"sha256": work.digest, "files": work.files, "dt": work.scene.dt},
        "files": job.files(),
        "shards": job.shards,
        "dof": work.sweep.names.dof,
        "metrics": {name: {"unit": NAMED[name].unit, "meaning": NAMED[name].meaning} for name in work.metrics},
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in RECORDED_PACKAGES}},
        "machine": platform.platform(),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def create_if_absent(manifest: dict, folder: Path) -> bool:
    """Write a manifest, completely or not at all, unless there is one; return whether it was written.

    Raises:
        OutputError: the file cannot be written.
    """
    text = json.dumps(_moved(manifest, folder, relative_path), indent=1, ensure_ascii=False) + "\n"
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with staging_directory(path) as drafts:
            draft = drafts / NAME
            draft.write_text(text, encoding="utf-8")
            return commit_if_absent(draft, path)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError.of(path, error) from None


def read_manifest(folder: Path) -> dict:
    """Return the manifest of a folder as validated plain values.

    Raises:
        InvalidJob: the manifest is missing or invalid; the message names the place in the file.
    """
    path = folder / NAME
    try:
        found = read_json(path)
    except UnreadableFile:
        raise InvalidJob(f"{path}: must be the manifest of a batch; {MEND}") from None
    validation.validate(found, Manifest, str(path), MEND)
    if found["format"] != FORMAT:
        raise InvalidJob(f"{path}.format = {validation.shown(found['format'])}: must be {FORMAT}; {MEND}")
    _check_values(found["job"], f"{path}.job")
    if found["shards"] != Job.of_json(json.dumps(found["job"])).shards:
        raise InvalidJob(
            f"{path}.shards = {validation.shown(found['shards'])}: must match worlds and shard of its job; {MEND}"
        )
    return _moved(found, folder, absolute_path)


def relative_path(path: str, folder: Path) -> str:
    """Return a path relative to a folder, so that both can move together; on another drive, the path."""
    try:
        return Path(os.path.relpath(path, folder.absolute())).as_posix()
    except ValueError:
        return path


def absolute_path(path: str, folder: Path) -> str:
    """Return the absolute path for one that is relative to a folder."""
    return os.path.normpath(folder.absolute() / path)


def _moved(manifest: dict, folder: Path, move: Callable[[str, Path], str]) -> dict:
    """Return a manifest with the paths of its files relative to its folder, or absolute."""
    job = {name: move(value, folder) if name in FILES and value else value for name, value in manifest["job"].items()}
    files = {move(path, folder): digest for path, digest in manifest["scene"]["files"].items()}
    return {**manifest, "job": job, "scene": {**manifest["scene"], "files": files}}


def _check_values(job: dict[str, Any], place: str) -> None:
    """Raise InvalidJob for a value that a job cannot have."""
    record = job["record"] or {"first": 0, "last": 1, "every": 1}
    rules = {name: (job[name] is None or job[name] >= least, f"at least {least}") for name, least in LEAST.items()}
    rules |= {name: (job[name] in among, f"one of {', '.join(map(str, among))}") for name, among in CHOICES.items()}
    sound = 0 <= record["first"] < record["last"] and record["every"] >= 1
    rules |= {"record": (sound, "first from 0, last above it, every from 1")}
    for name, (kept, rule) in rules.items():
        if not kept:
            raise InvalidJob(f"{place}.{name} = {validation.shown(job[name])}: must be {rule}; {MEND}")


def job_of(folder: Path, functions: Sequence[tuple[str, str]] = ()) -> Job:
    """Return the job of a folder. A file must not import code: functions that it names must be repeated by the caller.

    Args:
        folder: folder of the results.
        functions: (option, "module:function") of the job, as `Job.functions`.

    Raises:
        InvalidJob: the folder has no job, or its functions differ from `functions`.
    """
    job = Job.of_json(json.dumps(read_manifest(folder)["job"]))
    named, given = set(job.functions), set(functions)
    for option, text in sorted(named - given):
        raise InvalidJob(
            f"{folder / NAME}.job.{option} = {validation.shown(text)}: must be repeated because it imports code; "
            f"add --{option} {text} if you trust it"
        )
    for option, text in sorted(given - named):
        raise InvalidJob(
            f"--{option} {text}: must be the value of the job in {folder}; omit it, or choose another folder"
        )
    return job


def check_same(manifest: dict, job: Job, work: PreparedJob, folder: Path) -> None:
    """Raise InvalidJob if a folder has results of another job."""
    before = Job.of_json(json.dumps(manifest["job"]))
    different = [name.replace("_", "-") for name in before.diff(job)]
    if manifest["scene"]["sha256"] != work.digest:
        different.append("the contents of the scene")
    if manifest["files"] != job.files():
        different.append("the contents of table, initial state or controls")
    version = manifest["versions"].get("fajin")
    if version != _version("fajin"):
        different.append(f"fajin {version}")
    if different:
        raise InvalidJob(
            f"{folder}: has another job, which differs in {', '.join(different)}; choose another folder, or "
            "the same values"
        )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
