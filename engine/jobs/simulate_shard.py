"""Some worlds of a job from beginning to end: a row of numbers a world, trajectories where asked, and what broke."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..simulation import Simulation
from ..simulation.snapshot import Part
from ..simulation.statistics import Statistics
from . import control_sequences
from .job import PreparedJob
from .metrics import METRICS, MetricInputs
from .nonfinite import Failure, NonFiniteMonitor, replay_nonfinite
from .rollout import PeriodicCallback, StopCondition, run_rollout
from .sweep import apply
from .trajectories import Trajectories
from .user_metric import UserMetric

BEGIN = Part.ALL & ~(Part.PARAMETERS | Part.CLOCK)
"""What of a snapshot is the state in which worlds begin."""

DONE, STOPPED, NON_FINITE = "done", "stopped", "non-finite"


@dataclass
class ShardResult:
    """What came out of some worlds."""

    columns: dict[str, np.ndarray]  # a value a world
    failures: list[Failure] = field(default_factory=list)
    trajectories: Trajectories | None = None
    device: str = ""
    stepping: float = 0.0  # seconds in launches, without compiling


def make_simulation(work: PreparedJob, worlds: np.ndarray) -> Simulation:
    """A simulation of these worlds of the job at their start, each with its parameters."""
    sim = Simulation(work.model, len(worlds), work.device, work.precision, work.threads)
    if work.initial is not None:
        sim.load(work.initial if work.initial.worlds == 1 else work.initial[worlds], parts=BEGIN)
    columns = work.sweep.columns(worlds)
    if columns:
        apply(sim, columns)
    return sim


@dataclass
class Observers:
    """Who watches a simulation of some worlds while it runs."""

    statistics: Statistics
    probes: list[UserMetric]
    stop: StopCondition | None
    kept: Trajectories | None
    watch: NonFiniteMonitor | None  # of worlds that cannot be run again

    @classmethod
    def of(cls, work: PreparedJob, sim: Simulation, worlds: np.ndarray) -> "Observers":
        """What a job asks for."""
        statistics = Statistics(
            sim, np.full(len(worlds), work.steps) if work.end_steps is None else work.end_steps[worlds]
        )
        probes = [UserMetric(look, name) for name, look in work.probes]
        stop = StopCondition(sim, statistics, work.stop) if work.stop else None
        state = sim._synced_state()
        state.features = replace(state.features, results=bool(probes or stop or work.policy))  # to nobody else
        return cls(
            statistics,
            probes,
            stop,
            Trajectories.of(work, sim, worlds),
            NonFiniteMonitor(sim, statistics, worlds) if work.policy else None,
        )

    def calls(self, work: PreparedJob, sim: Simulation) -> list[PeriodicCallback]:
        """When each of them looks."""
        found = [
            PeriodicCallback(lambda probe=probe: probe(sim, self.statistics.ended == sim.steps), work.every, late=True)
            for probe in self.probes
        ]
        if self.kept:
            found += [PeriodicCallback(self.kept.take, work.record.every, late=late) for late in (False, True)]
        return found + [PeriodicCallback(call, work.every, late=True) for call in (self.stop, self.watch) if call]


def simulate_worlds(
    work: PreparedJob, worlds: np.ndarray, halt: Callable[[int], None] = lambda done: None
) -> ShardResult:
    """Simulate these worlds of a job, indices in ascending order, to the end of each.

    Args:
        work: the job.
        worlds: indices of worlds.
        halt: told after every launch how many steps are done; what it raises ends it.
    """
    sim = make_simulation(work, worlds)
    seen = Observers.of(work, sim, worlds)
    calls = [*seen.calls(work, sim), *control_sequences.calls(sim, worlds, work.events, work.rows)]
    calls += [PeriodicCallback(lambda: work.policy(sim), work.every)] if work.policy else []
    sim.step(0)  # compiles, so that the seconds told are those of the steps
    steps = work.steps if work.end_steps is None else int(work.end_steps[worlds].max())
    seconds = run_rollout(sim, steps, calls, halt, lambda: seen.statistics.finished(sim.steps))
    broken = seen.statistics.nonfinite(sim.steps)
    rows = metric_columns(work, sim, seen.statistics)
    if seen.watch:
        failures = seen.watch.failures(broken)
    else:
        failures, again = _again(work, worlds[broken], seen.statistics.ended[broken])
        for name, values in again.items():  # other articulations of a broken world went on
            rows[name][broken] = values
    columns = {"world": worlds, **work.sweep.columns(worlds), "seconds": seen.statistics.ended * sim.dt}
    columns |= _ends(len(worlds), seen.stop, broken, failures) | rows
    for probe in seen.probes:
        columns |= probe.columns()
    seen.statistics.stop()
    return ShardResult(columns, failures, seen.kept, sim.device, seconds)


def _ends(count: int, stop: StopCondition | None, broken: np.ndarray, failures: list[Failure]) -> dict[str, np.ndarray]:
    """How each world ended, and what of it was not finite."""
    end, bad = np.full(count, DONE, object), np.full(count, "", object)
    if stop:
        end[stop.stopped] = STOPPED
    end[broken] = NON_FINITE
    bad[broken] = [failure.dof for failure in failures]
    return {"end": end, "bad_dof": bad}


def metric_columns(work: PreparedJob, sim: Simulation, statistics: Statistics) -> dict[str, np.ndarray]:
    """The metrics that are asked for, and the final state, of every degree of freedom."""
    counted = MetricInputs.of(sim, statistics)
    values = {name: METRICS[name].of(counted) for name in work.metrics}
    values |= {"q": counted["LAST_Q"], "qd": counted["LAST_QD"]}
    number = np.dtype(f"f{int(work.precision[1:]) // 8}")
    return {
        f"{name}:{dof}": rows[:, i].astype(number) for name, rows in values.items() for i, dof in enumerate(sim.dof)
    }


def _again(work: PreparedJob, worlds: np.ndarray, ended: np.ndarray) -> tuple[list[Failure], dict]:
    """Run the worlds that broke once more: what broke, in their order, and their numbers up to there."""
    if not len(worlds):
        return [], {}
    sim = make_simulation(work, worlds)
    statistics = Statistics(sim, ended)
    failures = replay_nonfinite(sim, worlds, ended, control_sequences.calls(sim, worlds, work.events, work.rows))
    return failures, metric_columns(work, sim, statistics)
