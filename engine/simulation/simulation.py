"""`Simulation`: the main object of a user."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from .. import device as devices
from ..device import Device
from ..device.copies_state import AnyState, make_state
from ..device.dlpack import DeviceArray
from ..device.memory_estimate import check_worlds
from ..errors import whole
from ..html import count, html_table
from ..model import Model
from ..model.model import compiled
from ..model.physx_order import Indexing, indexing
from ..recording.recorder import FRAME_QUANTITIES, Recording
from ..scene import Scene
from ..selection import NamedColumns, short_names
from .clock import Clock
from .contacts import Contacts, count_lost_pairs, read_contacts
from .control_events import Control
from .field_access import Array, FieldAccess
from .fields import Fields
from .known_values import KnownValues, event_tracks, sampled_tracks
from .names import Names
from .reset import Reset
from .restoration import restore, take
from .schedule import SCHEDULED
from .snapshot import Part, Snapshot
from .state_transfer import StateTransfer, Unmatched
from .step_results import leave_out_results
from .stepper import Stepper
from .stream import Frames, Stream, checked_quantities
from .world_indices import Worlds


class Simulation(Names, Fields):
    """A scene in many worlds, on a device.

    Args:
        scene: scene to simulate, as read or compiled.
        worlds: number of independent copies, W.
        device: auto | cpu | cuda | vulkan; auto is the CPU, or CUDA where it is faster for so many worlds. The
            attribute `device` names the device that runs.
        precision: f32 (as PhysX) or f64. Default: the scene's, f32 unless its file sets another.
        threads: number of CPU threads, 0 for all cores.
        dt: step [s]. Default: the scene's.
        sleeping: let bodies at rest fall asleep by the scene's thresholds.
        contacts: simulate contacts; False drops the scene's colliders.
        contact_slots: most pairs of colliders of an island that may be near each other at once in a world. Default: 64
            per articulation and 8 per collider of a free body, and on a CPU more when they are needed. Pairs beyond
            the slots are lost.
        copies: step copies of a robot within the scene side by side, as worlds; `Readout` needs False.
        results: let the last step of a launch write its results: efforts of limits, friction, mimic joints, tendons and
            maximal joints, incoming forces and accelerations of links, contacts. False saves a twentieth of launches of
            a few steps; joint accelerations, applied efforts and read-outs stay.

    Raises:
        InvalidScene: an articulation of the scene is not a tree.
        DeviceError: the device is not available, or (OutOfMemory) the worlds do not fit.
        ValueError: worlds < 1, threads < 0, contact_slots < 1, or dt not above 0 and finite.
        TypeError: scene is a path; worlds, threads or contact_slots is not a whole number.
    """

    def __init__(
        self,
        scene: Scene | Model,
        worlds: int = 1,
        device: str | Device = "auto",
        precision: str | None = None,
        threads: int = 0,
        dt: float | None = None,
        sleeping: bool = True,
        contacts: bool = True,
        contact_slots: int | None = None,
        copies: bool = True,
        results: bool = True,
    ):
        worlds = whole("worlds", worlds, 1)
        model = compiled(scene, contacts)
        self.scene = scene = model.scene
        clock = Clock(scene.dt if dt is None else dt)
        place = devices.start(device, precision or scene.precision, threads, worlds, model)
        self.worlds, self.device = worlds, place.name
        slots = None if contact_slots is None else whole("contact_slots", contact_slots, 1)
        self._state = make_state(model, worlds, place, sleeping, slots, copies)
        if not results:
            leave_out_results(self._state)
        check_worlds(self._state)
        self._fields = fields = FieldAccess(self._state, clock)
        columns = fields.columns
        self.dof, self.unit, self.link = (
            NamedColumns(columns.dof, "dof"),
            columns.unit,
            NamedColumns(columns.link, "link"),
        )
        self.maximal_dof, self.maximal_unit = NamedColumns(columns.maximal_dof, "maximal_dof"), columns.maximal_unit
        self.actuator, self.bound_point = columns.actuator, columns.bound_point
        self.maximal_joint, self.tendon = columns.maximal_joint, columns.tendon
        self.articulation, self.pair, self.pair_kind = columns.articulation, columns.pair, columns.pair_kind
        self.collider = tuple(dict.fromkeys(model.collider))
        self._state.start()
        self._clock = clock
        known = KnownValues(fields, sampled_tracks(scene, columns, clock))
        known.write(everything=True)
        self._stepper = Stepper(scene, fields, known)
        self._stream = Stream(fields, self._stepper)
        self._start = take(fields, [0])
        self._transfer = StateTransfer(fields, self._start)
        self._reset = Reset(fields, self._start)
        self._complete = True

    def __repr__(self) -> str:
        """Return one line: scene, sizes, device and time."""
        if not self._complete:
            return object.__repr__(self)
        precision = "f64" if self._state.float == np.float64 else "f32"
        sizes = f"{count(self.worlds, 'world')}, {count(len(self.dof), 'degree of freedom', 'degrees of freedom')}"
        place = f"{count(len(self.link), 'link')}, {self.device}, {precision}"
        return f"<Simulation of {self.scene.source}: {sizes}, {place}, step {self.steps}, {self.time:.6g} s>"

    def _repr_html_(self) -> str:
        """Return a table of the degrees of freedom of world 0 for notebooks."""
        header = ("joint", "unit", "q", "qd", "target_q", "stiffness", "damping", "max_force")
        values = np.stack([getattr(self, name)[0] for name in header[2:]], axis=1).tolist()
        names = zip(short_names(self.dof), self.unit, values, strict=True)
        return html_table(repr(self), header, ((name, unit, *row) for name, unit, row in names))

    @property
    def dt(self) -> float:
        """Step [s].

        Raises:
            ValueError: set to a value that is not above 0 and finite.
        """
        return self._clock.dt

    @dt.setter
    def dt(self, dt: float) -> None:
        self._clock.dt = dt

    @property
    def steps(self) -> int:
        """Number of steps since the start.

        Raises:
            TypeError, ValueError: set to a value that is not a whole number from 0.
        """
        return self._clock.steps

    @steps.setter
    def steps(self, steps: int) -> None:
        self._clock.steps = steps

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._clock.time

    @cached_property
    def indexing(self) -> dict[str, Indexing]:
        """PhysX's low-level order of every articulation, by path of the articulation."""
        model, links = self._state.model, self._fields.columns.links
        return {path: indexing(model, links, i) for i, path in enumerate(self.articulation)}

    @overload
    def read(self, name: str, out: None = None, worlds: Worlds = None) -> np.ndarray: ...
    @overload
    def read(self, name: str, out: Array, worlds: Worlds = None) -> Array: ...
    def read(self, name: str, out: Array | None = None, worlds: Worlds = None) -> np.ndarray | Array:
        """Copy a field to an array.

        Args:
            name: name of the field.
            out: contiguous array to fill, in the simulation's precision: a NumPy array (for every device), or a PyTorch
                tensor or DLPack array on the simulation's device. None: a new NumPy array.
            worlds: indices of worlds; None for all.

        Returns:
            `out`, or the new array: (W, D), (W, L, n) or (W, A, n). Missing bounds are infinite.

        Raises:
            KeyError: no such field.
            IndexError: no such world.
            TypeError: `out` is not an array, or has another precision.
            ValueError: `out` has another shape, or is on another device.
        """
        return self._fields.read(name, out, worlds)

    def write(self, name: str, values: DeviceArray, worlds: Worlds = None, steps: int | None = None) -> None:
        """Set a field from an array, without leaving its device; an error changes nothing.

        Args:
            name: name of the field.
            values: array as `out` of `read`; NumPy arrays of any precision.
            worlds: indices of worlds, each once; None for all.
            steps: number of steps for which the values hold; the previous values are then restored. None: the values
                hold until the next write, and temporary values of the field end now.

        Raises:
            KeyError, IndexError, TypeError, ValueError: as `read`; ValueError also for fields that cannot be set, and
                for a value against the rule of the field.
        """
        self._fields.write(name, values, worlds, steps)

    def save(self, worlds: Worlds = None) -> Snapshot:
        """Return the complete state of all worlds, or of the given ones."""
        return take(self._fields, worlds)

    def load(self, snapshot: Snapshot, worlds: Worlds = None, parts: Part = Part.ALL) -> None:
        """Restore a snapshot bit by bit; unselected worlds keep their state.

        Args:
            snapshot: snapshot with as many worlds as the simulation (each restores its own), with one world (copied to
                all), or with as many worlds as `worlds` lists, in that order.
            worlds: indices of worlds; None for all.
            parts: parts to restore. Links follow positions and root; the clock is shared by all worlds.

        Raises:
            InvalidSnapshot: another model, precision or number of worlds; nothing is changed.
            TypeError: `snapshot` is not a snapshot; nothing is changed.
            IndexError: no such world.
        """
        restore(self._fields, snapshot, worlds, parts)

    def reset(
        self,
        worlds: Worlds = None,
        parts: Part = Part.ALL & ~Part.PARAMETERS,
        values: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """Restore the scene's state, efforts and targets; gains and limits stay unless `parts` includes them.

        Unselected worlds keep their state.

        Args:
            worlds: indices of worlds; None for all.
            parts: parts to restore.
            values: arrays of the worlds for the fields q, qd, root_pose and root_velocity, written as by `write` after
                their parts are restored.

        Raises:
            IndexError: no such world.
            KeyError, ValueError: a value of another field, shape or rule; nothing is changed.
        """
        self._reset(worlds, parts, values or {})

    def step(self, n: int = 1) -> None:
        """Advance every world by n steps, in one launch unless a set value changes on the way.

        `step(0)` compiles the kernels that steps need.

        Raises:
            TypeError, ValueError: n is not a whole number from 0; nothing is changed.
        """
        self._stepper.step(n)

    def schedule(
        self,
        values: Mapping[str, ArrayLike] | None,
        every: int = 1,
        interpolate: bool = False,
        delay: ArrayLike = 0.0,
    ) -> None:
        """Let fields follow the rows of tables from the next step on, without a launch per row.

        Row t holds from step t · `every` on, the last row from then on. The result is that of writing each row before
        its first step; a value that changes wakes its articulation. What is assigned to a scheduled field lasts until
        the next step. The schedule replaces the one before; without it, fields keep their last values.

        Args:
            values: table of each field, by name: (T, columns) shared by all worlds, or (W, T, columns). Fields are
                targets, efforts, gains, max_force and armature, and those of maximal joints. None ends the schedule.
            every: number of steps per row.
            interpolate: change values linearly from row to row; else a row holds until the next one.
            delay: delay of each world [s], one number or (W,). The first row holds until then; a negative delay begins
                later in the table. A fraction of a step interpolates between the values of two steps.

        Raises:
            KeyError: a field does not exist or cannot be scheduled; nothing is changed.
            ValueError: wrong shape, a value against the rule of its field, a time-sampled field.
            TypeError: a table is not numeric, or `every` is not a whole number.
            OutOfMemory: the tables do not fit in one array.
        """
        self._fields.schedule.assign(values, every, interpolate, delay, self._stepper.known.sampled)

    def _play(self, controls: Sequence[Control]) -> list[Control]:
        """Follow control events from now on; return those that no launch can follow, as of q, qd and forces."""
        self._stepper.known.play(event_tracks(controls, self.steps))
        return [control for control in controls if control.parameter not in SCHEDULED]

    def run(
        self,
        seconds: float | None = None,
        steps: int | None = None,
        fps: float | None = None,
        controls: Sequence[Control] = (),
        every: int | None = None,
        record: Sequence[str] = FRAME_QUANTITIES,
    ) -> Recording:
        """Simulate and record.

        Args:
            seconds: duration [s]; alternative to `steps`.
            steps: number of steps.
            fps: recorded frames per second, rounded to a whole number of steps; None records every step.
            controls: control events.
            every: steps per recorded frame; alternative to `fps`.
            record: quantities to record, of q, qd, effort and pose. Others are neither computed nor stored; a number
                in them that is not finite is found at the end.

        Raises:
            NonFinite: the simulation became non-finite.
            OutOfMemory: the frames do not fit; `stream` yields them in pieces.
            ValueError: neither or both of seconds and steps, or both of fps and every; a negative or infinite value;
                fps ≤ 0; an unknown quantity; a control whose value is against the rule of its field.
            TypeError: steps or every is not a whole number.
        """
        return self._stream.run(seconds, steps, Frames(fps, every, checked_quantities(record)), controls)

    def stream(
        self,
        steps: int,
        every: int = 1,
        controls: Sequence[Control] = (),
        record: Sequence[str] = FRAME_QUANTITIES,
    ) -> Iterator[Recording]:
        """Simulate `steps` steps and yield consecutive pieces of the recording, the present state first.

        A frame is recorded after every `every`-th step, and after the last one. `controls` count steps from the
        simulation's start; `record` is that of `run`.

        Raises:
            NonFinite: after all finite frames were yielded.
            TypeError, ValueError: steps is not a whole number from 0, or `every` is not one from 1;
                an unknown quantity.
        """
        return self._stream.pieces(steps, every, controls, record)

    def frame(self) -> Recording:
        """Return the present state as a recording of one frame."""
        return self._stream.frame()

    @property
    def contacts(self) -> Contacts:
        """Contact points of the last step."""
        return read_contacts(self._state)

    @property
    def lost_pairs(self) -> np.ndarray:
        """Most pairs of colliders that were near in a step of the last launch but had no slot, (W,).

        A launch is a call of `step`, or its last part; see `contact_slots`.
        """
        return count_lost_pairs(self._state)

    @property
    def results(self) -> bool:
        """Return whether steps write their results, see the argument."""
        return self._state.features.results

    @property
    def sleeping(self) -> bool:
        """Return whether any articulation can fall asleep."""
        return self._state.sleeps

    @property
    def asleep(self) -> np.ndarray:
        """Sleep flags of the articulations, (W, A) booleans in the order of `articulation`."""
        return self._fields.sleep.asleep

    def wake(self, worlds: Worlds = None) -> None:
        """Wake all articulations of these worlds (None: all) for at least 0.4 s.

        Raises:
            IndexError: no such world.
        """
        self._fields.sleep.wake(worlds)

    def sleep(self, worlds: Worlds = None) -> None:
        """Put all articulations of these worlds (None: all) to sleep with zero velocities.

        Raises:
            IndexError: no such world.
            ValueError: no articulation can fall asleep.
        """
        self._fields.sleep.put_to_sleep(worlds)

    def copy_state_from(self, other: "Simulation", renamed: Mapping[str, str] | None = None) -> Unmatched:
        """Copy the state of another simulation, after links or joints were added, removed or renamed.

        These are copied by name: joint positions, speeds and last efforts, poses and velocities of roots, and all
        fields set since the start of the other simulation (targets, efforts, gains, limits, forces). Other fields keep
        the values of this simulation's scene. The clock is copied, and everything wakes.

        Args:
            other: simulation with as many worlds as this one, or with one world, which is copied to all.
            renamed: prim path in the other simulation → prim path here, of joints, links or articulations.

        Returns:
            The names without a counterpart.

        Raises:
            KeyError: `renamed` names a missing prim; nothing is changed.
            ValueError: another number of worlds; nothing is changed.
        """
        return self._transfer.copy_from(other._transfer, renamed or {})

    def _synced_state(self) -> AnyState:
        """Return the state after pending writes were applied."""
        self._state.sync_poses()
        return self._state
