"""What a folder of results is of: `manifest.json`, from which the job can be run again to the same bits."""

import hashlib
import json
import platform
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..atomic import UnwritableOutput, publish_first, workspace
from . import InvalidJob
from .job import Job, Work
from .metrics import METRICS

NAME = "manifest.json"
PACKAGES = ("fajin", "taichi", "numpy", "usd-core", "newton-usd-schemas", "pyarrow", "zarr")


def describe(job: Job, work: Work) -> dict:
    """The manifest of a job."""
    return {
        "format": "fajin batch 1",
        "job": json.loads(job.as_json()),
        "scene": {"sha256": work.digest, "files": work.files or _files(job.scene), "dt": work.scene.dt},
        "files": job.files(),
        "shards": job.shards,
        "dof": work.sweep.names.dof,
        "metrics": {name: {"unit": METRICS[name].unit, "meaning": METRICS[name].meaning} for name in work.metrics},
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
        "machine": platform.platform(),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def claim(manifest: dict, folder: Path) -> bool:
    """Write a manifest, whole or not at all, where there is none; return whether it was written.

    Raises:
        UnwritableOutput: it cannot be written.
    """
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with workspace(path) as drafts:
            draft = drafts / NAME
            draft.write_text(text, encoding="utf-8")
            return publish_first(draft, path)
    except UnwritableOutput:
        raise
    except OSError as error:
        raise UnwritableOutput.of(path, error) from None


def read(folder: Path) -> dict:
    """The manifest of a folder.

    Raises:
        InvalidJob: there is none.
    """
    path = folder / NAME
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidJob(f"{path}: is no manifest of a batch; give the folder that fajin batch -o wrote") from None


def job_text(folder: Path) -> str:
    """The job of a folder, for `Job.of_json`.

    Raises:
        InvalidJob: it holds none.
    """
    return json.dumps(read(folder)["job"])


def check_same(manifest: dict, job: Job, work: Work, folder: Path) -> None:
    """Raise InvalidJob where a folder holds results of another job."""
    before = Job.of_json(json.dumps(manifest["job"]))
    different = [name.replace("_", "-") for name in before.different(job)]
    if manifest["scene"]["sha256"] != work.digest:
        different.append("what the scene's files say")
    if manifest["files"] != job.files():
        different.append("what its table, initial state or controls say")
    if manifest["versions"]["fajin"] != _version("fajin"):
        different.append(f"fajin {manifest['versions']['fajin']}")
    if different:
        raise InvalidJob(
            f"{folder}: holds another job, which differs in {', '.join(different)}; give another folder, or what it had"
        )


def _files(scene: str) -> dict[str, str]:
    """{path: SHA-256} of what a scene is made of."""
    if Path(scene).suffix == ".npz":
        return {scene: hashlib.sha256(Path(scene).read_bytes()).hexdigest()}
    from ..usd.used import used_files

    return used_files(scene)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
