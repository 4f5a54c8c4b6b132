"""A job as it is written down: everything that its results follow from, in plain values that travel as JSON."""

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from math import inf
from pathlib import Path

import numpy as np

from ..load import read
from ..model import Model
from ..model.compilation import compile
from ..scene import InvalidScene, Scene, overrides
from ..scene.serialization import to_json
from ..simulation.snapshot import Snapshot, fingerprint
from . import InvalidJob, control_sequences, metrics, user_metric
from .background_reader import BackgroundReader
from .distributions import Distribution
from .sweep import Sweep, check_worlds, parse_terms, values_of
from .table import read_table

FILES = ("scene", "table", "initial", "controls")
"""Fields of a job that are paths."""
IN_SCENE = ("set", "drive", "dt", "solver", "position_iterations", "velocity_iterations")
"""Fields of a job that take the place of a scene's values: a compiled model has them built in."""


@dataclass(frozen=True)
class Record:
    """Which worlds' trajectories are kept: first to before last, every so many steps."""

    first: int
    last: int
    every: int


@dataclass(frozen=True)
class Job:
    """A scene in many worlds for so many steps. Files are paths; `shard` is worlds of one unit of work."""

    scene: str
    worlds: int
    seconds: float | None  # None for the scene's duration
    shard: int
    set: tuple[str, ...] = ()
    drive: tuple[str, ...] = ()
    dt: float | None = None
    solver: str | None = None
    position_iterations: int | None = None
    velocity_iterations: int | None = None
    device: str = "auto"
    precision: str | None = None  # None for the scene's
    threads: int = 0
    grid: tuple[str, ...] = ()
    random: tuple[str, ...] = ()
    table: str | None = None
    seed: int = 0
    initial: str | None = None
    controls: str | None = None
    metrics: tuple[str, ...] = ("all",)
    policy: str | None = None
    stop: str | None = None
    every: int = 1  # steps between calls of policy, stop and metrics of the user's own
    record: Record | None = None

    @property
    def shards(self) -> int:
        """How many units of work there are."""
        return -(-self.worlds // self.shard)

    def worlds_of(self, i: int) -> np.ndarray:
        """Indices of the worlds of shard i."""
        return np.arange(i * self.shard, min(self.worlds, (i + 1) * self.shard))

    @property
    def functions(self) -> tuple[tuple[str, str], ...]:
        """(option, "module:function") of the user's own code."""
        own = [("policy", self.policy), ("stop", self.stop), *(("metrics", text) for text in self.metrics)]
        return tuple((option, text) for option, text in own if text and (option != "metrics" or ":" in text))

    def as_json(self) -> str:
        """The job as text, from which `of_json` makes it again."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> "Job":
        """The job that `as_json` wrote."""
        said = json.loads(text)
        record = said.pop("record")
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
        return cls(**values, record=Record(**record) if record else None)

    def files(self) -> dict[str, str]:
        """{field: SHA-256} of the files it reads besides the scene."""
        paths = {name: getattr(self, name) for name in FILES[1:]}
        return {name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for name, path in paths.items() if path}

    def diff(self, other: "Job") -> list[str]:
        """Names of what is not as in another job, but for where its files lie, and for what changes no result."""
        names = (field.name for field in fields(self) if field.name not in (*FILES, "threads"))
        return [name for name in names if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True, eq=False)
class PreparedJob:
    """A job with everything read and checked: what a shard needs."""

    model: Model
    sweep: Sweep
    worlds: int
    steps: int
    metrics: tuple[str, ...] = ()
    probes: tuple[tuple[str, object], ...] = ()  # (name, function)
    policy: object = None
    stop: object = None
    every: int = 1
    end_steps: np.ndarray | None = None  # (W,) steps after which a world ends
    initial: Snapshot | None = None
    events: tuple = ()
    rows: tuple = ()
    record: Record | None = None
    device: str = "auto"
    precision: str = "f32"
    threads: int = 0
    files: dict[str, str] | None = None  # {path: SHA-256} of what the scene is made of, where that is known

    @property
    def scene(self) -> Scene:
        """What is simulated."""
        return self.model.scene

    @cached_property
    def digest(self) -> str:
        """What tells scenes apart, whatever their files are called: SHA-256 of all that was read."""
        return hashlib.sha256(to_json(replace(self.scene, source="", reports=())).encode()).hexdigest()


def read_scene(job: Job) -> Scene:
    """The scene of a job, with what the job puts in place of the file's values."""
    return apply_overrides(read(job.scene, job.set), job)


def apply_overrides(scene: Scene, job: Job) -> Scene:
    """A scene as it was read, with what a job puts in place of its values."""
    scene = overrides.with_dt(scene, scene.dt if job.dt is None else job.dt)
    scene = overrides.with_solver(scene, job.solver) if job.solver else scene
    scene = overrides.with_iterations(scene, job.position_iterations, job.velocity_iterations)
    for text in job.drive:
        scene = overrides.with_drive(scene, text)
    return scene


@dataclass(frozen=True)
class ColumnNames:
    """What the columns of a scene are called, before any simulation of it."""

    dof: tuple[str, ...]
    link: tuple[str, ...]
    articulation: tuple[str, ...]
    maximal_dof: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Model) -> "ColumnNames":
        """The names of a model's columns, in the order of a simulation's."""
        roots = tuple(articulation.path for articulation in model.scene.articulations)
        return cls(model.dof, tuple(filter(None, model.link)), roots, model.maximal_dof)


