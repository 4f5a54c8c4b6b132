"""Jobs with their files read and checked: the scene with overrides, the sweep, the controls and the initial state."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...model import Model
from ...model.model import compile
from ...scene import InvalidScene, Scene, nothing_moves, overrides
from ...scene.serialization import to_json
from ...scene_file import SceneRequest
from ...simulation import Simulation
from ...simulation.control_events import Control, ControlTarget
from ...simulation.snapshot import Snapshot
from .. import InvalidJob
from ..metrics import named_metrics, user_metric
from . import control_sequences
from .angles import to_radians
from .distributions import Distribution
from .job import Job, Record
from .posterior import WORD, posterior_of
from .sweep import Sweep, check_worlds, parse_terms, values_of
from .table import read_table


@dataclass(frozen=True, eq=False)
class PreparedJob:
    """A job with all its files read and checked, as a shard needs it."""

    model: Model
    sweep: Sweep
    worlds: int
    steps: int
    shard: int = 0  # number of worlds that are simulated at once; 0: all
    metrics: tuple[str, ...] = ()
    probes: tuple[tuple[str, Callable[[Simulation], Any]], ...] = ()  # (name, function)
    policy: Callable[[Simulation], None] | None = None
    stop: Callable[[Simulation], ArrayLike] | None = None
    every: int = 1
    end_steps: np.ndarray | None = None  # (W,) steps after which a world ends
    initial: Snapshot | None = None
    events: tuple[Control, ...] = ()
    rows: tuple[control_sequences.Rows, ...] = ()
    record: Record | None = None
    device: str = "auto"
    precision: str = "f32"
    threads: int = 0
    contact_slots: int | None = None
    files: dict[str, str] = field(default_factory=dict)  # {path: SHA-256} of the scene's files

    def __post_init__(self):
        if not self.scene.articulations:
            raise nothing_moves(self.scene.source)

    @property
    def scene(self) -> Scene:
        """Scene to simulate."""
        return self.model.scene

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole scene, independent of file names."""
        return hashlib.sha256(to_json(replace(self.scene, source="", reports=())).encode()).hexdigest()


def apply_overrides(scene: Scene, job: Job) -> Scene:
    """Return a scene with the job's overrides of its values."""
    scene = overrides.with_settings(
        scene, job.dt, job.solver, job.position_iterations, job.velocity_iterations, job.drive
    )
    return scene if job.contacts else overrides.without_contacts(scene)


@dataclass(frozen=True)
class ColumnNames:
    """Names of the columns of a scene, available without a simulation."""

    dof: tuple[str, ...]
    link: tuple[str, ...]
    articulation: tuple[str, ...]
    maximal_dof: tuple[str, ...] = ()
    actuator: tuple[str, ...] = ()
    pair_kind: tuple[str, ...] = ()
    bound_point: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Model) -> "ColumnNames":
        """Return the names of a model's columns in the order of a simulation."""
        roots = tuple(articulation.path for articulation in model.scene.articulations)
        links, drives = tuple(filter(None, model.link)), (model.maximal_dof, model.actuator)
        return cls(model.dof, links, roots, *drives, model.pair_kind, model.bound_point)


_prepared: list[tuple[Job, PreparedJob]] = []


def prepare(job: Job, reader: SceneRequest | None = None) -> PreparedJob:
    """Read and check all inputs of a job; the last prepared job is cached.

    Args:
        job: the job.
        reader: the scene, if a process reads it already.

    Raises:
        InvalidScene, InvalidJob: the first error, in one line.
    """
    if not _prepared or _prepared[0][0] != job:
        scene, files = (reader or SceneRequest(job.scene, job.set, files=True)).take()
        _prepared[:] = [(job, replace(_work(job, apply_overrides(scene, job)), files=files))]
    return _prepared[0][1]


def _work(job: Job, scene: Scene) -> PreparedJob:
    if job.seconds is not None and not 0.0 <= job.seconds < inf:
        raise InvalidJob(f"--seconds {job.seconds}: must be finite and not negative")
    model = compile(scene)
    names = ColumnNames.of(model)
    sweep = _sweep(job, scene, names)
    check_worlds(job.worlds, sweep)
    counted, own = named_metrics.choose_metrics(job.metrics)
    steps = round((scene.duration if job.seconds is None else job.seconds) / scene.dt)
    events, rows = _controls(job, scene, ControlTarget(names.dof, names.link, scene.dt, steps))
    return PreparedJob(
        model=model,
        sweep=sweep,
        worlds=job.worlds,
        steps=steps,
        shard=job.shard,
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
        contact_slots=job.contact_slots,
    )


def _sweep(job: Job, scene: Scene, names: ColumnNames) -> Sweep:
    """Return the values of the worlds, in radians."""
    grid = parse_terms(job.grid, "--grid", values_of)
    random = parse_terms([text for text in job.random if text != WORD], "--random", Distribution.parse)
    return Sweep(
        names,
        read_table(Path(job.table)) if job.table else {},
        to_radians(grid, names) if job.degrees else grid,
        to_radians(random, names) if job.degrees else random,
        job.seed,
        posterior_of(scene, names) if WORD in job.random else None,
    )


def _controls(
    job: Job, scene: Scene, target: ControlTarget
) -> tuple[tuple[Control, ...], tuple[control_sequences.Rows, ...]]:
    """Return the events and the rows of a job's controls."""
    if not job.controls:
        return (), ()
    events, rows = control_sequences.read_control_file(Path(job.controls), target, job.worlds)
    sampled = {signal.parameter for signal in scene.signals} & {row.quantity for row in rows}
    if sampled:
        raise InvalidJob(
            f"{job.controls}, {min(sampled)}: must not follow time samples of the scene; remove one of both"
        )
    return events, rows


def read_initial(path: Path, worlds: int, model: Model) -> Snapshot:
    """Return the initial state of the worlds.

    Raises:
        InvalidScene, InvalidJob: the file is missing, or belongs to another scene or number of worlds.
    """
    if not path.is_file():
        raise InvalidScene(file=path, rule="an existing file", fix="pass a file written by Snapshot.write")
    snapshot = Snapshot.read(path)
    if snapshot.model != model.fingerprint:
        raise InvalidJob(
            f"{path}: must be a snapshot of {model.scene.source}, not of {', '.join(snapshot.dof)}; save a new one"
        )
    if snapshot.worlds not in (1, worlds):
        raise InvalidJob(f"{path}: has {snapshot.worlds} worlds; must be 1 or {worlds}, the value of --worlds")
    return snapshot
