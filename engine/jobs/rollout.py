"""One launch after the other: a simulation from its first step to its last, and who is called in between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..simulation.statistics import Statistics
from ..simulation.stream import LAUNCH_WORK


@dataclass(frozen=True)
class PeriodicCallback:
    """Something done at every `every`-th step, and at step 0 unless `late`; before the last step only unless `late`."""

    do: Callable[[], None]
    every: int = 1
    late: bool = False  # it looks at what was done, rather than at what will be

    def due(self, step: int, last: int) -> bool:
        """Whether it is done when so many steps are over."""
        return step % self.every == 0 and (step > 0 if self.late else step < last)


@dataclass(frozen=True)
class StepCallback:
    """Something done before one step."""

    do: Callable[[], None]
    step: int

    every = 0
    late = False

    def due(self, step: int, last: int) -> bool:
        """Whether it is done when so many steps are over."""
        return step == self.step and step < last


def run_rollout(
    sim,
    steps: int,
    calls: Sequence[PeriodicCallback | StepCallback],
    halt: Callable[[int], None] = lambda done: None,
    over: Callable[[], bool] = lambda: False,
) -> float:
    """Advance by so many steps; return the seconds that the launches took.

    Args:
        sim: the simulation.
        steps: how many.
        calls: what is done when, in this order; what looks back comes before what looks ahead.
        halt: told after every launch how many steps are done; may raise.
        over: whether every world has ended.
    """
    start, most, spent = sim.steps, max(1, LAUNCH_WORK // sim._synced_state().step_work), 0.0
    while True:
        done = sim.steps - start
        due = [call for call in calls if call.due(done, steps)]
        for call in (call for call in due if call.late):
            call.do()
        halt(done)
        if done == steps or over():
            return spent
        for call in (call for call in due if not call.late):
            call.do()
        stops = [steps, done + most]
        stops += [
            call.step if isinstance(call, StepCallback) else (done // call.every + 1) * call.every for call in calls
        ]
        began = perf_counter()
        sim.step(min(stop for stop in stops if stop > done) - done)
        spent += perf_counter() - began


class StopCondition:
    """Ends worlds of which a function says so."""

    def __init__(self, sim, statistics: Statistics, says: Callable):
        self._sim, self._statistics, self._says = sim, statistics, says
        self.stopped = np.zeros(sim.worlds, bool)

    def __call__(self) -> None:
        """Ask the function, and end the worlds that it names."""
        now = np.asarray(self._says(self._sim)).astype(bool).reshape(self._sim.worlds) & ~self.stopped
        self.stopped |= now
        if now.any():
            self._statistics.end(np.flatnonzero(now))
