"""Recording of a simulation's motion, as one recording or in pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import Any

import numpy as np

from ..device.memory_estimate import TRACE_BYTES, check_frames
from ..errors import whole
from ..quaternion import rotate
from ..recording.recorder import FRAME_QUANTITIES, Recording, concatenate
from ..tables.layout import FRAME
from .control_events import Control
from .field import View
from .field_access import FieldAccess
from .fields import Fields
from .known_values import event_tracks
from .schedule import SCHEDULED
from .stepper import Stepper


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
        self,
        seconds: float | None,
        steps: int | None,
        frames: "Frames",
        controls: Sequence[Control],
    ) -> Recording:
        """Simulate and record; see `Simulation.run`."""
        if (seconds is None) == (steps is None):
            raise ValueError(f"seconds, steps = {seconds}, {steps}: must be exactly one of them; leave the other out")
        if seconds is not None and not 0.0 <= seconds < inf:
            raise ValueError(f"seconds = {seconds}: must be finite and not negative")
        count = whole("steps", steps) if seconds is None else round(seconds / self._clock.dt)
        every = frames.every(self._clock.dt)
        check_frames(self._state, 1 + -(-count // every), frames.quantities)
        return concatenate(list(self.pieces(count, every, controls, frames.quantities)))

    def pieces(
        self, steps: int, every: int, controls: Sequence[Control], record: Sequence[str] = FRAME_QUANTITIES
    ) -> Iterator[Recording]:
        """Simulate and yield pieces of the recording; see `Simulation.stream`."""
        steps, every, record = whole("steps", steps), whole("every", every, 1), checked_quantities(record)
        events = sorted(controls, key=lambda control: control.step)
        self._stepper.known.play(event_tracks(events, self._clock.steps), self._clock.steps + steps)
        try:
            self._stepper.launch(0, 0)  # compiles, before the first piece
            yield from self._finite(self._frame(record), np.array([self._clock.steps]), record)
            others = [event for event in events if event.parameter not in SCHEDULED]
            yield from self._launches(self._clock.steps + steps, every, others, record)
            if steps % every:  # the last frame is the end
                yield from self._finite(self._frame(record), np.array([self._clock.steps]), record)
            if record != FRAME_QUANTITIES:  # of what is not recorded
                next(self._finite(self._frame(FRAME_QUANTITIES), np.array([self._clock.steps]), FRAME_QUANTITIES))
        finally:
            self._stepper.known.play(())

    def _launches(self, last: int, every: int, events: list[Control], record: Sequence[str]) -> Iterator[Recording]:
        """Step and yield the frames; launches end before the given events."""
        first = self._clock.steps
        traced = max(1, TRACE_BYTES // self._state.frame_bytes(record)) * every
        while self._clock.steps < last:
            while events and events[0].step <= self._clock.steps:
                event = events.pop(0)
                View(self._fields, Fields.quantity(event.parameter))[:, event.dof] = event.value
            most = self._clock.steps + min(traced, self._stepper.length.most)
            stop = min(self._stepper.next_boundary(last), events[0].step if events else last, most)
            done = self._clock.steps - first
            if done % every or stop - self._clock.steps < every:  # up to the next frame
                stop = min(stop, first + (done // every + 1) * every)
                frames = None
                self._stepper.launch(stop - self._clock.steps, 0)
                if (self._clock.steps - first) % every == 0:
                    frames = self._frame(record)
            else:
                stop -= (stop - self._clock.steps) % every
                frames = self._stepper.launch(stop - self._clock.steps, every, record)
            if frames is not None:
                yield from self._finite(frames, self._clock.steps - every * np.arange(len(frames))[::-1], record)

    def frame(self) -> Recording:
        """Return the present state as a recording of one frame."""
        return self._piece(self._frame(FRAME_QUANTITIES), np.array([self._clock.steps]), FRAME_QUANTITIES)

    def _frame(self, record: Sequence[str]) -> np.ndarray:
        """Return the present state as a recorded frame, (1, W, rows)."""
        self._state.sync_poses()
        rows = [
            np.arange(self._state.layout.sizes["state"])[self._state.layout.rows[FRAME[quantity]]]
            for quantity in record
        ]
        return self._state.buffer("state").read(np.concatenate(rows))[None]

    def _finite(self, frames: np.ndarray, steps: np.ndarray, record: Sequence[str]) -> Iterator[Recording]:
        bad = ~np.isfinite(frames).all((1, 2))
        if not bad.any():
            yield self._piece(frames, steps, record)
            return
        at = int(bad.argmax())
        if at:
            yield self._piece(frames[:at], steps[:at], record)
        rows, columns = ~np.isfinite(frames[at]).all(0), self._fields.columns
        places = self._state.frame_rows(record)
        dofs = np.any([rows[places[name]] for name in record if name != "pose"] or [np.zeros(1, bool)], 0)
        if dofs.any():
            raise NonFinite(int(steps[at]), columns.dof[int(dofs.argmax())])
        links = rows[places["pose"]].reshape(-1, 7).any(1)[columns.links]
        raise NonFinite(int(steps[at]), columns.link[int(links.argmax())])

    def _piece(self, frames: np.ndarray, steps: np.ndarray, record: Sequence[str]) -> Recording:
        """Return the recording of frames (T, W, rows)."""
        columns, model = self._fields.columns, self._state.model
        parts: dict[str, Any] = dict.fromkeys(FRAME_QUANTITIES)
        parts |= {name: frames[..., rows] for name, rows in self._state.frame_rows(record).items()}
        if "pose" in record:
            pose = parts["pose"].reshape(*frames.shape[:2], -1, 7)[:, :, columns.links].copy()
            pose[..., :3] -= rotate(pose[..., 3:], model.coms[columns.links].astype(pose.dtype))
            parts["pose"] = pose
        return Recording(model.scene, columns.dof, columns.unit, columns.link, steps * self._clock.dt, **parts)


@dataclass(frozen=True)
class Frames:
    """Frames of a recording: every `step`-th step or `fps` of a second, and what they contain."""

    fps: float | None = None
    step: int | None = None
    quantities: Sequence[str] = FRAME_QUANTITIES

    def every(self, dt: float) -> int:
        """Return the steps per frame, at a step of dt [s]."""
        if self.fps is not None and self.step is not None:
            raise ValueError(f"fps, every = {self.fps}, {self.step}: must not be combined; leave one out")
        if self.fps is None:
            return 1 if self.step is None else whole("every", self.step, 1)
        if not 0.0 < self.fps < inf:
            raise ValueError(f"fps = {self.fps}: must be finite and above 0; None records every step")
        return max(1, round(1.0 / (self.fps * dt)))


def checked_quantities(record: Sequence[str]) -> tuple[str, ...]:
    """Return the quantities to record, in the order of `FRAME_QUANTITIES`."""
    chosen, names = (record,) if isinstance(record, str) else tuple(record), ", ".join(FRAME_QUANTITIES)
    for name in chosen:
        if name not in FRAME_QUANTITIES:
            near = get_close_matches(str(name), FRAME_QUANTITIES, 1, 0.0)
            raise ValueError(f"record = {name!r}: must be among {names}; did you mean {near[0]!r}?")
    if not chosen:
        raise ValueError(f"record = (): must name at least one of {names}; use step() to record none")
    return tuple(name for name in FRAME_QUANTITIES if name in chosen)
