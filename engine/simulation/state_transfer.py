"""Transfer of state by name from one simulation to the simulation of a changed robot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..model.pair_names import PairNames
from ..quaternion import conjugate, multiply, rotate
from ..selection import NOUNS
from ..tables.topology import NODE
from .columns import Columns
from .field import Field
from .field_access import FieldAccess
from .fields import Fields
from .snapshot import Snapshot

STATE = ("q", "qd", "root_pose", "root_velocity")
KINDS = tuple(of for of in NOUNS if of != "pair")
"""Kinds of columns of the fields that are copied."""


@dataclass(frozen=True)
class Unmatched:
    """Names without a counterpart: degrees of freedom, links, articulations, pairs of colliders."""

    gone: tuple[str, ...]  # names of the source simulation
    new: tuple[str, ...]  # names of the target simulation; they keep the scene's values


class StateTransfer:
    """Copying of state from another simulation.

    Args:
        fields: fields of the simulation.
        start: its state at the start.
    """

    def __init__(self, fields: FieldAccess, start: Snapshot):
        self.fields, self._start = fields, start

    def copy_from(self, other: "StateTransfer", renamed: Mapping[str, str]) -> Unmatched:
        """Copy the state of another simulation; see `Simulation.copy_state_from`."""
        old, new = other.fields, self.fields
        if old.state.worlds not in (1, new.state.worlds):
            raise ValueError(
                f"copy_state_from: other.worlds = {old.state.worlds}: must be {new.state.worlds}, or 1 to copy one "
                "world to all"
            )
        pairs = {of: _pairs(old.columns, new.columns, of, renamed) for of in KINDS}
        _check(old.columns, new.columns, renamed)
        first = [Fields.quantity(name) for name in STATE]  # a root pose may depend on a joint
        for field in (*first, *(q for q in Fields.quantities() if not q.readonly and q.name not in STATE)):
            self._copy_field(other, field, pairs[field.of])
        here, there = pairs["dof"]
        rows, driven = new.state.layout.rows["APPLIED_EFFORT"], new.read("applied_effort")
        driven[:, here] = old.read("applied_effort")[:, there]
        new.state.sync_poses()
        new.state.buffer("state").write(driven, rows)
        self._copy_link_poses(old, *pairs["link"])
        self._copy_contacts(old, renamed)
        new.clock.steps = old.clock.steps
        return Unmatched(
            gone=tuple(name for of, (_, there) in pairs.items() for name in _rest(old.columns, of, there)),
            new=tuple(name for of, (here, _) in pairs.items() for name in _rest(new.columns, of, here)),
        )

    def _copy_field(self, other: "StateTransfer", field: Field, pair: tuple[list[int], list[int]]) -> None:
        """Copy a field: the state always, other fields where they were set."""
        here, there = pair
        values, given = self.fields.read(field.name), other.fields.read(field.name)
        given = np.broadcast_to(given, (len(values), *given.shape[1:]))
        if field.name in STATE:
            values[:, here] = given[:, there]
            if field.name == "root_velocity":
                values[:, ~self.fields.columns.floats] = 0.0
        else:
            was_set = (given != other._initial_values(field))[:, there]
            values[:, here] = np.where(was_set, given[:, there], values[:, here])
        self.fields.write_known(field.name, values)

    def _copy_link_poses(self, other: FieldAccess, here: list[int], there: list[int]) -> None:
        """Copy link poses of the other simulation; joints of several rotations do not determine them to the last digit.

        A link without a counterpart keeps its pose relative to its parent.
        """
        state, model, old = self.fields.state, self.fields.state.model, other.state.model
        state.sync_poses()
        rows, links = state.layout.rows["POSE"], other.columns.links
        now = state.buffer("state").read(rows).reshape(state.worlds, -1, 7)
        before, poses = now.copy(), np.broadcast_to(other.read("link_com_pose"), (state.worlds, len(links), 7))
        known = {self.fields.columns.links[i]: links[j] for i, j in zip(here, there, strict=True)}
        at = {link: j for j, link in enumerate(links)}
        for node in model.nodes:
            link, base = node[NODE["LINK"]], node[NODE["PARENT_LAST"]]
            if link in known:
                now[:, link] = poses[:, at[known[link]]]
                shift = model.coms[link] - old.coms[known[link]]
                if shift.any():
                    now[:, link, :3] += rotate(now[:, link, 3:], shift)
            elif base >= 0:
                parent = model.nodes[base, NODE["LINK"]]
                turn = multiply(now[:, parent, 3:], conjugate(before[:, parent, 3:]))
                arm = before[:, link, :3] - before[:, parent, :3]
                now[:, link, :3] = now[:, parent, :3] + rotate(turn, arm)
                now[:, link, 3:] = multiply(turn, before[:, link, 3:])
        state.buffer("state").write(now.reshape(state.worlds, -1), rows)
        state.mark_state_changed()

    def _copy_contacts(self, old: FieldAccess, renamed: Mapping[str, str]) -> None:
        """Copy what lasts of contacts if both simulations have the same pairs; else the next step finds them anew."""
        new = self.fields.state
        named = _pair_names(old.columns.pair, renamed)
        islands = len(new.model.tables["ISLANDS"]) == len(old.state.model.tables["ISLANDS"])
        units = new.model.scene.meters_per_unit == old.state.model.scene.meters_per_unit
        alike = islands and units and new.slots.owned == old.state.slots.owned
        rows = np.zeros((1, new.layout.sizes["contacts"]))
        if alike and named == self.fields.columns.pair:
            rows = old.state.buffer("contacts").read(slice(0, new.layout.sizes["contacts"]))
        rows = np.broadcast_to(rows, (new.worlds, rows.shape[1]))
        new.buffer("contacts").write(np.ascontiguousarray(rows, new.float), slice(0, new.layout.sizes["contacts"]))

    def _initial_values(self, field: Field) -> np.ndarray:
        """Return a settable field with the scene's values, (1, columns, ...)."""
        rows = self.fields.field_values(field, self._start.parameters[field.row])
        return rows.reshape(1, -1, *field.numbers)


