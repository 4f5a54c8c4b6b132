"""The loop of a rollout: a simulation from first to last step in launches, with callbacks in between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from ...simulation import Simulation
from ...simulation.statistics import Statistics


@dataclass(frozen=True)
class PeriodicCallback:
    """A callback every `every` steps: from step 0 to before the last; with `late`, from step 1 to the last."""

    do: Callable[[], None]
    every: int = 1
    late: bool = False  # reads results of past steps instead of preparing the next

    def due(self, step: int, last: int) -> bool:
        """Return whether the callback is due after `step` steps."""
        return step % self.every == 0 and (step > 0 if self.late else step < last)


@dataclass(frozen=True)
class StepCallback:
    """A callback before one step."""

    do: Callable[[], None]
    step: int

    every = 0
    late = False

    def due(self, step: int, last: int) -> bool:
        """Return whether the callback is due after `step` steps."""
        return step == self.step and step < last


def run_rollout(
    sim: Simulation,
    steps: int,
    calls: Sequence[PeriodicCallback | StepCallback],
    halt: Callable[[int], None] = lambda done: None,
    over: Callable[[], bool] = lambda: False,
) -> float:
    """Advance by a number of steps; return the seconds spent in launches.

    Args:
        sim: the simulation.
        steps: number of steps.
        calls: callbacks in order; late ones run first.
        halt: called after every launch with the number of finished steps; may raise.
        over: returns whether every world has ended.
    """
    start, spent = sim.steps, 0.0
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
        stops = [steps, done + sim._stepper.length.most]
        stops += [
            call.step if isinstance(call, StepCallback) else (done // call.every + 1) * call.every for call in calls
        ]
        began = perf_counter()
        sim.step(min(stop for stop in stops if stop > done) - done)
        spent += perf_counter() - began


class StopCondition:
    """A callback that ends the worlds for which a function returns True."""

    def __init__(self, sim: Simulation, statistics: Statistics, says: Callable[[Simulation], ArrayLike]):
        self._sim, self._statistics, self._says = sim, statistics, says
        self.stopped = np.zeros(sim.worlds, bool)

    def __call__(self) -> None:
        """Call the function and end the selected worlds."""
        now = np.asarray(self._says(self._sim)).astype(bool).reshape(self._sim.worlds) & ~self.stopped
        self.stopped |= now
        if now.any():
            self._statistics.end(np.flatnonzero(now))
