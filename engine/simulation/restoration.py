"""Snapshots of a simulation: taken from its fields, and restored bit by bit."""

import reprlib
from collections.abc import Set
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..device.copies_state import AnyState
from ..device.row_layout import ON_REQUEST
from ..device.state import State
from .field import Derived
from .field_access import FieldAccess
from .fields import Fields
from .snapshot import ROWS, InvalidSnapshot, Part, Snapshot, rows_of
from .world_indices import Worlds, world_indices


def take(fields: FieldAccess, worlds: Worlds = None) -> Snapshot:
    """Return a snapshot of the present state of all worlds, or of the given ones."""
    chosen, state = world_indices(worlds, fields.state.worlds), fields.state
    state.sync_poses()
    kept, rows = _kept(fields), {}
    for buffer in dict.fromkeys(state.layout.places[name][0] for name in kept):  # on a GPU each read is a launch
        numbers = state.buffer(buffer).raw.read(slice(0, state.layout.sizes[buffer]), chosen)
        for name in kept:
            where, part = state.layout.places[name]
            if where == buffer:
                rows[name] = numbers[:, part].copy()
    parameters = {}
    for name in sorted(_settable(fields)):
        values = fields.temporary.base_value(name)
        parameters[name] = (values if chosen is None or len(values) == 1 else values[chosen]).copy()
    steps = fields.clock.steps, fields.schedule.steps[slice(None) if chosen is None else chosen].copy()
    return Snapshot(state.model.fingerprint, fields.columns.dof, fields.columns.link, *steps, rows, parameters)


def restore(fields: FieldAccess, snapshot: Snapshot, worlds: Worlds = None, parts: Part = Part.ALL) -> None:
    """Restore the state of a snapshot in worlds, bit by bit; see `Simulation.load`."""
    chosen, state = world_indices(worlds, fields.state.worlds), fields.state
    state.sync_poses()
    snapshot = with_slots(state, snapshot)
    _check(fields, snapshot)
    given = _matched(fields, snapshot, chosen)
    wanted, others = rows_of(parts), Part.PARAMETERS in parts
    for name, rows in given.parameters.items():
        if name in wanted or (others and name not in ROWS):
            _set_parameter(fields, name, rows, chosen)
    names = wanted & given.rows.keys()
    placed = Part.POSITIONS | Part.ROOT
    _write_rows(state, given, names | ({"POSE"} if placed & parts == placed else set()), chosen)
    if placed & parts != placed and placed & parts:
        if Part.ROOT & parts:
            at = (7 * fields.columns.tree_roots[:, None] + np.arange(7)).ravel()
            rows = state.layout.rows["POSE"].start + at
            state.buffer("state").raw.write(given.rows["POSE"][:, at], rows, chosen)
        state.mark_positions_changed(chosen)
    state.mark_state_changed()
    if not Part.SLEEP & parts:
        state.wake(chosen)
    if Part.SCHEDULE & parts:
        fields.schedule.move(given.schedule_steps, chosen)
    if Part.CLOCK & parts and (chosen is None or len(chosen) == fields.state.worlds):
        fields.clock.steps = snapshot.steps


