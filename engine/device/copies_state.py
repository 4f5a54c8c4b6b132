"""The state of a scene whose copies lie in lanes: one `State` per template, with W · C columns.

    scene row ─ Copies ─ (template, copy, row)        column = world · C + copy

Kernels see columns as worlds, so copies of a robot fill packs on a CPU and warps on a GPU as worlds do.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..model.templates import Islands, Template
from ..tables.contacts import SHAPES
from ..tables.layout import FRAME
from ..tables.request import REQUEST
from ..tables.topology import TABLES
from .contact_slots import ContactSlots
from .copies import Copies
from .copies_buffer import CopiesBuffer, RowPlaces
from .copies_parameters import CopiesParameters
from .copies_schedule import TemplateSchedules
from .row_layout import statistic_rows
from .schedule import DeviceSchedule
from .start_device import in_packs
from .state import State
from .state_rows import StateRows

MOST_TEMPLATES = 16
"""Most templates of a scene: each takes a launch of its own."""


class CopiesState(StateRows):
    """All arrays of one simulation, with the interface of `State`; rows are those of the scene.

    Args:
        whole: state of the scene without copies in lanes, not started.
        templates: templates of all islands of its model.
        device: the device with the lanes of the templates' columns.
    """

    def __init__(self, whole: State, templates: Sequence[Template], device: Device):
        self.model, self.worlds, self.device = whole.model, whole.worlds, whole.device
        self.sleeps, self.slots, self.layout = whole.sleeps, whole.slots, whole.layout
        self.batch, self.float, self.features = whole.batch, whole.float, whole.features
        self.copies = [Copies(self.model, template, self.slots) for template in templates]
        self.parts = tuple(
            State(template.model, self.worlds * copies.count, device, features=whole.features)
            for template, copies in zip(templates, self.copies, strict=True)
        )
        for template, part in zip(templates, self.parts, strict=True):
            for name, rows in template.numbers.items():
                part.parameters[name] = np.tile(rows, (self.worlds, 1))
        sizes = {name: len(rows) for name, rows in self.model.parameters.items()}
        parameters = [(part.parameters, copies) for part, copies in zip(self.parts, self.copies, strict=True)]
        self.parameters = CopiesParameters(parameters, self.worlds, sizes)
        self.schedules: tuple[DeviceSchedule, ...] = ()
        self._schedules = [
            TemplateSchedules(template.model, copies, self.worlds)
            for template, copies in zip(templates, self.copies, strict=True)
        ]
        self.splits_forces, self.sums_begin, self.reads_results = False, True, False
        self._places: dict[str, RowPlaces] = {}

    def buffer(self, name: str) -> CopiesBuffer:
        """Return a buffer with rows of every world: state | results | sleep | links | contacts."""
        if name not in self._places:
            rows = [copies.buffer_rows(self.layout, name) for copies in self.copies]
            self._places[name] = RowPlaces(rows, self.layout.sizes[name])
        buffers = [
            (part.buffer(name), copies.articulation_numbers(part.layout) if name == "contacts" else None)
            for part, copies in zip(self.parts, self.copies, strict=True)
        ]
        return CopiesBuffer(buffers, self._counts(), self._places[name], self.worlds, self.float)

    def count_statistics(self) -> CopiesBuffer:
        """Make room for statistics, which every step adds to from now on; return their buffer, as `statistic_rows`."""
        contacts = self.features.contacts
        rows = [copies.statistic_rows(self.layout, contacts) for copies in self.copies]
        places = RowPlaces(rows, statistic_rows(self.layout.counts, contacts)[-1].stop)
        buffers = [(part.count_statistics(), None) for part in self.parts]
        return CopiesBuffer(buffers, self._counts(), places, self.worlds, self.float)

    def drop(self, name: str) -> None:
        """Release a device array."""
        for part in self.parts:
            part.drop(name)

    def mark_positions_changed(self, worlds: np.ndarray | None = None) -> None:
        """Mark joint or root positions of worlds (None: all) as changed; `sync_poses` then updates their links."""
        for part, copies in zip(self.parts, self.copies, strict=True):
            columns = None if worlds is None else worlds[:, None] * copies.count + np.arange(copies.count)
            part.mark_positions_changed(columns if columns is None else columns.ravel())

    def mark_state_changed(self) -> None:
        """Mark the buffer "links" as outdated after the state was set."""
        for part in self.parts:
            part.mark_state_changed()

    def sync_poses(self) -> None:
        """Compute link poses from joint positions and root poses in the worlds marked as changed."""
        for part in self.parts:
            part.sync_poses()

    def update_link_state(self) -> None:
        """Compute the buffer "links" from the state."""
        for part in self.parts:
            part.update_link_state()

    def run(self, steps: int, every: int, h: float, solver: int, record: Iterable[str] = FRAME) -> np.ndarray | None:
        """Advance by `steps` steps of h [s], in one launch per template; see `State.run`."""
        rows = self.frame_rows(record)
        self.parameters.mark_varying(name for schedule in self.schedules for name in schedule.parameters)
        count = steps // every if every else 0
        frames = np.empty((count, self.worlds, max((last.stop for last in rows.values()), default=0)), self.float)
        interrupted = None
        for part, copies, schedules in zip(self.parts, self.copies, self._schedules, strict=True):
            part.features, part.splits_forces = self.features, self.splits_forces
            part.schedules = schedules.of(self.schedules)
            try:
                found = part.run(steps, every, h, solver, record)
            except KeyboardInterrupt as error:  # which a launch raises at its end: other templates follow
                interrupted, found = error, None
            if found is not None:
                mine = copies.frame_rows(rows).ravel()
                frames[:, :, mine] = found.reshape(count, self.worlds, len(mine))
        if interrupted is not None:
            raise interrupted
        return frames if count else None

    def query_dynamics(self, law: str, words: np.ndarray, width: int, given: tuple[np.ndarray, ...] = ()) -> np.ndarray:
        """Return the result of a law of `physics.dynamics_kernel` for every world, (worlds, width); see `State`."""
        number = int(words[REQUEST["ARTICULATION"]])
        at, (copy, mine) = next(
            (i, place) for i, each in enumerate(self.copies) if (place := each.articulation(number)) is not None
        )
        words, count = words.copy(), self.copies[at].count
        words[REQUEST["ARTICULATION"]] = mine
        sheets = tuple(np.repeat(numbers, count, axis=0) for numbers in given)
        return self.parts[at].query_dynamics(law, words, width, sheets).reshape(self.worlds, count, width)[:, copy]

    def _counts(self) -> list[int]:
        return [copies.count for copies in self.copies]


AnyState: TypeAlias = State | CopiesState
"""The state of a scene."""


def make_state(
    model: Model,
    worlds: int,
    device: Device,
    sleeping: bool = True,
    contact_slots: int | None = None,
    copies: bool = True,
) -> AnyState:
    """Return the state of a scene, with copies in lanes where they fill a tile and at least halve the number of tiles.

    Scenes whose pairs share slots, which results number, and those in which only some templates have meshes keep one
    state.
    """
    whole = State(model, worlds, device, sleeping, contact_slots)
    packs, count = in_packs(device), len(model.tables["ISLANDS"])
    if not copies or whole.slots.shared or worlds * count < packs.tile:
        return whole
    islands = Islands(model)
    groups = islands.groups()
    columns = [worlds * len(group) for group in groups]
    tiles = sum(-(-each // packs.tile) for each in columns)
    fills = max(columns) >= packs.tile and 2 * tiles <= count * -(-worlds // device.tile)
    if not fills or len(groups) > MOST_TEMPLATES:
        return whole
    templates = [islands.template(group) for group in groups]
    return CopiesState(whole, templates, packs) if _fits(templates, whole.slots) else whole


def _fits(templates: Sequence[Template], slots: ContactSlots) -> bool:
    """Return whether the pairs of every template have as many friction patches as those of the scene."""
    shape, mesh = TABLES["COLLIDERS"]["SHAPE"], SHAPES["TRIANGLE_MESH"]
    meshes = {
        bool((template.model.tables["COLLIDERS"][:, shape] == mesh).any())
        for template in templates
        if len(template.model.tables["PAIRS"])
    }
    return meshes <= {slots.patches > 1}
