"""Resets of worlds to the start of a simulation, and values that replace it there."""

from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np

from ..device.parameters import STRUCTURAL
from ..device.state import State
from .field_access import FieldAccess
from .root_poses import SWAPPED, checked_poses, moved_roots
from .snapshot import Part, Snapshot, restore, rows_of
from .world_indices import Worlds, world_indices

VALUES = {
    "q": Part.POSITIONS, "qd": Part.VELOCITIES, "root_pose": Part.ROOT, "root_velocity": Part.ROOT,
}  # fmt: skip
"""Fields that values may replace, and the parts that they belong to."""


class Plan(NamedTuple):
    """Rows of the buffers that a reset of some parts writes."""

    parameters: tuple[str, ...]
    rows: dict[str, slice | np.ndarray]  # of each buffer
    numbers: dict[str, np.ndarray]  # of the start, (1, n), in the order of these rows
    places: dict[str, slice]  # of each named row of "state" among them
    moves: bool  # whether poses follow from a part of what is restored
    asleep: bool  # whether the time at rest is restored
    scheduled: bool


class Reset:
    """Resets of a simulation, which write the rows of some worlds directly.

    Args:
        fields: fields of the simulation.
        start: snapshot of one world at the start.
    """

    def __init__(self, fields: FieldAccess, start: Snapshot):
        self._fields, self._start = fields, start
        self._plans: dict[Part, Plan] = {}
        self._unchanged: dict[str, np.ndarray] = {}  # parameters of all worlds that are those of the start
        self._root_pose: np.ndarray | None = None  # at the start, (1, A, 7)

    def __call__(self, worlds: Worlds, parts: Part, values: Mapping[str, np.ndarray]) -> None:
        """Reset parts of worlds and set values; see `Simulation.reset`."""
        fields, chosen = self._fields, world_indices(worlds, self._fields.state.worlds)
        given = {name: self._checked(name, array, chosen) for name, array in values.items()}
        parts = reduce(Part.__or__, (VALUES[name] for name in given), parts)
        if chosen is None or Part.PARAMETERS in parts or not isinstance(fields.state, State):
            restore(fields, self._start, worlds, parts)
            for name, array in given.items():
                fields.write(name, array, worlds)
        elif len(chosen):
            self._write(chosen, parts, given)

    def _checked(self, name: str, array: np.ndarray, chosen: np.ndarray | None) -> np.ndarray:
        """Return a value as an array of the state's precision, in its shape.

        Raises:
            KeyError: no such field among `VALUES`.
            ValueError: another shape, a number that is not finite, a quaternion of another length.
        """
        if name not in VALUES:
            raise KeyError(f"no value {name!r}; must be one of {', '.join(VALUES)}")
        fields = self._fields
        count = fields.state.worlds if chosen is None else len(chosen)
        columns = len(fields.columns.dof) if name in ("q", "qd") else len(fields.columns.articulation)
        shape = (count, columns, *{"root_pose": (7,), "root_velocity": (6,)}.get(name, ()))
        found = np.asarray(array, fields.state.float)
        if found.shape != shape:
            raise ValueError(f"{name} = {found.shape}: must be {shape}, a row for each world")
        if not np.isfinite(found).all():
            raise ValueError(f"{name} = {found[~np.isfinite(found)][0]}: must be finite")
        return checked_poses(found, fields.columns.articulation, chosen) if name == "root_pose" else found

    def _write(self, chosen: np.ndarray, parts: Part, given: dict[str, np.ndarray]) -> None:
        """Write the rows of a plan to worlds."""
        state = self._fields.state
        plan = self._plans.get(parts) or self._plans.setdefault(parts, self._plan(parts))
        if "root_pose" in given and self._root_pose is None:
            restore(self._fields, self._start, chosen[:1], Part.POSITIONS | Part.ROOT)
            self._root_pose = self._fields.read("root_pose", worlds=chosen[:1]).astype(np.float64)
        state.parameters.upload()
        for name in plan.parameters:
            self._write_parameter(name, chosen)
        for name, rows in plan.rows.items():
            numbers = np.repeat(plan.numbers[name], len(chosen), 0)
            if name == "state":
                self._replace(numbers, plan.places, given)
            state.buffer(name).write(numbers, rows, chosen)
        if plan.moves or given.keys() & {"q", "root_pose"}:
            state.mark_positions_changed(chosen)
        state.mark_state_changed()
        if given or not plan.asleep:
            state.wake(chosen)
        if plan.scheduled:
            self._fields.schedule.move(self._start.schedule_steps, chosen)

    def _plan(self, parts: Part) -> Plan:
        layout, start, state = self._fields.state.layout, self._start, self._fields.state
        wanted = rows_of(parts)
        names = [*(wanted & start.rows.keys())]
        if Part.ROOT in parts:
            names.append("POSE")  # joints move what is not the root, when poses are next computed
        rows, numbers, places = {}, {}, {}
        for buffer in {layout.places[name][0] for name in names}:
            mine = sorted((layout.places[name][1].start, name) for name in names if layout.places[name][0] == buffer)
            widths = [start.rows[name].shape[1] for _, name in mine]
            ends = np.cumsum(widths)
            if not ends[-1]:
                continue
            every = np.concatenate([first + np.arange(width) for (first, _), width in zip(mine, widths, strict=True)])
            whole = every[-1] - every[0] == len(every) - 1
            rows[buffer] = slice(int(every[0]), int(every[-1]) + 1) if whole else every
            numbers[buffer] = np.concatenate([start.rows[name] for _, name in mine], 1).astype(state.float)
            if buffer == "state":
                spans = zip(mine, widths, ends, strict=True)
                places = {name: slice(int(end - width), int(end)) for (_, name), width, end in spans}
        parameters = tuple(sorted(wanted & start.parameters.keys()))
        moves = (Part.POSITIONS in parts) != (Part.ROOT in parts)
        return Plan(parameters, rows, numbers, places, moves, Part.SLEEP in parts, Part.SCHEDULE in parts)

    def _write_parameter(self, name: str, chosen: np.ndarray) -> None:
        """Restore the base rows of a parameter in worlds."""
        fields, rows = self._fields, self._start.parameters[name]
        parameters = fields.state.parameters
        fields.temporary.replace(name, rows, chosen)
        if parameters.varies(name) and name not in STRUCTURAL:
            buffer = parameters.device_buffer(name)
            buffer.write(np.repeat(rows.astype(fields.state.float), len(chosen), 0), slice(0, rows.shape[1]), chosen)
            return
        now = parameters[name]
        if now is self._unchanged.get(name):  # a parameter that is set is another array
            return
        if (now[chosen if len(now) > 1 else slice(None)] != rows).any():
            now = np.broadcast_to(now, (fields.state.worlds, rows.shape[1])).copy()
            now[chosen] = rows
            parameters[name] = now
        elif len(now) == 1:
            self._unchanged[name] = now

    def _replace(self, numbers: np.ndarray, places: dict[str, slice], given: dict[str, np.ndarray]) -> None:
        """Replace numbers of the start, (worlds, rows), by values."""
        for name, row in (("q", "Q"), ("qd", "QD")):
            if name in given:
                numbers[:, places[row]] = given[name]
        if "root_velocity" in given:
            numbers[:, places["ROOT_VELOCITY"]] = given["root_velocity"][..., SWAPPED].reshape(len(numbers), -1)
        if "root_pose" in given and self._root_pose is not None:
            at = places["POSE"].start + (7 * self._fields.columns.tree_roots[:, None] + np.arange(7))
            numbers[:, at] = moved_roots(given["root_pose"], self._root_pose, numbers[:, at])
