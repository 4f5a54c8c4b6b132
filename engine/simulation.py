"""`Simulation`: the one object a user holds."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from . import device as devices
from .compilation import compile
from .controls import Control
from .footprint import TRACE_BYTES, check_frames, check_worlds
from .indexing import Indexing, indexing
from .model import Model
from .passing import Passing
from .quantities import Quantities
from .recorder import Recording, concatenate
from .rotation import rotate
from .scene import Scene
from .sleep import Sleep
from .snapshot import Part, Snapshot, bring_back, take
from .state import State
from .succession import Succession
from .topology import ARTICULATION, NODE

LAUNCH_WORK = 1 << 20
"""Most steps of a node and pack in one launch while recording: about a second, then Ctrl-C is heard."""


class NonFinite(ArithmeticError):
    """A simulation left the finite numbers.

    Attributes:
        step: step after which it was seen first, counted from 0 at the start.
        dof: name of the degree of freedom, or of the link.
    """

    def __init__(self, step: int, dof: str):
        super().__init__(f"{dof} is not finite after step {step}")
        self.step, self.dof = step, dof


class Simulation(Quantities, Sleep, Succession):
    """A scene in many worlds, on a device.

    Args:
        scene: what to simulate, as read or compiled.
        worlds: number of independent copies, W.
        device: auto | cpu | cuda | vulkan
        precision: f32, as PhysX, or f64.
        threads: CPU threads, 0 for all cores.
        dt: step [s]; the scene's own by default.
        sleeping: whether what hardly moves may fall asleep, as the scene's thresholds say.

    Raises:
        InvalidScene: the scene has no articulation, or one that is no tree.
        DeviceError: the device is not there, or (OutOfMemory) does not take so many worlds.
        ValueError: worlds < 1 or dt ≤ 0.
    """

    def __init__(
        self,
        scene: Scene | Model,
        worlds: int = 1,
        device: str = "auto",
        precision: str = "f32",
        threads: int = 0,
        dt: float | None = None,
        sleeping: bool = True,
    ):
        if worlds < 1:
            raise ValueError(f"worlds = {worlds}: at least 1")
        self._model = scene if isinstance(scene, Model) else compile(scene)
        self.scene = scene = self._model.scene
        self.dt = scene.dt if dt is None else dt
        if not self.dt > 0.0:
            raise ValueError(f"dt = {self.dt}: more than 0 seconds")
        place = devices.start(device, precision, threads, worlds)
        self.worlds, self.device = worlds, place.name
        self._state = State(self._model, worlds, place, sleeping)
        check_worlds(self._state)
        self.passing = Passing(self._state.parameters, worlds)
        self._solver = int(scene.solver) + int(scene.solver and scene.external_forces_every_iteration)
        self._links = [i for i, path in enumerate(self._model.link) if path]
        self.dof, self.unit = self._model.dof, self._model.unit
        self.outer_dof, self.outer_unit = self._model.outer_dof, self._model.outer_unit
        self.link = tuple(self._model.link[i] for i in self._links)
        self.outer_joint, self.tendon = self._model.outer_joint, self._model.branch
        self.articulation = tuple(articulation.path for articulation in scene.articulations)
        tables = self._model.tables["ARTICULATIONS"]
        self.floats = tables[:, ARTICULATION["FLOATING"]].astype(bool)
        self.tree_roots = self._model.nodes[tables[:, ARTICULATION["ROOT"]], NODE["LINK"]]
        self._roots = [  # the same but for robots on a hinge to the world, whose tree begins with the world
            self._model.link.index(articulation.links[0].path, first)
            for articulation, first in zip(scene.articulations, self.tree_roots, strict=True)
        ]
        self.steps = 0  # since the start
        self._state.start()
        self._signals: dict[str, list] = {}
        for signal in scene.signals:
            self._signals.setdefault(signal.parameter, []).append((signal, self.dof.index(signal.dof)))
        self._signal(0)
        self._start = take(self, [0])

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.steps * self.dt

    def settled(self) -> State:
        """The buffers, after what was set has reached them."""
        self._state.settle()
        return self._state

    @cached_property
    def indexing(self) -> dict[str, Indexing]:
        """PhysX's low-level order of every articulation, by its path."""
        return {path: indexing(self._model, self._links, i) for i, path in enumerate(self.articulation)}

    def save(self, worlds=None) -> Snapshot:
        """The complete state of all worlds, or of some."""
        return take(self, worlds)

    def load(self, snapshot: Snapshot, worlds=None, parts: Part = Part.ALL) -> None:
        """Bring a snapshot back, bit by bit; other worlds keep theirs.

        Args:
            snapshot: of as many worlds as the simulation has, of which each gets its own; of one world, which all
                get; or of as many as `worlds` names, in its order.
            worlds: indices of worlds; None for all.
            parts: what of it. Links follow positions and root; the clock is one for all worlds.

        Raises:
            InvalidSnapshot: it is of another model, precision or number of worlds; nothing is changed.
            IndexError: no such world.
        """
        bring_back(self, snapshot, worlds, parts)

    def reset(self, worlds=None, parts: Part = Part.ALL & ~Part.PARAMETERS) -> None:
        """Begin anew with the scene's state, efforts and targets; gains and limits stay unless `parts` has them.

        Other worlds keep theirs. Arguments as of `load`.
        """
        bring_back(self, self._start, worlds, parts)

    def step(self, n: int = 1) -> None:
        """Advance every world by n steps, in one launch unless something set changes on the way.

        No step at all compiles what steps need.
        """
        last = self.steps + n
        while True:
            self._signal(self.steps)
            self._launch(self._change(last) - self.steps, 0)
            if self.steps >= last:
                return

    def run(
        self,
        seconds: float | None = None,
        steps: int | None = None,
        fps: float | None = None,
        controls: Sequence[Control] = (),
    ) -> Recording:
        """Simulate and record.

        Args:
            seconds: how long; or give `steps`.
            steps: how many steps.
            fps: recorded frames a second, to the nearest whole number of steps; None records every step.
            controls: what is set before which step.

        Raises:
            NonFinite: the simulation left the finite numbers.
            OutOfMemory: so many frames do not fit; `stream` has them piece by piece.
            ValueError: neither seconds nor steps, or both.
        """
        if (seconds is None) == (steps is None):
            raise ValueError("give seconds or steps, one of them")
        count = round(seconds / self.dt) if steps is None else steps
        every = 1 if fps is None else max(1, round(1.0 / (fps * self.dt)))
        check_frames(self._state, 1 + count // every)
        return concatenate(list(self.stream(count, every, controls)))

    def stream(self, steps: int, every: int = 1, controls: Sequence[Control] = ()) -> Iterator[Recording]:
        """Simulate `steps` steps and yield consecutive pieces of the recording, the present state first.

        A frame is recorded after every `every`-th step. `controls` count steps from the simulation's start.

        Raises:
            NonFinite: after everything finite was yielded.
        """
        first, last = self.steps, self.steps + steps
        yield from self._finite(self._frame(), np.array([self.steps]))
        most = min(TRACE_BYTES // self._state.frame_bytes * every, LAUNCH_WORK // self._state.step_work)
        most = max(1, most // every) * every
        events = sorted(controls, key=lambda control: control.step)
        while self.steps < last:
            while events and events[0].step <= self.steps:
                self._apply(events.pop(0))
            self._signal(self.steps)
            stop = min(self._change(last), events[0].step if events else last, self.steps + most)
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

    def frame(self) -> Recording:
        """The present state as a recording of one frame."""
        return self._piece(self._frame(), np.array([self.steps]))

    def _change(self, last: int) -> int:
        """The step before which something that is set changes, at most `last`."""
        return self.passing.next(min(last, self.steps + 1) if self.scene.signals else last)

    def _launch(self, steps: int, every: int) -> np.ndarray | None:
        self.steps += steps
        frames = self._state.run(steps, every, self.dt, self._solver)
        if self.passing.expire(self.steps):
            self._state.disturb()
        return frames

    def _frame(self) -> np.ndarray:
        """The present state as a recorded frame, (1, W, rows)."""
        return self.settled().read()[None]

    def _apply(self, control: Control) -> None:
        view = getattr(self, control.parameter)
        view[:, control.dof] = control.value

    def _signal(self, step: int) -> None:
        """Set what the scene's time samples say at the start of a step."""
        for name, signals in self._signals.items():
            values = [np.interp(step * self.dt, signal.times, signal.values) for signal, _ in signals]
            rows = self.read(name)[:, [at for _, at in signals]]
            if (rows != np.array(values, rows.dtype)).any():  # what is set wakes
                getattr(self, name)[:, [at for _, at in signals]] = values

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
        """Recording of frames (T, W, rows) of the state."""
        at = self._state.rows
        pose = frames[..., at["POSE"]].reshape(*frames.shape[:2], -1, 7)[:, :, self._links].copy()
        pose[..., :3] -= rotate(pose[..., 3:], self._model.coms[self._links].astype(pose.dtype))
        parts = [frames[..., at["Q"]], frames[..., at["QD"]], frames[..., at["DRIVEN"]], pose]
        if self.worlds == 1:
            parts = [part[:, 0] for part in parts]
        return Recording(self.scene, self.dof, self.unit, self.link, steps * self.dt, *parts)