_prepared: list[tuple[Job, PreparedJob]] = []


def prepare(job: Job, reader: BackgroundReader | None = None) -> PreparedJob:
    """Read and check everything that a job names; the last one is kept.

    Args:
        job: the job.
        reader: hands over its scene, where another process reads it.

    Raises:
        InvalidScene, InvalidJob: the first thing that is wrong, in one line.
    """
    if not _prepared or _prepared[0][0] != job:
        scene, files = reader.take() if reader else (read(job.scene, job.set), None)
        _prepared[:] = [(job, replace(_work(job, apply_overrides(scene, job)), files=files))]
    return _prepared[0][1]


def _work(job: Job, scene: Scene) -> PreparedJob:
    if job.seconds is not None and not 0.0 <= job.seconds < inf:
        raise InvalidJob(f"--seconds {job.seconds}: must be finite and not negative")
    model = compile(scene)
    names = ColumnNames.of(model)
    sweep = Sweep(
        names,
        read_table(Path(job.table)) if job.table else {},
        parse_terms(job.grid, "--grid", values_of),
        parse_terms(job.random, "--random", Distribution.parse),
        job.seed,
    )
    check_worlds(job.worlds, sweep)
    counted, own = metrics.chosen(job.metrics)
    events, rows = (
        control_sequences.read_control_file(Path(job.controls), names.dof, job.worlds) if job.controls else ((), ())
    )
    return PreparedJob(
        model=model,
        sweep=sweep,
        worlds=job.worlds,
        steps=round((scene.duration if job.seconds is None else job.seconds) / scene.dt),
        metrics=counted,
        probes=tuple((text.partition(":")[2], user_metric.import_function(text, "--metrics")) for text in own),
        policy=user_metric.import_function(job.policy, "--policy") if job.policy else None,
        stop=user_metric.import_function(job.stop, "--stop") if job.stop else None,
        every=job.every,
        initial=read_initial(Path(job.initial), job.worlds, model) if job.initial else None,
        events=events,
        rows=rows,
        record=job.record,
        device=job.device,
        precision=job.precision or scene.precision,
        threads=job.threads,
    )


def read_initial(path: Path, worlds: int, model: Model) -> Snapshot:
    """The state in which the worlds begin.

    Raises:
        InvalidScene, InvalidJob: there is no such file, or it is of another scene or number of worlds.
    """
    if not path.is_file():
        raise InvalidScene(f"{path}: there is no such file; give what Snapshot.write wrote")
    snapshot = Snapshot.read(path)
    if snapshot.model != fingerprint(model):
        raise InvalidJob(f"{path}: is of another scene: {', '.join(snapshot.dof)}; save one of {model.scene.source}")
    if snapshot.worlds not in (1, worlds):
        raise InvalidJob(f"{path}: has {snapshot.worlds} worlds; must be 1 or {worlds}, as --worlds says")
    return snapshot
