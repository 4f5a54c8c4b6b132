"""Recording of a simulation's motion, as one recording or in pieces."""

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from ..device.memory_estimate import TRACE_BYTES, check_frames
from ..errors import whole
from ..quaternion import rotate
from ..recording.recorder import Recording, concatenate
from .control_events import Control
from .field import View
from .field_access import FieldAccess
from .fields import Fields
from .stepper import Stepper

LAUNCH_WORK = 1 << 20
"""Maximum node-and-pack steps in one recorded launch: about a second, so that Ctrl-C is handled soon."""


class NonFinite(ArithmeticError):
    """Raised where a simulation became non-finite.

    Attributes:
        step: step after which this was detected, counted from 0 at the start.
        dof: name of the degree of freedom, or of the link.
    """

    def __init__(self, step: int, dof: str):
        super().__init__(f"{dof} is not finite after step {step}")
        self.step, self.dof = step, dof


class Stream:
    """Recording of the motion of a simulation while it runs.

    Args:
        fields: fields of the simulation.
        stepper: advances its worlds.
    """

    def __init__(self, fields: FieldAccess, stepper: Stepper):
        self._fields, self._stepper = fields, stepper
        self._state, self._clock = fields.state, fields.clock

    def run(
        self, seconds: float | None, steps: int | None, fps: float | None, controls: Sequence[Control]
    ) -> Recording:
        """Simulate and record; see `Simulation.run`."""
        if (seconds is None) == (steps is None):
            raise ValueError(f"seconds, steps = {seconds}, {steps}: must be exactly one of them; leave the other out")
        if seconds is not None and not 0.0 <= seconds < inf:
            raise ValueError(f"seconds = {seconds}: must be finite and not negative")
        if fps is not None and not 0.0 < fps < inf:
            raise ValueError(f"fps = {fps}: must be finite and above 0; None records every step")
        count = whole("steps", steps) if seconds is None else round(seconds / self._clock.dt)
        every = 1 if fps is None else max(1, round(1.0 / (fps * self._clock.dt)))
        check_frames(self._state, 1 + -(-count // every))
        return concatenate(list(self.pieces(count, every, controls)))

    def pieces(self, steps: int, every: int, controls: Sequence[Control]) -> Iterator[Recording]:
        """Simulate and yield pieces of the recording; see `Simulation.stream`."""
        steps, every = whole("steps", steps), whole("every", every, 1)
        first, last = self._clock.steps, self._clock.steps + steps
        yield from self._finite(self._frame(), np.array([self._clock.steps]))
        most = min(TRACE_BYTES // self._state.frame_bytes * every, LAUNCH_WORK // self._state.step_work)
        most = max(1, most // every) * every
        events = sorted(controls, key=lambda control: control.step)
        while self._clock.steps < last:
            while events and events[0].step <= self._clock.steps:
                event = events.pop(0)
                View(self._fields, Fields.quantity(event.parameter))[:, event.dof] = event.value
            self._stepper.samples.apply(self._clock.steps)
            stop = min(self._stepper.next_boundary(last), events[0].step if events else last, self._clock.steps + most)
            done = self._clock.steps - first
            if done % every or stop - self._clock.steps < every:  # up to the next frame
                stop = min(stop, first + (done // every + 1) * every)
                frames = None
                self._stepper.launch(stop - self._clock.steps, 0)
                if (self._clock.steps - first) % every == 0:
                    frames = self._frame()
            else:
                stop -= (stop - self._clock.steps) % every
                frames = self._stepper.launch(stop - self._clock.steps, every)
            if frames is not None:
                yield from self._finite(frames, self._clock.steps - every * np.arange(len(frames))[::-1])
        if steps % every:  # the last frame is the end
            yield from self._finite(self._frame(), np.array([self._clock.steps]))

    def frame(self) -> Recording:
        """Return the present state as a recording of one frame."""
        return self._piece(self._frame(), np.array([self._clock.steps]))

    def _frame(self) -> np.ndarray:
        """Return the present state as a recorded frame, (1, W, rows)."""
        self._state.sync_poses()
        return self._state.read()[None]

    def _finite(self, frames: np.ndarray, steps: np.ndarray) -> Iterator[Recording]:
        bad = ~np.isfinite(frames).all((1, 2))
        if not bad.any():
            yield self._piece(frames, steps)
            return
        at, columns = int(bad.argmax()), self._fields.columns
        if at:
            yield self._piece(frames[:at], steps[:at])
        rows = ~np.isfinite(frames[at]).all(0)
        dofs = rows[self._state.rows["Q"]] | rows[self._state.rows["QD"]]
        links = rows[self._state.rows["POSE"]].reshape(-1, 7).any(1)[columns.links]
        name = columns.dof[int(dofs.argmax())] if dofs.any() else columns.link[int(links.argmax())]
        raise NonFinite(int(steps[at]), name)

    def _piece(self, frames: np.ndarray, steps: np.ndarray) -> Recording:
        """Return the recording of frames (T, W, rows) of the state."""
        at, columns, model = self._state.rows, self._fields.columns, self._state.model
        pose = frames[..., at["POSE"]].reshape(*frames.shape[:2], -1, 7)[:, :, columns.links].copy()
        pose[..., :3] -= rotate(pose[..., 3:], model.coms[columns.links].astype(pose.dtype))
        parts = [frames[..., at["Q"]], frames[..., at["QD"]], frames[..., at["APPLIED_EFFORT"]], pose]
        if self._state.worlds == 1:
            parts = [part[:, 0] for part in parts]
        return Recording(model.scene, columns.dof, columns.unit, columns.link, steps * self._clock.dt, *parts)
