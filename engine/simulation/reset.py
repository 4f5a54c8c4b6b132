"""Resets of worlds to the start of a simulation, and values that replace it there."""

from collections.abc import Mapping
from functools import cache, reduce

import numpy as np

from ..device.parameters import STRUCTURAL, Parameters
from ..device.state import State
from ..device.world_resets import ResetRows, Span, WorldResets, join_spans
from .field_access import FieldAccess
from .reset_plan import Entry, Plan, Planner
from .restoration import restore, take, with_slots
from .root_poses import RootsOfTrees, checked_poses
from .snapshot import Part, Snapshot
from .world_indices import Worlds, world_indices

VALUES = {
    "q": Part.POSITIONS, "qd": Part.VELOCITIES, "root_pose": Part.ROOT, "root_velocity": Part.ROOT,
}  # fmt: skip
"""Fields that values may replace, and the parts that they belong to."""

MOST_PLANS = 100
"""Plans that are kept: those of a task, but not all of one whose ranges change."""


@cache
def _with_values(parts: Part, names: tuple[str, ...]) -> Part:
    """Return parts, and those of values; flags take as long as all the rest of a reset of few worlds."""
    return reduce(Part.__or__, (VALUES[name] for name in names), parts)


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
        self._plans: dict[tuple, Plan] = {}
        self._varying: dict[tuple[str, ...], tuple[int, list[str]]] = {}  # see `_prepare_parameters`
        self._rows: dict[tuple, tuple[list[str], ResetRows]] = {}  # of plans; see `_rows_of_plan`
        self._roots: RootsOfTrees | None = None  # at the start
        self._launches: WorldResets | None = None
        self._layout = fields.state.layout  # of the plans and launches
        self._metres = fields.state.model.scene.meters_per_unit

    def __call__(self, worlds: Worlds, parts: Part, values: Mapping[str, np.ndarray]) -> None:
        """Reset parts of worlds and set values; see `Simulation.reset`."""
        fields, chosen = self._fields, world_indices(worlds, self._fields.state.worlds)
        given = {name: self._checked(name, array, chosen) for name, array in values.items()}
        parts = _with_values(parts, tuple(given))
        if chosen is None or Part.PARAMETERS in parts or not isinstance(fields.state, State):
            restore(fields, self._start, worlds, parts)
            for name, array in given.items():
                fields.write(name, array, worlds)
            return
        entries, at = [], 0
        for name, array in given.items():
            entries.append(Entry(name, tuple(range(array.shape[1])), at))
            at += array[0].size if len(array) else 0
        if len(chosen):
            numbers = [self.as_numbers(name, array) for name, array in given.items()]
            self.write(chosen, parts, tuple(entries), numbers)

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

    def as_numbers(self, name: str, array: np.ndarray, articulations: slice = slice(None)) -> np.ndarray:
        """Return the numbers of a given entry, (worlds, K): root poses become those of the roots of their trees.

        Args:
            name: name of the field.
            array: values, (worlds, D) or (worlds, A, 7 | 6).
            articulations: articulations of these values.

        Raises:
            ValueError: a number that is not finite.
        """
        if not np.isfinite(array).all():
            raise ValueError(f"{name} = {array[~np.isfinite(array)][0]}: must be finite")
        if name == "root_pose":
            array = self._roots_of_trees().moved(array, articulations)
        return array.reshape(len(array), -1)

    def write(
        self,
        chosen: np.ndarray,
        parts: Part,
        entries: tuple[Entry, ...],
        numbers: list[np.ndarray],
        monitors: bool = False,
    ) -> None:
        """Restore parts of worlds, then set entries in their order; all in one launch.

        Args:
            chosen: indices of worlds, each once.
            parts: parts to restore, not the parameters.
            entries: entries, whose columns are those of all numbers side by side.
            numbers: given and drawn numbers, (worlds, K) each.
            monitors: whether what steps add up for read-outs begins anew.
        """
        state = self._state
        if self._layout is not state.layout:  # pairs of colliders have more slots
            self._layout, self._start = state.layout, with_slots(state, self._start)
            self._forget_plans()
        if len(numbers) == 1:
            whole = numbers[0]
        else:
            whole = np.concatenate(numbers, 1) if numbers else np.empty((len(chosen), 0))
        monitors = monitors and "monitors" in state.arrays(("monitors",))
        key = parts, monitors, entries  # fast if the entries are those of the plan
        if len(self._plans) > MOST_PLANS:
            self._forget_plans()
        plan = self._plans.get(key)
        if plan is None:
            planner = Planner(state, self._fields.columns, self._start, self._roots_of_trees)
            plan = self._plans[key] = planner.plan(parts, entries, whole.shape[1], monitors)
        varying = self._prepare_parameters(state.parameters, plan.parameters, chosen)
        if self._launches is None:
            self._launches = WorldResets(state)
        given = whole if plan.units is None else whole / plan.units
        self._launches.write(self._rows_of_plan(key, varying), np.ascontiguousarray(given, state.float), chosen)
        if plan.moves:
            state.mark_positions_changed(chosen)
        state.mark_state_changed()
        if entries or not plan.asleep:
            state.wake(chosen)
        if plan.scheduled:
            self._fields.schedule.move(self._start.schedule_steps, chosen)

    def _forget_plans(self) -> None:
        self._plans.clear()
        self._rows.clear()
        self._launches = None

    def _roots_of_trees(self) -> RootsOfTrees:
        """Return the roots at the start; for the first call a world is there for a while."""
        if self._roots is None:
            fields, first, placed = self._fields, np.array([0]), Part.POSITIONS | Part.ROOT
            kept = take(fields, first)
            restore(fields, self._start, first, placed)
            poses = fields.read("root_pose", worlds=first)[0].astype(np.float64)
            trees = self._start.rows["POSE"][0].reshape(-1, 7)[fields.columns.tree_roots].astype(np.float64)
            trees[:, :3] *= self._metres
            self._roots = RootsOfTrees(poses, trees)
            restore(fields, kept, first, placed | Part.SLEEP)
        return self._roots

    def _rows_of_plan(self, key: tuple, varying: list[str]) -> ResetRows:
        """Return the rows of a plan, and those of the parameters that vary."""
        known = self._rows.get(key)
        if known is None or known[0] is not varying:
            state, plan = self._state, self._plans[key]
            buffers = [(state.parameters.device_buffer(name), self._start.parameters[name][0]) for name in varying]
            everything = slice(None)
            spans = [Span("parameters", *b.place, np.asarray(b.in_units(rows, everything))) for b, rows in buffers]
            words, start = join_spans((*plan.spans, *spans), state.layout.sizes["state"], state.float)
            known = self._rows[key] = varying, plan.rows._replace(spans=words, start=start)
        return known[1]

    @property
    def _state(self) -> State:
        """The state, of which all rows lie in one buffer; see `__call__`."""
        state = self._fields.state
        assert isinstance(state, State)
        return state

    def _prepare_parameters(self, parameters: Parameters, names: tuple[str, ...], chosen: np.ndarray) -> list[str]:
        """Restore the base rows of parameters in worlds; return those whose rows the launch writes.

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
        parameters.move_to_device(varying)
        return varying

    def _restore_on_host(self, name: str, chosen: np.ndarray) -> None:
        """Restore the base rows of a parameter in worlds where they have changed."""
        parameters, rows = self._fields.state.parameters, self._start.parameters[name]
        now = parameters[name]
        if (now[chosen if len(now) > 1 else slice(None)] != rows).any():
            now = np.broadcast_to(now, (self._fields.state.worlds, rows.shape[1])).copy()
            now[chosen] = rows
            parameters[name] = now
