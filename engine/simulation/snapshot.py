"""The complete state of worlds at one moment: taken, restored bit by bit, stored in a file."""

import reprlib
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import cache
from pathlib import Path

import numpy as np

from ..device.copies_state import AnyState
from ..device.row_layout import ON_REQUEST
from ..device.state import State
from ..html import count
from ..npz import read_archive, write_archive
from ..tables.contacts import CONTACT_STATE
from ..tables.layout import SLEEP, STATE, STEP_RESULTS
from .field import Derived
from .field_access import FieldAccess
from .fields import Fields
from .world_indices import Worlds, world_indices

FORMAT = "fajin snapshot 1"
FIX = "pass a file written by Snapshot.write of this version"


class InvalidSnapshot(ValueError):
    """Raised for a snapshot that does not fit, or a file without one; the message states what was expected."""


class Part(Flag):
    """Parts of a snapshot that can be restored."""

    POSITIONS = auto()  # of the joints
    VELOCITIES = auto()  # of the joints
    ROOT = auto()  # poses and velocities of the roots
    FORCES = auto()  # efforts and forces of the user
    TARGETS = auto()  # targets of the drives, and what actuators hold of them: integrals and late commands
    PARAMETERS = auto()  # other fields that can be set: gains, limits, friction
    RESULTS = auto()  # results of the last step: efforts, accelerations
    SLEEP = auto()  # time at rest per articulation; if left out, the worlds wake
    CLOCK = auto()  # number of steps, shared by all worlds: restored only with all worlds
    CONTACTS = auto()  # contact points and friction anchors that last from step to step
    SCHEDULE = auto()  # place in the schedule, but not its rows
    ALL = POSITIONS | VELOCITIES | ROOT | FORCES | TARGETS | PARAMETERS | RESULTS | SLEEP | CLOCK | CONTACTS | SCHEDULE


ROWS = {
    "Q": Part.POSITIONS,
    "QD": Part.VELOCITIES,
    "RUNAWAY": Part.VELOCITIES,
    **dict.fromkeys(("JOINT_BROKEN", "GEAR_POSITION0", "GEAR_POSITION1", "GEAR_ERROR", "GEAR_BEGUN"), Part.POSITIONS),
    "ROOT_VELOCITY": Part.ROOT,
    **dict.fromkeys(("APPLIED_EFFORT", *(name for name, *_ in STEP_RESULTS)), Part.RESULTS),
    **dict.fromkeys((name for name, *_ in SLEEP), Part.SLEEP),
    **dict.fromkeys((name for name, *_ in CONTACT_STATE), Part.CONTACTS),
    **dict.fromkeys(
        ("EFFORT", "FORCE", "TORQUE", "FORCE_POSITION", "FORCE_IS_LOCAL", "FORCE_IS_ACCELERATION"), Part.FORCES
    ),
    **dict.fromkeys(("TARGET_Q", "TARGET_QD", "MAXIMAL_JOINT_TARGET_Q", "MAXIMAL_JOINT_TARGET_QD"), Part.TARGETS),
    **dict.fromkeys((name for name, owner, *_ in STATE if owner in "ac"), Part.TARGETS),
}
"""Part that each row belongs to. Other parameters belong to PARAMETERS; POSE follows from POSITIONS and ROOT."""


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """The state of S worlds of one model. `snapshot[worlds]` selects worlds."""

    model: str  # fingerprint of the robots' structure
    dof: tuple[str, ...]
    link: tuple[str, ...]
    steps: int  # since the start
    schedule_steps: np.ndarray  # since the schedule began: (S,)
    rows: dict[str, np.ndarray]  # of state and rates by name: (S, n), in its precision and units of the device
    parameters: dict[str, np.ndarray]  # that can be set, by name: (S, n), or (1, n) where all worlds share them

    def __repr__(self) -> str:
        """Return one line: sizes and step."""
        sizes = f"{count(self.worlds, 'world')}, {count(len(self.dof), 'degree of freedom', 'degrees of freedom')}"
        return f"<Snapshot of {sizes}, {count(len(self.link), 'link')}, step {self.steps}>"

    @property
    def worlds(self) -> int:
        """Number of worlds, S."""
        return len(self.rows["Q"])

    def __getitem__(self, worlds: int | slice | np.ndarray | Sequence[int]) -> "Snapshot":
        """Return a snapshot of some worlds, by index, slice, mask or list."""
        chosen = np.arange(self.worlds)[worlds].reshape(-1)
        parameters = {name: rows if len(rows) == 1 else rows[chosen] for name, rows in self.parameters.items()}
        return replace(
            self,
            schedule_steps=self.schedule_steps[chosen],
            rows={name: rows[chosen] for name, rows in self.rows.items()},
            parameters=parameters,
        )

    def write(self, path: str | Path) -> None:
        """Write an .npz file, completely or not at all.

        Raises:
            OutputError: the file cannot be written.
        """
        words = {"model": self.model, "dof": self.dof, "link": self.link, "steps": self.steps}
        words["schedule_steps"] = self.schedule_steps
        arrays = {name: np.array(value) for name, value in words.items()}
        arrays |= {f"row.{name}": rows for name, rows in self.rows.items()}
        arrays |= {f"parameter.{name}": rows for name, rows in self.parameters.items()}
        write_archive(path, FORMAT, arrays)

    @classmethod
    def read(cls, path: str | Path) -> "Snapshot":
        """Read a file that `write` wrote.

        Raises:
            InvalidSnapshot: the file is missing, or not a snapshot.
        """
        arrays = read_archive(path, FORMAT, lambda rule: InvalidSnapshot(f"{path}: must be {rule}; {FIX}"))
        rows, parameters = (
            {name.removeprefix(part): array for name, array in arrays.items() if name.startswith(part)}
            for part in ("row.", "parameter.")
        )
        try:
            dof, link = (tuple(map(str, arrays[name])) for name in ("dof", "link"))
            steps = int(arrays["steps"]), arrays["schedule_steps"]
            return cls(str(arrays["model"]), dof, link, *steps, rows, parameters)
        except KeyError as error:
            raise InvalidSnapshot(f"{path}: {error} is missing; pass a file written by Snapshot.write") from None


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


@cache
def rows_of(parts: Part) -> frozenset[str]:
    """Return the names of the rows of some parts; flags take as long as all the rest of a reset of few worlds."""
    return frozenset(name for name, part in ROWS.items() if part & parts)


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
