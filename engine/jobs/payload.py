"""A job that travels: out go the compiled model and all that the job names, back come the files of its shards.

The other machine needs fajin, and neither USD nor any file of the job; the two share no disk.
"""

import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from . import InvalidJob
from .job import FILES, IN_SCENE, Job, prepare
from .shard import METRICS_FOLDER, run_shard, write_atomically

MODEL, CODE, PREFIX = "model.npz", "code", "fajin-parcel-"
MATCHED_PACKAGES = ("fajin", "taichi", "numpy")
"""What must be of the same version here and there, or bits would differ."""

BUILT_IN = dict.fromkeys(IN_SCENE) | {"set": (), "drive": ()}
"""What a job whose scene is a compiled model says instead."""


@dataclass(frozen=True)
class JobPayload:
    """A job and the contents of all files that it names, by their relative paths."""

    job: str
    files: tuple[tuple[str, bytes], ...]
    versions: tuple[str, ...]

    @classmethod
    def of(cls, job: Job) -> "JobPayload":
        """The parcel of a job.

        Raises:
            InvalidScene, InvalidJob: something the job names is wrong.
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
        """Put the files in a folder; return the job that names them there.

        Raises:
            InvalidJob: packages here are not those of where the parcel comes from.
        """
        if self.versions != versions():
            there, here = ", ".join(self.versions), ", ".join(versions())
            raise InvalidJob(f"a worker has {here}, the job comes from {there}; install the same packages everywhere")
        for name, content in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        job = Job.of_json(self.job)
        return replace(job, **{name: str(folder / getattr(job, name)) for name in FILES if getattr(job, name)})


def versions() -> tuple[str, ...]:
    """Names and versions of what must be the same everywhere."""
    return tuple(f"{name} {version(name)}" for name in MATCHED_PACKAGES)


def _own_modules() -> Iterator[tuple[str, bytes]]:
    """Path and content of every module that was imported from the current folder: the user's functions, and theirs."""
    here = Path.cwd()
    for name, module in list(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "/")
        own = name.partition(".")[0] not in ("fajin", "__main__") and "site-packages" not in file.parts
        if own and file.suffix == ".py" and file.is_relative_to(here):
            yield file.relative_to(here).as_posix(), file.read_bytes()


_alone = threading.Lock()  # Taichi is one a process; clusters run several tasks in the threads of one


def run_payload(parcel: JobPayload, i: int, threads: int = 0, halt=lambda done: None) -> dict[str, bytes]:
    """Do shard i of a parcel, on the worker of a cluster; return its files by their paths below a job's folder.

    Args:
        parcel: the job.
        i: number of the shard.
        threads: CPU threads where the job does not say.
        halt: as of `run_shard`.
    """
    with _alone, tempfile.TemporaryDirectory() as name:
        folder, (_, job) = Path(name), _opened(parcel)
        run_shard(replace(job, threads=job.threads or threads), i, folder, halt)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@lru_cache(maxsize=1)
def _opened(parcel: JobPayload) -> tuple[tempfile.TemporaryDirectory, Job]:
    """The unpacked parcel of the job that is being worked on; its folder goes when the next job comes."""
    folder = tempfile.TemporaryDirectory(prefix=PREFIX)
    job = parcel.unpack(Path(folder.name))
    for name, module in list(sys.modules.items()):  # of the job before, whose modules may be called the same
        if PREFIX in (getattr(module, "__file__", None) or ""):
            del sys.modules[name]
    sys.path[:] = [str(Path(folder.name) / CODE), *(path for path in sys.path if PREFIX not in path)]
    return folder, job


def write_outputs(files: dict[str, bytes], folder: Path) -> None:
    """Put the files of a shard in the folder of its job, each output whole or not at all, the table of metrics last.

    Raises:
        OutputError: the disk is full, or the folder takes no files.
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
