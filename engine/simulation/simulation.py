"""`Simulation`: the main object of a user."""

from functools import cached_property
from math import inf

import numpy as np

from .. import device as devices
from ..device.memory_estimate import check_worlds
from ..device.state import State
from ..errors import whole
from ..model import Model
from ..model.model import compile
from ..model.physx_order import Indexing, indexing
from ..scene import Scene
from ..tables.topology import ARTICULATION, NODE
from .control_events import Control
from .field_access import FieldAccess
from .names import Names
from .sleep import Sleep
from .snapshot import Part, Snapshot, restore, take
from .state_transfer import StateTransfer
from .stream import Stream
from .temporary_values import TemporaryValues


class Simulation(Names, FieldAccess, Stream, Sleep, StateTransfer):
    """A scene in many worlds, on a device.

    Args:
        scene: scene to simulate, as read or compiled.
        worlds: number of independent copies, W.
        device: auto | cpu | cuda | vulkan
        precision: f32 (as PhysX) or f64. Default: the scene's, f32 unless its file sets another.
        threads: number of CPU threads, 0 for all cores.
        dt: step [s]. Default: the scene's.
        sleeping: let bodies at rest fall asleep by the scene's thresholds.

    Raises:
        InvalidScene: the scene has no articulation, or one that is not a tree.
        DeviceError: the device is not available, or (OutOfMemory) the worlds do not fit.
        ValueError: worlds < 1, threads < 0, or dt not above 0 and finite.
        TypeError: worlds or threads is not a whole number.
    """

    def __init__(
        self,
        scene: Scene | Model,
        worlds: int = 1,
        device: str = "auto",
        precision: str | None = None,
        threads: int = 0,
        dt: float | None = None,
        sleeping: bool = True,
    ):
        worlds = whole("worlds", worlds, 1)
        self._model = scene if isinstance(scene, Model) else compile(scene)
        self.scene = scene = self._model.scene
        self.dt = scene.dt if dt is None else dt
        place = devices.start(device, precision or scene.precision, threads, worlds)
        self.worlds, self.device = worlds, place.name
        self._state = State(self._model, worlds, place, sleeping)
        check_worlds(self._state)
        self._temporary_values = TemporaryValues(self._state.parameters, worlds)
        self._solver = int(scene.solver) + int(scene.solver and scene.external_forces_every_iteration)
        self._links = [i for i, path in enumerate(self._model.link) if path]
        self.dof, self.unit = self._model.dof, self._model.unit
        self.maximal_dof, self.maximal_unit = self._model.maximal_dof, self._model.maximal_unit
        self.link = tuple(self._model.link[i] for i in self._links)
        self.maximal_joint, self.tendon = self._model.maximal_joint, self._model.branch
        self.articulation = tuple(articulation.path for articulation in scene.articulations)
        tables = self._model.tables["ARTICULATIONS"]
        self.floats = tables[:, ARTICULATION["FLOATING"]].astype(bool)
        self.tree_roots = self._model.nodes[tables[:, ARTICULATION["ROOT"]], NODE["LINK"]]
        self._roots = [  # as tree_roots, except for robots on a hinge to the world: their tree begins with the world
            self._model.link.index(articulation.links[0].path, first)
            for articulation, first in zip(scene.articulations, self.tree_roots, strict=True)
        ]
        self.steps = 0
        self._state.start()
        self._signals: dict[str, list] = {}  # by the field that they set, each with its column
        for signal in scene.signals:
            prefix, names = ("maximal_", self.maximal_dof) if signal.dof in self.maximal_dof else ("", self.dof)
            self._signals.setdefault(prefix + signal.parameter, []).append((signal, names.index(signal.dof)))
        self._apply_time_samples(0)
        self._start = take(self, [0])
        self._complete = True

    @property
    def dt(self) -> float:
        """Step [s].

        Raises:
            ValueError: set to a value that is not above 0 and finite.
        """
        return self._dt

    @dt.setter
    def dt(self, dt: float) -> None:
        if not 0.0 < dt < inf:
            raise ValueError(f"dt = {dt}: must be finite and above 0 seconds")
        self._dt = dt

    @property
    def steps(self) -> int:
        """Number of steps since the start.

        Raises:
            TypeError, ValueError: set to a value that is not a whole number from 0.
        """
        return self._steps

    @steps.setter
    def steps(self, steps: int) -> None:
        self._steps = whole("steps", steps)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.steps * self.dt

    def _synced_state(self) -> State:
        """Return the state after pending writes were applied."""
        self._state.sync_poses()
        return self._state

    @cached_property
    def indexing(self) -> dict[str, Indexing]:
        """PhysX's low-level order of every articulation, by path of the articulation."""
        return {path: indexing(self._model, self._links, i) for i, path in enumerate(self.articulation)}

    def save(self, worlds=None) -> Snapshot:
        """Return the complete state of all worlds, or of the given ones."""
        return take(self, worlds)

    def load(self, snapshot: Snapshot, worlds=None, parts: Part = Part.ALL) -> None:
        """Restore a snapshot bit by bit; unselected worlds keep their state.

        Args:
            snapshot: snapshot with as many worlds as the simulation (each restores its own), with one world (copied to
                all), or with as many worlds as `worlds` lists, in that order.
            worlds: indices of worlds; None for all.
            parts: parts to restore. Links follow positions and root; the clock is shared by all worlds.

        Raises:
            InvalidSnapshot: another model, precision or number of worlds; nothing is changed.
            IndexError: no such world.
        """
        restore(self, snapshot, worlds, parts)

    def reset(self, worlds=None, parts: Part = Part.ALL & ~Part.PARAMETERS) -> None:
        """Restore the scene's state, efforts and targets; gains and limits stay unless `parts` includes them.

        Unselected worlds keep their state. Arguments as of `load`.
        """
        restore(self, self._start, worlds, parts)

    def step(self, n: int = 1) -> None:
        """Advance every world by n steps, in one launch unless a set value changes on the way.

        `step(0)` compiles the kernels that steps need.

        Raises:
            TypeError, ValueError: n is not a whole number from 0; nothing is changed.
        """
        last = self.steps + whole("step: n", n)
        while True:
            self._apply_time_samples(self.steps)
            self._launch(self._next_boundary(last) - self.steps, 0)
            if self.steps >= last:
                return

    def _next_boundary(self, last: int) -> int:
        """Return the step before which a set value changes, at most `last`."""
        return self._temporary_values.next(min(last, self.steps + 1) if self.scene.signals else last)

    def _launch(self, steps: int, every: int) -> np.ndarray | None:
        frames = self._state.run(steps, every, self.dt, self._solver)
        self.steps += steps
        if self._temporary_values.expire(self.steps):
            self._state.wake()
        return frames

    def _apply(self, control: Control) -> None:
        view = getattr(self, control.parameter)
        view[:, control.dof] = control.value

    def _apply_time_samples(self, step: int) -> None:
        """Apply the scene's time samples at the start of a step."""
        for name, signals in self._signals.items():
            values = [np.interp(step * self.dt, signal.times, signal.values) for signal, _ in signals]
            rows = self.read(name)[:, [at for _, at in signals]]
            if (rows != np.array(values, rows.dtype)).any():  # a write wakes
                getattr(self, name)[:, [at for _, at in signals]] = values
