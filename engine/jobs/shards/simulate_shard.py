"""Simulation of some worlds of a job from start to end: metrics, trajectories and failures."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ... import device as devices
from ...selection import short_names
from ...simulation import Simulation
from ...simulation.snapshot import Part
from ...simulation.statistics import Statistics
from ..description import control_sequences
from ..description.prepared_job import PreparedJob
from ..description.sweep import apply
from ..metrics.named_metrics import METRICS, MetricInputs, link_columns
from ..metrics.user_metric import UserMetric
from ..rollout.nonfinite import Failure, NonFiniteMonitor, replay_nonfinite
from ..rollout.rollout import PeriodicCallback, StopCondition, run_rollout
from ..rollout.trajectories import Trajectories

BEGIN = Part.ALL & ~(Part.PARAMETERS | Part.CLOCK)
"""Parts of a snapshot that set the initial state."""

SHORT = 2e6
"""Steps of links per worker that take 1 to 3 s in worlds that run one by one.

A kernel for packs takes longer to compile than it saves then, and one for a single world is there after `simulate`.
"""

DONE, STOPPED, NON_FINITE = "done", "stopped", "non-finite"


@dataclass
class ShardResult:
    """Results of some worlds of a job."""

    columns: dict[str, np.ndarray]  # one value per world
    failures: list[Failure] = field(default_factory=list)
    trajectories: Trajectories | None = None
    device: str = ""
    stepping: float = 0.0  # seconds in launches, without compiling


def make_simulation(work: PreparedJob, worlds: np.ndarray) -> Simulation:
    """Return a simulation of these worlds of the job at their start, with their parameters.

    The device of `auto` is that of a whole shard: it does not depend on how many worlds are simulated again.
    """
    name, given = work.device, (work.precision, work.threads)
    if name == "auto":
        name = devices.start(name, *given, min(work.shard or work.worlds, work.worlds), work.model).name
    device = devices.start(name, *given, len(worlds), work.model)
    short = device.packed and work.worlds * work.steps * len(work.model.link) <= SHORT * device.workers
    device = devices.one_by_one(device) if short else device
    sim = Simulation(work.model, len(worlds), device, *given, contact_slots=work.contact_slots, copies=not short)
    if work.initial is not None:
        sim.load(work.initial if work.initial.worlds == 1 else work.initial[worlds], parts=BEGIN)
    columns = work.sweep.columns(worlds)
    if columns:
        apply(sim, columns)
    return sim


@dataclass
class Observers:
    """Observers of a running simulation: statistics, user metrics, stop condition, trajectories, monitor."""

    statistics: Statistics
    probes: list[UserMetric]
    stop: StopCondition | None
    kept: Trajectories | None
    watch: NonFiniteMonitor | None  # for worlds that cannot be simulated again

    @classmethod
    def of(cls, work: PreparedJob, sim: Simulation, worlds: np.ndarray) -> "Observers":
        """Create the observers of a job."""
        statistics = Statistics(
            sim, np.full(len(worlds), work.steps) if work.end_steps is None else work.end_steps[worlds]
        )
        probes = [UserMetric(look, name) for name, look in work.probes]
        stop = StopCondition(sim, statistics, work.stop) if work.stop else None
        state = sim._synced_state()
        needs_results = bool(probes or stop or work.policy)  # which only functions of the user do
        state.features = replace(state.features, results=needs_results or state.device.single)  # or share a kernel
        return cls(
            statistics,
            probes,
            stop,
            Trajectories.of(work.record, sim, worlds),
            NonFiniteMonitor(sim, statistics, worlds) if work.policy else None,
        )

    def calls(self, work: PreparedJob, sim: Simulation) -> list[PeriodicCallback]:
        """Return the callbacks of the observers."""
        found = [
            PeriodicCallback(lambda probe=probe: probe(sim, self.statistics.ended == sim.steps), work.every, late=True)
            for probe in self.probes
        ]
        if self.kept and work.record:
            found += [PeriodicCallback(self.kept.take, work.record.every, late=late) for late in (False, True)]
        return found + [PeriodicCallback(call, work.every, late=True) for call in (self.stop, self.watch) if call]


def simulate_worlds(
    work: PreparedJob, worlds: np.ndarray, halt: Callable[[int], None] = lambda done: None
) -> ShardResult:
    """Simulate worlds of a job until each ends.

    Args:
        work: the job.
        worlds: ascending indices of worlds.
        halt: called after every launch with the number of finished steps; an exception ends the simulation.
    """
    sim = make_simulation(work, worlds)
    seen = Observers.of(work, sim, worlds)
    calls = [*seen.calls(work, sim), *control_sequences.apply_controls(sim, worlds, work.events, work.rows)]
    if work.policy:
        calls.append(PeriodicCallback(partial(work.policy, sim), work.every))
    sim.step(0)  # compile first, so that the reported seconds exclude compiling
    steps = work.steps if work.end_steps is None else int(work.end_steps[worlds].max())
    seconds = run_rollout(sim, steps, calls, halt, lambda: seen.statistics.finished(sim.steps))
    broken = seen.statistics.nonfinite(sim.steps)
    rows = metric_columns(work, sim, seen.statistics)
    if seen.watch:
        failures = seen.watch.failures(broken)
    else:
        failures, again = _again(work, worlds[broken], seen.statistics.ended[broken])
        for name, values in again.items():  # other articulations of a failed world continued
            rows[name][broken] = values
    columns = {"world": worlds, **work.sweep.columns(worlds), "seconds": seen.statistics.ended * sim.dt}
    columns |= _ends(len(worlds), seen.stop, broken, failures) | rows
    for probe in seen.probes:
        columns |= probe.columns()
    seen.statistics.stop()
    return ShardResult(columns, failures, seen.kept, sim.device, seconds)


def _ends(count: int, stop: StopCondition | None, broken: np.ndarray, failures: list[Failure]) -> dict[str, np.ndarray]:
    """Return how each world ended, and the first non-finite name of failed worlds."""
    end, bad = np.full(count, DONE, object), np.full(count, "", object)
    if stop:
        end[stop.stopped] = STOPPED
    end[broken] = NON_FINITE
    bad[broken] = [failure.dof for failure in failures]
    return {"end": end, "bad_dof": bad}


def metric_columns(work: PreparedJob, sim: Simulation, statistics: Statistics) -> dict[str, np.ndarray]:
    """Return the selected metrics, and the final state of every degree of freedom."""
    counted = MetricInputs.of(sim, statistics)
    values = {name: METRICS[name].of(counted) for name in work.metrics if name in METRICS}
    values |= {"final_q": counted["LAST_Q"], "final_qd": counted["LAST_QD"]}
    number = np.dtype(f"f{int(work.precision[1:]) // 8}")
    dofs = short_names(sim.dof)
    found = {f"{dof}:{name}": rows[:, i] for name, rows in values.items() for i, dof in enumerate(dofs)}
    found |= link_columns(sim, counted, work.metrics)
    return {name: column.astype(number) for name, column in found.items()}


def _again(work: PreparedJob, worlds: np.ndarray, ended: np.ndarray) -> tuple[list[Failure], dict]:
    """Simulate failed worlds again; return their failures, in order, and their metrics up to the failure."""
    if not len(worlds):
        return [], {}
    sim = make_simulation(work, worlds)
    statistics = Statistics(sim, ended)
    failures = replay_nonfinite(
        sim, worlds, ended, control_sequences.apply_controls(sim, worlds, work.events, work.rows)
    )
    return failures, metric_columns(work, sim, statistics)