def _pairs(old: Columns, new: Columns, of: str, renamed: Mapping[str, str]) -> tuple[list[int], list[int]]:
    """Return the columns of the new simulation, and the columns with equal names of the old one."""
    at = {_name(name, renamed): i for i, name in enumerate(old.names(of))}
    found = [(i, at[name]) for i, name in enumerate(new.names(of)) if name in at]
    return [i for i, _ in found], [j for _, j in found]


def _pair_names(pairs: Sequence[str], renamed: Mapping[str, str]) -> Sequence[str]:
    """Return the renamed names of pairs."""
    if isinstance(pairs, PairNames):
        return pairs.renamed(lambda path: _collider(path, renamed))
    return tuple(_name(name, renamed) for name in pairs)


def _name(name: str, renamed: Mapping[str, str]) -> str:
    """Return the renamed name of a column: a path, a path and an axis, or the paths of a pair."""
    if "|" in name:
        return "|".join(_collider(path, renamed) for path in name.split("|"))
    path, colon, axis = name.partition(":")
    return renamed.get(path, path) + colon + axis


def _collider(path: str, renamed: Mapping[str, str]) -> str:
    """Return the path of a collider below a renamed prim."""
    above = next((prim for prim in renamed if path == prim or path.startswith(f"{prim}/")), "")
    return renamed[above] + path[len(above) :] if above else path


def _check(old: Columns, new: Columns, renamed: Mapping[str, str]) -> None:
    """Raise KeyError for a renaming from or to a missing prim."""
    for number, (columns, names) in enumerate(((old, renamed), (new, renamed.values()))):
        known = {name.partition(":")[0] for of in KINDS for name in columns.names(of)}
        for name in names:
            if name not in known:
                place = ("the other simulation", "this simulation")[number]
                raise KeyError(f"renamed = {name!r}: must be a joint, link or articulation of {place}")


def _rest(columns: Columns, of: str, matched: list[int]) -> list[str]:
    known = set(matched)
    return [name for i, name in enumerate(columns.names(of)) if i not in known]
