"""Stepping of a simulation: launches between the steps before which a set value changes."""

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np

from ..device.buffer import wait_for
from ..errors import whole
from ..scene import Scene
from .body_motions import BodyMotions
from .contacts import count_lost_pairs
from .field_access import FieldAccess
from .known_values import KnownValues
from .launch_length import LaunchLength


class Stepper:
    """Advances all worlds of a simulation.

    Args:
        scene: the scene, which names the solver.
        fields: fields of the simulation, with its worlds, clock, temporary values and schedule.
        known: values of fields that are known for every step.
    """

    def __init__(self, scene: Scene, fields: FieldAccess, known: KnownValues):
        self._state, self._clock, self._temporary = fields.state, fields.clock, fields.temporary
        self._schedule, self.known, self._motions = fields.schedule, known, BodyMotions(scene, fields)
        self.length = LaunchLength(partial(wait_for, fields.state.device), waits=fields.state.device.name != "cpu")
        self._warned = False  # whether a warning of lost pairs was issued
        self.solver = int(scene.solver) + int(scene.solver and scene.external_forces_every_iteration)

    def step(self, n: int) -> None:
        """Advance every world by n steps; see `Simulation.step`."""
        last = self._clock.steps + whole("step: n", n)
        self._state.sums_begin = True
        while True:
            most = self._clock.steps + self.length.most
            self.launch(self.next_boundary(min(last, most)) - self._clock.steps, 0)
            self._state.sums_begin = self._clock.steps >= last  # those of the next launch, if it is of another call
            if self._clock.steps >= last:
                return

    def next_boundary(self, last: int) -> int:
        """Return the step before which a set value changes, at most `last`."""
        return self._temporary.next(self.known.boundary(self._motions.boundary(last)))

    def launch(self, steps: int, every: int, record: Sequence[str] = ()) -> np.ndarray | None:
        """Advance by `steps` steps in one launch, and return frames of every `every`-th, as `State.run` does."""
        self.known.write()
        self._motions.apply()
        self._schedule.prepare()
        self.known.prepare()
        with self.length.launch(steps):
            frames = self._state.run(steps, every, self._clock.dt, self.solver, record)
        self._clock.steps += steps
        self._schedule.advance(steps)
        if self._state.slots.shared and not self._warned:
            self._warn_of_lost_pairs()
        if self._temporary.expire(self._clock.steps):
            self._state.wake()
        return frames

    def _warn_of_lost_pairs(self) -> None:
        """Warn once if a world had more pairs of colliders near each other than slots."""
        lost = count_lost_pairs(self._state)
        if lost.any():
            self._warned = True
            world, slots = int(lost.argmax()), self._state.slots.most
            warnings.warn(
                f"contacts of world {world}: {lost[world]} pairs of near colliders found no slot and do not collide; "
                f"pass contact_slots above {slots}",
                RuntimeWarning,
                stacklevel=2,
            )
