"""Plans of resets: the rows that are written for parts of a simulation, and for values that replace them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..device.state import State
from ..device.world_resets import ResetRows, Span, join_spans
from ..tables.monitors import MONITORS
from ..tables.resets import RESET_BUFFERS, RESET_OPERATIONS
from .columns import Columns
from .root_poses import SWAPPED, RootsOfTrees
from .snapshot import Part, Snapshot, rows_of

ROW_OF_VALUE = {"q": "Q", "qd": "QD", "root_velocity": "ROOT_VELOCITY", "root_pose": "POSE"}
"""Rows of the state of the fields that values may replace."""


class Entry(NamedTuple):
    """Columns of a field among `VALUES` that a reset sets to given numbers, or to the start's plus or times drawn ones.

    A number u in [0, 1) draws low + (high - low) u. Root poses have seven given numbers, or six drawn offsets: x, y, z
    [m], roll, pitch and yaw [rad] about the axes of the root.
    """

    field: str
    columns: tuple[int, ...]  # degrees of freedom, or articulations
    at: int  # first column of the numbers
    operation: str = "given"  # given | add | scale
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    shift: int = -1  # first of three columns, a given shift of the drawn root's position [m]; -1: none


class Plan(NamedTuple):
    """What a reset of some parts writes."""

    parameters: tuple[str, ...]
    spans: tuple[Span, ...]  # without those of parameters
    rows: ResetRows  # without spans
    moves: bool  # whether poses follow from a part of what is restored
    asleep: bool  # whether the time at rest is restored
    scheduled: bool
    units: np.ndarray | None  # SI numbers of the units of the columns of numbers on the device; None: they are SI


class Planner:
    """Plans of the resets of a simulation.

    Args:
        state: the state.
        columns: names of its columns.
        start: snapshot of one world at the start, with the slots of the state.
        roots: returns the roots at the start.
    """

    def __init__(self, state: State, columns: Columns, start: Snapshot, roots: Callable[[], RootsOfTrees]):
        self._state, self._columns, self._start, self._roots = state, columns, start, roots
        self._metres = state.model.scene.meters_per_unit

    def plan(self, parts: Part, entries: tuple[Entry, ...], count: int, monitors: bool) -> Plan:
        """Return what a reset of parts and entries writes, from `count` columns of numbers."""
        start, state = self._start, self._state
        wanted, rows = rows_of(parts), {}
        names = [*(wanted & start.rows.keys())]
        if Part.ROOT in parts:
            names.append("POSE")  # joints move what is not the root, when poses are next computed
        spans = [self._span(name, start.rows[name][0]) for name in names]
        if monitors:
            began = [name for name, *_ in MONITORS if name != "FORCE_THRESHOLD"]
            spans += [self._span(name, float(name == "FINITE")) for name in began]
        roots = [entry for entry in entries if entry.field == "root_pose" and entry.operation != "given"]
        for entry in entries:
            if entry not in roots:
                rows |= self._rows_of_entry(entry)
        root_words = [(self._pose_row(entry.columns[0]), entry.at, entry.shift) for entry in roots]
        found = ResetRows(
            *join_spans((), state.layout.sizes["state"], state.float),
            np.array([(row, *rows[row][:2]) for row in sorted(rows)], np.int32).reshape(-1, 3),
            np.array([rows[row][2:] for row in sorted(rows)], state.float).reshape(-1, 3),
            np.array(root_words, np.int32).reshape(-1, 3),
            np.array([self._root_numbers(entry) for entry in roots], state.float).ravel(),
        )
        moved = any(entry.field in ("q", "root_pose") for entry in entries)
        moves = moved or (Part.POSITIONS in parts) != (Part.ROOT in parts)
        parameters = tuple(sorted(wanted & start.parameters.keys()))
        units = self._units_of(entries, count) if state.units else None
        ordered = sorted(spans, key=lambda span: (RESET_BUFFERS.index(span.buffer), span.first))
        asleep, scheduled = Part.SLEEP in parts, Part.SCHEDULE in parts
        return Plan(parameters, tuple(ordered), found, moves, asleep, scheduled, units)

    def _span(self, name: str, numbers: "np.ndarray | float") -> Span:
        """Return the rows of a quantity, and their numbers."""
        layout = self._state.layout
        buffer, place = layout.places[name]
        return Span(buffer, place.start, layout.sizes[buffer], np.broadcast_to(numbers, place.stop - place.start))

    def _state_units(self) -> np.ndarray:
        """Return the SI numbers of the units of the rows of the state on the device."""
        units = self._state.units
        return units.buffers["state"] if units else np.ones(self._state.layout.sizes["state"])

    def _units_of(self, entries: tuple[Entry, ...], count: int) -> np.ndarray:
        """Return the SI numbers of the units of `count` columns of numbers; shares that draw have none."""
        of_state, units = self._state_units(), np.ones(count)
        for entry in entries:
            if entry.operation == "given":
                rows = self._rows_of(entry)
                units[entry.at : entry.at + len(rows)] = of_state[rows]
            if entry.shift >= 0:
                units[entry.shift : entry.shift + 3] = self._metres
        return units

    def _pose_row(self, articulation: int) -> int:
        return self._state.layout.rows["POSE"].start + 7 * int(self._columns.tree_roots[articulation])

    def _root_numbers(self, entry: Entry) -> np.ndarray:
        """Return the numbers of a drawn root, see `tables.resets`."""
        low, high = np.array(entry.low), np.array(entry.high)
        found = np.concatenate([self._roots().numbers[entry.columns[0]], low, high - low])
        for first in (0, 7, 14, 20):  # position, arm, and the offsets of the position
            found[first : first + 3] /= self._metres
        return found

    def _rows_of_entry(self, entry: Entry) -> dict[int, tuple]:
        """Return operation, column, number of the start, lower bound and span of the rows of an entry."""
        name, found, units = ROW_OF_VALUE[entry.field], {}, self._state_units()
        first = self._state.layout.rows[name].start
        for k, row in enumerate(self._rows_of(entry).tolist()):
            number, bounds = float(self._start.rows[name][0, row - first]), (0.0, 0.0)
            if entry.low:
                unit = float(units[row]) if entry.operation == "add" else 1.0
                bounds = entry.low[k] / unit, (entry.high[k] - entry.low[k]) / unit
            found[row] = RESET_OPERATIONS[entry.operation], entry.at + k, number, *bounds
        return found

    def _rows_of(self, entry: Entry) -> np.ndarray:
        """Return the rows of the state that an entry sets, in the order of its numbers."""
        columns, layout = np.array(entry.columns, int)[:, None], self._state.layout.rows
        if entry.field == "root_pose":
            rows = np.array([[self._pose_row(column)] for column in entry.columns]) + np.arange(7)
        elif entry.field == "root_velocity":
            rows = layout["ROOT_VELOCITY"].start + 6 * columns + SWAPPED
        else:
            rows = layout[ROW_OF_VALUE[entry.field]].start + columns
        return rows.ravel()
