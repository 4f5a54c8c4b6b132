"""Some worlds of a job from beginning to end: a row of numbers a world, trajectories where asked, and what broke."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..simulation import Simulation
from ..simulation.snapshot import Part
from ..simulation.tally import Tally
from . import controls
from .health import Failure, Watch, replay
from .job import Work
from .metrics import METRICS, Counted
from .probe import Probe
from .rollout import Call, Stop, roll
from .sweep import apply
from .trajectories import Trajectories

BEGIN = Part.ALL & ~(Part.PARAMETERS | Part.CLOCK)
"""What of a snapshot is the state in which worlds begin."""

DONE, STOPPED, NON_FINITE = "done", "stopped", "non-finite"


@dataclass
class Outcome:
    """What came out of some worlds."""

    columns: dict[str, np.ndarray]  # a value a world
    failures: list[Failure] = field(default_factory=list)
    trajectories: Trajectories | None = None
    device: str = ""
    stepping: float = 0.0  # seconds in launches, without compiling


def set_up(work: Work, worlds: np.ndarray) -> Simulation:
    """A simulation of these worlds of the job at their start, each with its parameters."""
    sim = Simulation(work.model, len(worlds), work.device, work.precision, work.threads)
    if work.initial is not None:
        sim.load(work.initial if work.initial.worlds == 1 else work.initial[worlds], parts=BEGIN)
    columns = work.sweep.columns(worlds)
    if columns:
        apply(sim, columns)
    return sim


@dataclass
class Seen:
    """Who watches a simulation of some worlds while it runs."""

    tally: Tally
    probes: list[Probe]
    stop: Stop | None
    kept: Trajectories | None
    watch: Watch | None  # of worlds that cannot be run again

    @classmethod
    def of(cls, work: Work, sim: Simulation, worlds: np.ndarray) -> "Seen":
        """What a job asks for."""
        tally = Tally(sim, np.full(len(worlds), work.steps) if work.lasts is None else work.lasts[worlds])
        probes = [Probe(look, name) for name, look in work.probes]
        stop = Stop(sim, tally, work.stop) if work.stop else None
        state = sim.settled()
        state.parts = replace(state.parts, tells=bool(probes or stop or work.policy))  # to nobody else
        return cls(
            tally, probes, stop, Trajectories.of(work, sim, worlds), Watch(sim, tally, worlds) if work.policy else None
        )

    def calls(self, work: Work, sim: Simulation) -> list[Call]:
        """When each of them looks."""
        found = [
            Call(lambda probe=probe: probe(sim, self.tally.ended == sim.steps), work.every, late=True)
            for probe in self.probes
        ]
        if self.kept:
            found += [Call(self.kept.take, work.record.every, late=late) for late in (False, True)]
        return found + [Call(call, work.every, late=True) for call in (self.stop, self.watch) if call]


def simulate(work: Work, worlds: np.ndarray, halt: Callable[[int], None] = lambda done: None) -> Outcome:
    """Simulate these worlds of a job, indices in ascending order, to the end of each.

    Args:
        work: the job.
        worlds: indices of worlds.
        halt: told after every launch how many steps are done; what it raises ends it.
    """
    sim = set_up(work, worlds)
    seen = Seen.of(work, sim, worlds)
    calls = [*seen.calls(work, sim), *controls.calls(sim, worlds, work.events, work.rows)]
    calls += [Call(lambda: work.policy(sim), work.every)] if work.policy else []
    sim.step(0)  # compiles, so that the seconds told are those of the steps
    steps = work.steps if work.lasts is None else int(work.lasts[worlds].max())
    seconds = roll(sim, steps, calls, halt, lambda: seen.tally.over(sim.steps))
    broken = seen.tally.broken(sim.steps)
    rows = numbers(work, sim, seen.tally)
    if seen.watch:
        failures = seen.watch.failures(broken)
    else:
        failures, again = _again(work, worlds[broken], seen.tally.ended[broken])
        for name, values in again.items():  # other articulations of a broken world went on
            rows[name][broken] = values
    columns = {"world": worlds, **work.sweep.columns(worlds), "seconds": seen.tally.ended * sim.dt}
    columns |= _ends(len(worlds), seen.stop, broken, failures) | rows
    for probe in seen.probes:
        columns |= probe.columns()
    seen.tally.stop()
    return Outcome(columns, failures, seen.kept, sim.device, seconds)


def _ends(count: int, stop: Stop | None, broken: np.ndarray, failures: list[Failure]) -> dict[str, np.ndarray]:
    """How each world ended, and what of it was not finite."""
    end, bad = np.full(count, DONE, object), np.full(count, "", object)
    if stop:
        end[stop.stopped] = STOPPED
    end[broken] = NON_FINITE
    bad[broken] = [failure.dof for failure in failures]
    return {"end": end, "bad_dof": bad}


def numbers(work: Work, sim: Simulation, tally: Tally) -> dict[str, np.ndarray]:
    """The metrics that are asked for, and the final state, of every degree of freedom."""
    counted = Counted.of(sim, tally)
    values = {name: METRICS[name].of(counted) for name in work.metrics}
    values |= {"q": counted["LAST_Q"], "qd": counted["LAST_QD"]}
    number = np.dtype(f"f{int(work.precision[1:]) // 8}")
    return {
        f"{name}:{dof}": rows[:, i].astype(number) for name, rows in values.items() for i, dof in enumerate(sim.dof)
    }


def _again(work: Work, worlds: np.ndarray, ended: np.ndarray) -> tuple[list[Failure], dict]:
    """Run the worlds that broke once more: what broke, in their order, and their numbers up to there."""
    if not len(worlds):
        return [], {}
    sim = set_up(work, worlds)
    tally = Tally(sim, ended)
    failures = replay(sim, worlds, ended, controls.calls(sim, worlds, work.events, work.rows))
    return failures, numbers(work, sim, tally)
