"""Resets of worlds to the start of a simulation, and values that replace it there."""

from collections.abc import Mapping
from functools import cache, reduce
from typing import NamedTuple

import numpy as np

from ..device.parameters import STRUCTURAL, Parameters
from ..device.state import State
from .field_access import FieldAccess
from .root_poses import SWAPPED, RootsOfTrees, checked_poses
from .snapshot import Part, Snapshot, restore, rows_of
from .world_indices import Worlds, world_indices

VALUES = {
    "q": Part.POSITIONS, "qd": Part.VELOCITIES, "root_pose": Part.ROOT, "root_velocity": Part.ROOT,
}  # fmt: skip
"""Fields that values may replace, and the parts that they belong to."""


@cache
def _with_values(parts: Part, names: tuple[str, ...]) -> Part:
    """Return parts, and those of values; flags take as long as all the rest of a reset of few worlds."""
    return reduce(Part.__or__, (VALUES[name] for name in names), parts)


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
        columns = fields.columns
        dofs, roots = len(columns.dof), len(columns.articulation)
        self._shapes = {"q": (dofs,), "qd": (dofs,), "root_pose": (roots, 7), "root_velocity": (roots, 6)}
        self._plans: dict[Part, Plan] = {}
        self._varying: dict[tuple[str, ...], tuple[int, list[str]]] = {}  # see `_write_parameters`
        self._roots: RootsOfTrees | None = None  # at the start

    def __call__(self, worlds: Worlds, parts: Part, values: Mapping[str, np.ndarray]) -> None:
        """Reset parts of worlds and set values; see `Simulation.reset`."""
        fields, chosen = self._fields, world_indices(worlds, self._fields.state.worlds)
        given = {name: self._checked(name, array, chosen) for name, array in values.items()}
        parts = _with_values(parts, tuple(given))
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
        shape = (fields.state.worlds if chosen is None else len(chosen), *self._shapes[name])
        found = np.asarray(array, fields.state.float)
        if found.shape != shape:
            raise ValueError(f"{name} = {found.shape}: must be {shape}, a row for each world")
        if not np.isfinite(found).all():
            raise ValueError(f"{name} = {found[~np.isfinite(found)][0]}: must be finite")
        return checked_poses(found, fields.columns.articulation, chosen) if name == "root_pose" else found

    def _write(self, chosen: np.ndarray, parts: Part, given: dict[str, np.ndarray]) -> None:
        """Write the rows of a plan to worlds."""
        state = self._fields.state
        assert isinstance(state, State)  # see __call__
        plan = self._plans.get(parts) or self._plans.setdefault(parts, self._plan(parts))
        if "root_pose" in given and self._roots is None:
            restore(self._fields, self._start, chosen[:1], Part.POSITIONS | Part.ROOT)
            poses = self._fields.read("root_pose", worlds=chosen[:1])[0].astype(np.float64)
            trees = self._start.rows["POSE"][0].reshape(-1, 7)[self._fields.columns.tree_roots]
            self._roots = RootsOfTrees(poses, trees.astype(np.float64))
        self._write_parameters(state.parameters, plan.parameters, chosen)
        for name, rows in plan.rows.items():
            numbers = plan.numbers[name].repeat(len(chosen), 0)
            if name == "state" and given:
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

    def _write_parameters(self, parameters: Parameters, names: tuple[str, ...], chosen: np.ndarray) -> None:
        """Restore the base rows of parameters in worlds.

        Parameters that all worlds share and that are those of the start are looked at again only after one was set.
        """
        fields, start = self._fields, self._start.parameters
        parameters.upload()
        for name in fields.temporary.names.intersection(names):
            fields.temporary.replace(name, start[name], chosen)
        version, varying = self._varying.get(names, (-1, [*names]))
        if version != parameters.version:
            for name in names:
                if not parameters.varies(name) or name in STRUCTURAL:
                    self._restore_on_host(name, chosen)
            varying = [name for name in names if parameters.varies(name) and name not in STRUCTURAL]
            shared = not any(parameters.varies(name) for name in names if name in STRUCTURAL)
            self._varying[names] = parameters.version if shared else -1, varying
        for name in varying:
            rows = start[name].astype(fields.state.float).repeat(len(chosen), 0)
            parameters.device_buffer(name).write(rows, slice(0, rows.shape[1]), chosen)

    def _restore_on_host(self, name: str, chosen: np.ndarray) -> None:
        """Restore the base rows of a parameter in worlds where they have changed."""
        parameters, rows = self._fields.state.parameters, self._start.parameters[name]
        now = parameters[name]
        if (now[chosen if len(now) > 1 else slice(None)] != rows).any():
            now = np.broadcast_to(now, (self._fields.state.worlds, rows.shape[1])).copy()
            now[chosen] = rows
            parameters[name] = now

    def _replace(self, numbers: np.ndarray, places: dict[str, slice], given: dict[str, np.ndarray]) -> None:
        """Replace numbers of the start, (worlds, rows), by values."""
        for name, row in (("q", "Q"), ("qd", "QD")):
            if name in given:
                numbers[:, places[row]] = given[name]
        if "root_velocity" in given:
            numbers[:, places["ROOT_VELOCITY"]] = given["root_velocity"][..., SWAPPED].reshape(len(numbers), -1)
        if "root_pose" in given and self._roots is not None:
            at = places["POSE"].start + (7 * self._fields.columns.tree_roots[:, None] + np.arange(7))
            numbers[:, at] = self._roots.moved(given["root_pose"])
