"""Non-finite worlds: finds the first non-finite number and the states before it by simulating the worlds again.

A world's result is bit-identical in any batch, so only the failed worlds are simulated again, with their last states
recorded. Finite worlds have no extra cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...recording.recorder import Recording, concatenate
from ...simulation import Simulation
from ...simulation.statistics import Statistics
from .rollout import PeriodicCallback, StepCallback, run_rollout

MAX_STATES = 100
"""Maximum number of states recorded per world before it failed."""

MOST = 64
"""Maximum number of worlds whose states are recorded at once."""


@dataclass(frozen=True, eq=False)
class Failure:
    """A world that became non-finite.

    Attributes:
        world: index of the world.
        step: step after which this was detected, counted from 0 at the start.
        dof: name of the degree of freedom, or of the articulation.
        states: the last finite states, one per step; None if unknown.
    """

    world: int
    step: int
    dof: str
    states: Recording | None = None


def replay_nonfinite(
    sim: Simulation, worlds: np.ndarray, ended: np.ndarray, calls: Sequence[PeriodicCallback | StepCallback]
) -> list[Failure]:
    """Simulate failed worlds again and return their failures.

    Args:
        sim: a simulation of these worlds at their start.
        worlds: indices of the worlds in the job.
        ended: last step of each world with finite numbers.
        calls: callbacks of the controls.
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
            pieces[i].append(frame.world(int(i)))
        sim.step()
    return [
        Failure(int(worlds[i]), int(ended[i]) + 1, names[i], concatenate(pieces[i]) if pieces[i] else None)
        for i in range(len(worlds))
    ]


class NonFiniteMonitor:
    """Records the first non-finite number of each world where a policy acts; its actions cannot be replayed."""

    def __init__(self, sim: Simulation, statistics: Statistics, worlds: np.ndarray):
        self._sim, self._statistics, self._worlds = sim, statistics, worlds
        self._names: dict[int, str] = {}

    def __call__(self) -> None:
        """Check for worlds that failed since the last call."""
        for i in self._statistics.nonfinite(self._sim.steps):
            if i not in self._names:
                self._names[int(i)] = first_bad(self._sim, int(i))

    def failures(self, broken: np.ndarray) -> list[Failure]:
        """Return the recorded failures of the given worlds, indexed within this simulation."""
        self()
        ended = self._statistics.ended
        return [Failure(int(self._worlds[i]), int(ended[i]) + 1, self._names[int(i)]) for i in broken]


def first_bad(sim: Simulation, world: int | None = None) -> str:
    """Return the name of the first non-finite degree of freedom, or else articulation; "" if all are finite."""
    for names, numbers in ((sim.dof, ("q", "qd")), (sim.articulation, ("root_pose", "root_velocity"))):
        chosen = None if world is None else [world]
        values = [sim.read(name, worlds=chosen) for name in numbers]
        bad = np.any([~np.isfinite(v).reshape(len(v), len(names), -1).all(2) for v in values], 0)
        if bad.any():
            return names[int(bad.any(0).argmax())]
    return ""
