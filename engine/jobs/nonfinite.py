"""Worlds that left the finite numbers: which number did first, and the states before, by running them once more.

A world's result is the same to the bit in any company, so that the worlds that broke are simulated again by themselves
with their last states kept. Those that stay healthy pay nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..recording.recorder import Recording, concatenate
from ..simulation.statistics import Statistics
from .rollout import PeriodicCallback, StepCallback, run_rollout

MAX_STATES = 100
"""States that are kept of a world before it broke."""

MOST = 64
"""Worlds at once of which states are kept."""


@dataclass(frozen=True, eq=False)
class Failure:
    """A world that left the finite numbers.

    Attributes:
        world: its index.
        step: step after which it was seen, counted from 0 at the start.
        dof: name of the degree of freedom, or of the link.
        states: the last finite ones, one a step; None where they are not known.
    """

    world: int
    step: int
    dof: str
    states: Recording | None = None


def replay_nonfinite(
    sim, worlds: np.ndarray, ended: np.ndarray, calls: Sequence[PeriodicCallback | StepCallback]
) -> list[Failure]:
    """Run broken worlds again.

    Args:
        sim: a simulation of these worlds at their start.
        worlds: their indices in the job.
        ended: last step of each with finite numbers.
        calls: what controls them.
    """
    pieces: list[list[Recording]] = [[] for _ in worlds]
    names: dict[int, str] = {}
    start = sim.steps
    run_rollout(sim, max(0, int(ended.min()) + 1 - MAX_STATES), calls)
    while len(names) < len(worlds):
        done = sim.steps - start
        for call in calls:
            if call.due(done, done + 1):
                call.do()
        frame = sim.frame()
        for i in np.flatnonzero(done > ended):
            names.setdefault(int(i), first_bad(sim, int(i)))
        for i in np.flatnonzero((done <= ended) & (done > ended - MAX_STATES))[:MOST]:
            pieces[i].append(frame.world(int(i)) if len(worlds) > 1 else frame)
        sim.step()
    return [
        Failure(int(worlds[i]), int(ended[i]) + 1, names[i], concatenate(pieces[i]) if pieces[i] else None)
        for i in range(len(worlds))
    ]


class NonFiniteMonitor:
    """Names what broke at the next look, where a policy acts: what it did is not known afterwards."""

    def __init__(self, sim, statistics: Statistics, worlds: np.ndarray):
        self._sim, self._statistics, self._worlds = sim, statistics, worlds
        self._names: dict[int, str] = {}

    def __call__(self) -> None:
        """Look at worlds that broke since."""
        for i in self._statistics.nonfinite(self._sim.steps):
            if i not in self._names:
                self._names[int(i)] = first_bad(self._sim, int(i))

    def failures(self, broken: np.ndarray) -> list[Failure]:
        """What is known of the worlds that broke, by their place here."""
        self()
        ended = self._statistics.ended
        return [Failure(int(self._worlds[i]), int(ended[i]) + 1, self._names[int(i)]) for i in broken]


def first_bad(sim, world: int | None = None) -> str:
    """Name of the first degree of freedom, or else root, that is not finite."""
    for names, numbers in ((sim.dof, ("q", "qd")), (sim.articulation, ("root_pose", "root_velocity"))):
        chosen = None if world is None else [world]
        values = [sim.read(name, worlds=chosen) for name in numbers]
        bad = sum(~np.isfinite(v).reshape(len(v), len(names), -1).all(2) for v in values)
        if bad.any():
            return names[int(bad.any(0).argmax())]
    return ""
