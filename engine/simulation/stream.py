"""Recording of a simulation's motion, as one recording or in pieces."""

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from ..device.memory_estimate import TRACE_BYTES, check_frames
from ..errors import whole
from ..quaternion import rotate
from ..recording.recorder import Recording, concatenate
from .control_events import Control

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
    """Recording of the motion of a simulation while it runs."""

    def run(
        self,
        seconds: float | None = None,
        steps: int | None = None,
        fps: float | None = None,
        controls: Sequence[Control] = (),
    ) -> Recording:
        """Simulate and record.

        Args:
            seconds: duration [s]; alternative to `steps`.
            steps: number of steps.
            fps: recorded frames per second, rounded to a whole number of steps; None records every step.
            controls: control events.

        Raises:
            NonFinite: the simulation became non-finite.
            OutOfMemory: the frames do not fit; `stream` yields them in pieces.
            ValueError: neither or both of seconds and steps; a negative or infinite value; fps ≤ 0.
            TypeError: steps is not a whole number.
        """
        if (seconds is None) == (steps is None):
            raise ValueError(f"seconds, steps = {seconds}, {steps}: must be exactly one of them; leave the other out")
        if seconds is not None and not 0.0 <= seconds < inf:
            raise ValueError(f"seconds = {seconds}: must be finite and not negative")
        if fps is not None and not 0.0 < fps < inf:
            raise ValueError(f"fps = {fps}: must be finite and above 0; None records every step")
        count = round(seconds / self.dt) if steps is None else whole("steps", steps)
        every = 1 if fps is None else max(1, round(1.0 / (fps * self.dt)))
        check_frames(self._state, 1 + count // every)
        return concatenate(list(self.stream(count, every, controls)))

    def stream(self, steps: int, every: int = 1, controls: Sequence[Control] = ()) -> Iterator[Recording]:
        """Simulate `steps` steps and yield consecutive pieces of the recording, the present state first.

        A frame is recorded after every `every`-th step. `controls` count steps from the simulation's start.

        Raises:
            NonFinite: after all finite frames were yielded; steps after the last frame are checked, too.
            TypeError, ValueError: steps is not a whole number from 0, or `every` is not one from 1.
        """
        steps, every = whole("steps", steps), whole("every", every, 1)
        first, last = self.steps, self.steps + steps
        yield from self._finite(self._frame(), np.array([self.steps]))
        most = min(TRACE_BYTES // self._state.frame_bytes * every, LAUNCH_WORK // self._state.step_work)
        most = max(1, most // every) * every
        events = sorted(controls, key=lambda control: control.step)
        while self.steps < last:
            while events and events[0].step <= self.steps:
                self._apply(events.pop(0))
            self._apply_time_samples(self.steps)
            stop = min(self._next_boundary(last), events[0].step if events else last, self.steps + most)
            done = self.steps - first
            if done % every or stop - self.steps < every:  # up to the next frame
                stop = min(stop, first + (done // every + 1) * every)
                frames = None
                self._launch(stop - self.steps, 0)
                if (self.steps - first) % every == 0:
                    frames = self._frame()
            else:
                stop -= (stop - self.steps) % every
                frames = self._launch(stop - self.steps, every)
            if frames is not None:
                yield from self._finite(frames, self.steps - every * np.arange(len(frames))[::-1])
        if steps % every:  # the last steps are in no frame
            next(self._finite(self._frame(), np.array([self.steps])))

    def frame(self) -> Recording:
        """Return the present state as a recording of one frame."""
        return self._piece(self._frame(), np.array([self.steps]))

    def _frame(self) -> np.ndarray:
        """Return the present state as a recorded frame, (1, W, rows)."""
        return self._synced_state().read()[None]

    def _finite(self, frames: np.ndarray, steps: np.ndarray) -> Iterator[Recording]:
        bad = ~np.isfinite(frames).all((1, 2))
        if not bad.any():
            yield self._piece(frames, steps)
            return
        at = int(bad.argmax())
        if at:
            yield self._piece(frames[:at], steps[:at])
        rows = ~np.isfinite(frames[at]).all(0)
        dofs = rows[self._state.rows["Q"]] | rows[self._state.rows["QD"]]
        links = rows[self._state.rows["POSE"]].reshape(-1, 7).any(1)[self._links]
        name = self.dof[int(dofs.argmax())] if dofs.any() else self.link[int(links.argmax())]
        raise NonFinite(int(steps[at]), name)

    def _piece(self, frames: np.ndarray, steps: np.ndarray) -> Recording:
        """Return the recording of frames (T, W, rows) of the state."""
        at = self._state.rows
        pose = frames[..., at["POSE"]].reshape(*frames.shape[:2], -1, 7)[:, :, self._links].copy()
        pose[..., :3] -= rotate(pose[..., 3:], self._model.coms[self._links].astype(pose.dtype))
        parts = [frames[..., at["Q"]], frames[..., at["QD"]], frames[..., at["APPLIED_EFFORT"]], pose]
        if self.worlds == 1:
            parts = [part[:, 0] for part in parts]
        return Recording(self.scene, self.dof, self.unit, self.link, steps * self.dt, *parts)