def with_slots(state: AnyState, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot with as many slots of pairs as a state, which grows if the snapshot has more."""
    if isinstance(state, State) and isinstance(snapshot, Snapshot):
        return replace(snapshot, rows=state.growth.rows_of_snapshot(snapshot.rows))
    return snapshot


def _write_rows(state: AnyState, given: Snapshot, names: Set[str], chosen: np.ndarray | None) -> None:
    """Write rows of a snapshot to worlds, the rows of a buffer at once."""
    named: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        buffer, rows = state.layout.places[name]
        named.setdefault(buffer, []).append((rows.start, name))
    for buffer, parts in named.items():
        values = np.concatenate([given.rows[name] for _, name in sorted(parts)], 1)
        ranges = [state.layout.places[name][1] for _, name in sorted(parts)]
        rows = np.concatenate([np.arange(part.start, part.stop) for part in ranges])
        if len(rows):
            whole = rows[-1] - rows[0] == len(rows) - 1
            rows = slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
            state.buffer(buffer).raw.write(values, rows, chosen)


def _kept(fields: FieldAccess) -> list[str]:
    """Return the rows of a snapshot: those of links follow from the state, and read-outs add up monitors anew."""
    return [name for name, (buffer, _) in fields.state.layout.places.items() if buffer not in ("links", *ON_REQUEST)]


def _settable(fields: FieldAccess) -> set[str]:
    rows = {quantity.row for quantity in Fields.quantities() if not isinstance(quantity, Derived)}
    return rows - set(fields.state.layout.places)


def _check(fields: FieldAccess, snapshot: Snapshot) -> None:
    """Raise InvalidSnapshot for a snapshot of another model, precision or version."""
    if not isinstance(snapshot, Snapshot):
        fix = "read it by Snapshot.read" if isinstance(snapshot, str | Path) else "pass what save returned"
        raise TypeError(f"snapshot = {reprlib.repr(snapshot)}: must be a Snapshot; {fix}")
    state = fields.state
    mend = "save one of this simulation"
    own_names = fields.columns.dof, fields.columns.link
    if (snapshot.dof, snapshot.link) != own_names or snapshot.model != state.model.fingerprint:
        seen, own = (
            f"{len(s.dof)} degrees of freedom and {len(s.link)} links of {s.link[0]}"
            for s in (snapshot, fields.columns)
        )
        also = ", connected differently" if seen == own else ""
        raise InvalidSnapshot(f"snapshot = {seen}: must be of this model, {own}{also}; {mend}")
    widths = {name: rows.stop - rows.start for name in _kept(fields) for rows in [state.layout.places[name][1]]}
    if {name: rows.shape[1:] for name, rows in snapshot.rows.items()} != {n: (w,) for n, w in widths.items()}:
        raise InvalidSnapshot(f"snapshot: must be of this version, with rows {', '.join(widths)}; {mend}")
    types = {rows.dtype for rows in snapshot.rows.values()}
    if types != {np.dtype(state.float)}:
        seen = ", ".join(sorted(map(str, types)))
        raise InvalidSnapshot(f"snapshot = {seen}: must be {np.dtype(state.float)}; {mend}")
    shapes = {name: state.parameters[name].shape[1:] for name in _settable(fields)}
    lengths = {len(rows) for rows in snapshot.rows.values()} | {len(r) for r in snapshot.parameters.values()} - {1}
    if {name: rows.shape[1:] for name, rows in snapshot.parameters.items()} != shapes or len(lengths) > 1:
        raise InvalidSnapshot(f"snapshot: must be of this version, with {', '.join(sorted(shapes))}; {mend}")


def _matched(fields: FieldAccess, snapshot: Snapshot, chosen: np.ndarray | None) -> Snapshot:
    """Return the snapshot with one world for each selected world."""
    wanted = fields.state.worlds if chosen is None else len(chosen)
    if snapshot.worlds == 1:
        return snapshot[np.zeros(wanted, int)]
    if snapshot.worlds == fields.state.worlds:
        return snapshot if chosen is None else snapshot[chosen]
    if snapshot.worlds == wanted:
        return snapshot
    expected = sorted({1, wanted, fields.state.worlds})
    raise InvalidSnapshot(
        f"snapshot = {snapshot.worlds} worlds: must be {' or '.join(map(str, expected))} worlds for {wanted} of "
        f"{fields.state.worlds}; select some with snapshot[worlds]"
    )


def _set_parameter(fields: FieldAccess, name: str, rows: np.ndarray, chosen: np.ndarray | None) -> None:
    """Set a parameter where its value changes."""
    if chosen is None:
        fields.temporary.restore(name)
    else:
        fields.temporary.replace(name, rows, chosen)
    parameters = fields.state.parameters
    now = parameters[name]
    if ((now if chosen is None or len(now) == 1 else now[chosen]) == rows).all():
        return
    if chosen is not None:
        rows, given = np.broadcast_to(now, (fields.state.worlds, now.shape[1])).copy(), rows
        rows[chosen] = given
    parameters[name] = rows
