"""A job that is sent to other machines: the compiled model and all input files, and the files of its shards back.

A worker needs fajin, but neither USD nor any input file of the job; no disk is shared.
"""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from .. import InvalidJob
from ..description.job import FILES, IN_SCENE, Job
from ..description.prepared_job import prepare
from ..shards.shard import METRICS_FOLDER, run_shard, write_atomically

MODEL, CODE, PREFIX = "model.npz", "code", "fajin-payload-"
MATCHED_PACKAGES = ("fajin", "taichi", "numpy")
"""Packages that must have equal versions on all machines, or bits would differ."""

BUILT_IN = dict.fromkeys(IN_SCENE) | {"set": (), "drive": (), "contacts": True}
"""Field values of a job whose scene is a compiled model."""


@dataclass(frozen=True)
class JobPayload:
    """A job and the contents of its input files, by relative path."""

    job: str
    files: tuple[tuple[str, bytes], ...]
    versions: tuple[str, ...]

    @classmethod
    def of(cls, job: Job) -> "JobPayload":
        """Return the payload of a job.

        Raises:
            InvalidScene, InvalidJob: an input of the job is invalid.
        """
        named = {name: Path(getattr(job, name)) for name in FILES[1:] if getattr(job, name)}
        files = {f"{name}{path.suffix}": path.read_bytes() for name, path in named.items()}
        with tempfile.TemporaryDirectory() as folder:
            prepare(job).model.write(Path(folder) / MODEL)
            files[MODEL] = (Path(folder) / MODEL).read_bytes()
        if job.functions:
            files |= {f"{CODE}/{name}": content for name, content in _own_modules()}
        places = {"scene": MODEL, **{name: f"{name}{path.suffix}" for name, path in named.items()}}
        return cls(replace(job, **places, **BUILT_IN).as_json(), tuple(files.items()), versions())

    def unpack(self, folder: Path) -> Job:
        """Write the files to a folder; return the job with paths in that folder.

        Raises:
            InvalidJob: package versions differ from those of the sender.
        """
        if self.versions != versions():
            there, here = ", ".join(self.versions), ", ".join(versions())
            raise InvalidJob(f"a worker has {here}; must have {there}, as the sender; install equal versions")
        for name, content in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        job = Job.of_json(self.job)
        return replace(job, **{name: str(folder / getattr(job, name)) for name in FILES if getattr(job, name)})


def versions() -> tuple[str, ...]:
    """Return names and versions of the packages that must be equal everywhere."""
    return tuple(f"{name} {version(name)}" for name in MATCHED_PACKAGES)


def _own_modules() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each module imported from the current folder: user functions and their imports."""
    here = Path.cwd()
    for name, module in list(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "/")
        own = name.partition(".")[0] not in ("fajin", "__main__") and "site-packages" not in file.parts
        if own and file.suffix == ".py" and file.is_relative_to(here):
            yield file.relative_to(here).as_posix(), file.read_bytes()


_alone = threading.Lock()  # one Taichi runtime per process, but clusters run several tasks in threads of one process


def run_payload(
    payload: JobPayload, i: int, threads: int = 0, halt: Callable[[int], None] = lambda done: None
) -> dict[str, bytes]:
    """Run shard i of a payload on a cluster worker; return its files by path relative to the job's folder.

    Args:
        payload: the job.
        i: number of the shard.
        threads: number of CPU threads if the job sets none.
        halt: as of `run_shard`.
    """
    with _alone, tempfile.TemporaryDirectory() as name:
        folder, (_, job) = Path(name), _opened(payload)
        run_shard(replace(job, threads=job.threads or threads), i, folder, halt)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@lru_cache(maxsize=1)
def _opened(payload: JobPayload) -> tuple[tempfile.TemporaryDirectory, Job]:
    """Return the unpacked payload of the present job; its folder is removed when the next job arrives."""
    folder = tempfile.TemporaryDirectory(prefix=PREFIX)
    job = payload.unpack(Path(folder.name))
    for name, module in list(sys.modules.items()):  # modules of the previous job may have equal names
        if PREFIX in (getattr(module, "__file__", None) or ""):
            del sys.modules[name]
    sys.path[:] = [str(Path(folder.name) / CODE), *(path for path in sys.path if PREFIX not in path)]
    return folder, job


def write_outputs(files: dict[str, bytes], folder: Path) -> None:
    """Write the files of a shard to the folder of its job, each output atomically, the table of metrics last.

    Raises:
        OutputError: the disk is full, or the folder is not writable.
    """
    outputs: dict[PurePosixPath, dict[PurePosixPath, bytes]] = {}
    for name, content in files.items():
        path = PurePosixPath(name)
        output = PurePosixPath(*path.parts[:2])  # a table, a log, or a folder of many files
        outputs.setdefault(output, {})[path.relative_to(output)] = content
    for output in sorted(outputs, key=lambda output: output.parts[0] == METRICS_FOLDER):
        write_atomically(folder / output, lambda draft, parts=outputs[output]: _write(parts, draft))


def _write(parts: dict[PurePosixPath, bytes], draft: Path) -> None:
    for part, content in parts.items():
        (draft / part).parent.mkdir(parents=True, exist_ok=True)
        (draft / part).write_bytes(content)
