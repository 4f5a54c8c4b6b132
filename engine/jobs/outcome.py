"""Some worlds of a job from beginning to end: a row of numbers a world, trajectories where asked, and what broke."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..simulation import Simulation
from ..snapshot import Part
from ..tally import Tally
from . import controls
from .health import Failure, first_bad, replay
from .job import Work
from .metrics import METRICS, Counted
from .probe import Probe
from .rollout import Call, Stop, roll
from .setting import short
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
    stepping: float = 0.0  # seconds in launches


def set_up(work: Work, worlds: np.ndarray) -> Simulation:
    """A simulation of these worlds of the job at their start, each with its parameters."""
    sim = Simulation(work.model, len(worlds), work.device, work.precision, work.threads)
    if work.initial is not None:
        sim.load(work.initial if work.initial.worlds == 1 else work.initial[worlds], parts=BEGIN)
    columns = work.sweep.columns(worlds)
    if columns:
        apply(sim, columns)
    return sim


def simulate(work: Work, worlds: np.ndarray, halt: Callable[[int], None] = lambda done: None) -> Outcome:
    """Simulate these worlds of a job, indices in ascending order, to the end of each.

    Args:
        work: the job.
        worlds: indices of worlds.
        halt: told after every launch how many steps are done; what it raises ends it.
    """
    sim = set_up(work, worlds)
    lasts = np.full(len(worlds), work.steps) if work.lasts is None else work.lasts[worlds]
    tally = Tally(sim, lasts)
    steps = int(lasts.max(initial=0))
    going = lambda: tally.ended == sim.steps  # noqa: E731
    probes = [Probe(look, name) for name, look in work.probes]
    calls = [Call(lambda probe=probe: probe(sim, going()), work.every, late=True) for probe in probes]
    stop = Stop(sim, tally, work.stop) if work.stop else None
    kept = Trajectories.of(work, sim, worlds)
    calls += [Call(kept.take, work.record.every), Call(kept.take, work.record.every, late=True)] if kept else []
    calls += [Call(stop, work.every, late=True)] if stop else []
    calls += controls.calls(sim, worlds, work.events, work.rows)
    calls += [Call(lambda: work.policy(sim), work.every)] if work.policy else []
    seconds = roll(sim, steps, calls, halt, lambda: tally.over(sim.steps))
    stopped = stop.stopped if stop else np.zeros(len(worlds), bool)
    broken = np.flatnonzero(~stopped & (tally.ended < lasts))
    end = np.full(len(worlds), DONE, object)
    end[stopped], end[broken] = STOPPED, NON_FINITE
    rows = numbers(work, sim, tally)
    failures, again = _failures(work, sim, worlds[broken], tally.ended[broken])
    for name, values in again.items():  # other articulations of a broken world went on
        rows[name][broken] = values
    bad = np.full(len(worlds), "", object)
    bad[broken] = [failure.dof for failure in failures]
    columns = {
        "world": worlds,
        **work.sweep.columns(worlds),
        "seconds": tally.ended * sim.dt,
        "end": end,
        "bad_dof": bad,
    }
    for more in (rows, *(probe.columns() for probe in probes)):
        columns |= more
    tally.stop()
    return Outcome(columns, failures, kept, sim.device, seconds)


def numbers(work: Work, sim: Simulation, tally: Tally) -> dict[str, np.ndarray]:
    """The metrics that are asked for, and the final state, of every degree of freedom."""
    counted = Counted.of(sim, tally)
    values = {name: METRICS[name].of(counted) for name in work.metrics}
    values |= {"q": counted["LAST_Q"], "qd": counted["LAST_QD"]}
    dofs, number = [short(sim.dof, i) for i in range(len(sim.dof))], np.dtype(f"f{int(work.precision[1:]) // 8}")
    return {f"{name}:{dof}": rows[:, i].astype(number) for name, rows in values.items() for i, dof in enumerate(dofs)}


def _failures(work: Work, sim: Simulation, worlds: np.ndarray, ended: np.ndarray) -> tuple[list[Failure], dict]:
    """What broke, of every world that left the finite numbers, in their order; and their numbers up to there."""
    if not len(worlds):
        return [], {}
    if work.policy:  # what it did is not known any more
        dof = first_bad(sim)
        return [Failure(int(world), int(step) + 1, dof) for world, step in zip(worlds, ended, strict=True)], {}
    again = set_up(work, worlds)
    tally = Tally(again, ended)
    failures = replay(again, worlds, ended, controls.calls(again, worlds, work.events, work.rows))
    return failures, numbers(work, again, tally)
