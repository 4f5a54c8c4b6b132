"""The device buffers of one model and W worlds: state, parameters and scratch."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..compiler.device import WARP, Device
from ..model import Model
from ..tables.features import Features
from ..tables.layout import FRAME
from .batch import Batch, worlds_at_once
from .bounds import check_array, most_in_buffer
from .buffer import Buffer, NativeArray, as_input, new_array
from .compiled_kernel import launch
from .contact_slots import ContactSlots
from .kernel_features import check_features, check_laws, kernel_features, names_of
from .parameters import Parameters
from .row_layout import RowLayout, statistic_rows
from .schedule import DeviceSchedule, ScheduleArrays
from .slot_growth import SlotGrowth
from .stage_units import StageUnits
from .state_queries import StateQueries

LARGE_LAUNCH, LARGE_BLOCK = 1 << 15, 256
"""Workers that fill a GPU, and the threads of their blocks: each gets at most 128 registers, so that more run at once.

Kernels with maximal joints or contacts need more registers, and keep blocks of a warp.
"""


class State(StateQueries):
    """All arrays of one model. Host copies are (worlds, rows).

    Args:
        model: the compiled scene, or the template of some of its islands.
        worlds: number of worlds.
        device: the device.
        sleeping: whether articulations may fall asleep.
        contact_slots: slots of an island, or None for the rule of `ContactSlots`.
        features: laws of the kernel, or None for those that the model needs.
    """

    def __init__(
        self,
        model: Model,
        worlds: int,
        device: Device,
        sleeping: bool = True,
        contact_slots: int | None = None,
        features: Features | None = None,
    ):
        self.model, self.worlds, self.device = model, worlds, device
        may = (model.parameters["SLEEP_THRESHOLD"] > 0.0).any() or model.asleep.any()
        sleeps = bool(sleeping and model.scene.sleeping and may)
        self.sleeps = features.sleeps if features else sleeps  # whether any articulation can fall asleep
        self.lay_out(ContactSlots(model, worlds, device, contact_slots))
        self._extended: tuple[tuple, Features] | None = None  # features of launches, and what they follow from
        self.features = self._checked = features or kernel_features(model, self.sleeps, self.slots.shared)
        check_laws(self.features, model)
        self.float: type[np.floating] = np.float64 if device.bits == 64 else np.float32
        coms = model.coms / model.scene.meters_per_unit
        self._coms = as_input(coms.astype(self.float).ravel())
        self._arrays: dict[str, NativeArray] = {}
        self.growth = SlotGrowth(self)
        self._buffers: dict[str, Buffer] = {}
        self.parameters = Parameters(self)
        self._stale_worlds = np.zeros((self.batch.packs, device.lanes), bool)  # poses do not match joints and roots
        self.schedules: tuple[DeviceSchedule, ...] = ()  # parameters that change within a launch
        self._schedule_arrays = ScheduleArrays(device, self.units)
        self.reads_results = False  # whether results of steps were read so far
        self.splits_forces = False  # whether the last step reports the effects of forces and of rows separately
        self.sums_begin = True  # whether the sums of monitors begin with the next launch
        self._link_state_valid = False  # whether the buffer "links" matches the state

    def lay_out(self, slots: ContactSlots) -> None:
        """Lay out the rows of worlds that have these slots."""
        self.slots, self.layout = slots, self.layout_of(slots)
        self.units = StageUnits(self.model, self.layout) if self.model.scene.meters_per_unit != 1.0 else None
        islands, nodes = len(self.model.tables["ISLANDS"]), len(self.model.tables["NODES"])
        swept = 0 if len(self.model.tables["PAIRS"]) else nodes
        at_once = worlds_at_once(self.device, swept, islands)
        self.batch = Batch(self.worlds, self.device, islands, self.layout.scratch_rows, at_once)

    def layout_of(self, slots: ContactSlots) -> RowLayout:
        """Return the rows of worlds that have these slots."""
        return RowLayout(self.model, slots, backup=self.sleeps, at_once=not self.device.packed)

    def array(self, name: str, shape: tuple[int, ...] | None = None) -> NativeArray:
        """Return the device array of that name, reallocated if its shape must change and never longer than an index."""
        array = self._arrays.get(name)
        if array is None or (shape and array.shape[:1] != shape):
            assert shape is not None  # an array is made before it is asked for without a shape
            lanes, rows = self.device.lanes, -(-shape[0] // self.batch.elements)
            check_array(self.batch.elements * lanes, name, rows, most_in_buffer(self.device))
            number = "i4" if name == "topology" else f"f{self.device.bits // 8}"
            array = self._arrays[name] = new_array(self.device, shape, number, lanes if name != "topology" else 1)
        return array

    def arrays(self, names: Iterable[str]) -> dict[str, NativeArray]:
        """Return the device arrays of these names that there are."""
        return {name: self._arrays[name] for name in names if name in self._arrays}

    def drop(self, name: str) -> None:
        """Release a device array."""
        self._arrays.pop(name, None)
        self._buffers.pop(name, None)

    @property
    def parts(self) -> tuple["State", ...]:
        """Return the states whose arrays kernels read: this one."""
        return (self,)

    def count_statistics(self) -> Buffer:
        """Make room for statistics, which every step adds to from now on; return their buffer, as `statistic_rows`."""
        size = statistic_rows(self.layout.counts, self.features.contacts)[-1].stop
        array = self.array("statistics", (size * self.batch.elements,))
        units = self.units.statistics(self.features.contacts) if self.units else None
        return Buffer(array, self.device, self.worlds, size, 0, units)

    def buffer(self, name: str) -> Buffer:
        """Return a buffer with rows of every world: state | results | sleep | links | contacts."""
        array = self.array(name, (max(1, self.layout.sizes[name]) * self.batch.elements,))
        found = self._buffers.get(name)
        if found is None or found.array is not array:
            units = self.units.buffers.get(name) if self.units else None
            found = self._buffers[name] = Buffer(array, self.device, self.worlds, self.layout.sizes[name], 0, units)
        return found

    def scratch(self) -> NativeArray:
        """Return the scratch of all workers of a launch."""
        return self.array("scratch", (self.layout.scratch_rows * self.batch.scratch_places,))

    def run(self, steps: int, every: int, h: float, solver: int, record: Iterable[str] = FRAME) -> np.ndarray | None:
        """Advance by `steps` steps of h [s] in one launch.

        Returns:
            The recorded quantities after every `every`-th step, (frames, worlds, rows) with the rows of `frame_rows`,
            or None if `every` is 0.
        """
        schedules = self.schedules
        self.parameters.move_to_device({name for schedule in schedules for name in schedule.parameters})
        self.sync_poses()
        self.mark_state_changed()
        frames = steps // every if every else 0
        rows = self.frame_rows(record) if frames else {}
        size = max((last.stop for last in rows.values()), default=0)
        kept = not frames and "trace" in self._arrays
        trace = self.array("trace", None if kept else (max(1, frames * size * self.batch.elements),))
        features, arrays = self._features(), self._arrays
        if features is not self._checked:
            check_features(features, names_of(self.features), "laws of the scene")
            self._checked = features
        words, numbers = self._schedule_arrays.upload(schedules)

        def launch_steps() -> None:
            """Launch the steps with the slots that there are."""
            launch(
                self.device, "kernels", "step_kernel", (features, self._block()),
                states=arrays["state"], parameters=arrays["parameters"], scratch=self.scratch(),
                topology=arrays["topology"], results=arrays["results"], sleep=arrays["sleep"],
                contacts=arrays["contacts"], trace=trace, statistics=arrays.get("statistics", arrays["results"]),
                sums_begin=int(self.sums_begin), monitors=arrays.get("monitors", arrays["results"]),
                steps=steps, every=every, h=h, solver=solver, splits_forces=self.splits_forces,
                tasks=self.batch.tasks, workers=self.batch.workers, schedule_words=words, schedule_numbers=numbers,
                schedule_step=schedules[0].step if schedules else -1, counts=int("statistics" in arrays),
                recorded=sum(1 << i for i, quantity in enumerate(FRAME) if quantity in rows),
            )  # fmt: skip

        if self.slots.grow:
            self.growth.launch(launch_steps)
        else:
            launch_steps()
        if not frames:
            return None
        units = self.units.frames(rows, frames) if self.units else None
        recorded = Buffer(trace, self.device, self.worlds, frames * size, 0, units).read(slice(0, frames * size))
        return recorded.reshape(self.worlds, frames, size).swapaxes(0, 1)

    def _features(self) -> Features:
        """Return the features of a launch.

        Worlds that run one by one have schedules and statistics compiled in, so that the first commands of a user share
        a kernel.
        """
        monitors, single = "monitors" in self._arrays, self.device.single
        statistics, schedule = single or "statistics" in self._arrays, single or bool(self.schedules)
        if not (statistics or monitors or schedule):
            return self.features
        of = (self.features, statistics, monitors, schedule)
        if self._extended is None or self._extended[0] != of:  # the same object for each launch: it was checked
            self._extended = of, replace(self.features, statistics=statistics, monitors=monitors, schedule=schedule)
        return self._extended[1]

    def _block(self) -> int:
        """Return the number of threads of a block of a GPU; 1 on a CPU."""
        if self.device.packed:
            return 1
        fills = self.batch.workers >= LARGE_LAUNCH and not (self.features.joints or self.features.contacts)
        return LARGE_BLOCK if fills else WARP
