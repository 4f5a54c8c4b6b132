"""Transfer of state by name from one simulation to the simulation of a changed robot."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..quaternion import conjugate, multiply, rotate
from ..selection import NOUNS
from ..tables.layout import INFINITE
from ..tables.topology import NODE
from .field import Field

STATE = ("q", "qd", "root_pose", "root_velocity")


@dataclass(frozen=True)
class Unmatched:
    """Names without a counterpart: degrees of freedom, links and articulations."""

    gone: tuple[str, ...]  # names of the source simulation
    new: tuple[str, ...]  # names of the target simulation; they keep the scene's values


class StateTransfer:
    """Copying of state between simulations."""

    def copy_state_from(self, other, renamed: Mapping[str, str] | None = None) -> Unmatched:
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
        if other.worlds not in (1, self.worlds):
            raise ValueError(
                f"copy_state_from: other.worlds = {other.worlds}: must be {self.worlds}, or 1 to copy one world to all"
            )
        pairs = {of: _pairs(other, self, of, renamed or {}) for of in NOUNS}
        _check(other, self, renamed or {})
        first = [self.quantity(name) for name in STATE]  # a root pose may depend on a joint
        for quantity in (*first, *(q for q in self.quantities() if not q.readonly and q.name not in STATE)):
            _carry(other, self, quantity, pairs[quantity.of])
        here, there = pairs["dof"]
        rows, driven = self._state.rows["APPLIED_EFFORT"], self.read("applied_effort")
        driven[:, here] = other.read("applied_effort")[:, there]
        self._synced_state().buffer("state").write(driven, rows)
        self._copy_link_poses(other, *pairs["link"])
        self.steps = other.steps
        return Unmatched(
            gone=tuple(name for of, (_, there) in pairs.items() for name in _rest(other, of, there)),
            new=tuple(name for of, (here, _) in pairs.items() for name in _rest(self, of, here)),
        )

    def _copy_link_poses(self, other, here: list[int], there: list[int]) -> None:
        """Copy link poses of the other simulation; joints of several rotations do not determine them to the last digit.

        A link without a counterpart keeps its pose relative to its parent.
        """
        state, model, old = self._synced_state(), self._state.model, other._synced_state().model
        rows = state.rows["POSE"]
        now = state.buffer("state").read(rows).reshape(self.worlds, -1, 7)
        before, poses = now.copy(), np.broadcast_to(other.read("link_com_pose"), (self.worlds, len(other.link), 7))
        known = {self._links[i]: other._links[j] for i, j in zip(here, there, strict=True)}
        at = {link: j for j, link in enumerate(other._links)}
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
        state.buffer("state").write(now.reshape(self.worlds, -1), rows)
        state.mark_state_changed()

    def initial_values(self, quantity: Field) -> np.ndarray:
        """Return a settable field with the scene's values, (1, columns, ...)."""
        rows = self._start.parameters[quantity.row]
        rows = rows if quantity.of == "dof" else rows[:, self._picked(quantity)]
        rows = np.where(np.abs(rows) < INFINITE, rows, np.copysign(np.inf, rows)).astype(self._state.float)
        return rows.reshape(1, -1, *quantity.numbers)


def _pairs(old, new, of: str, renamed: Mapping[str, str]) -> tuple[list[int], list[int]]:
    """Return the columns of the new simulation, and the columns with equal names of the old one."""
    at = {_name(name, renamed): i for i, name in enumerate(getattr(old, of))}
    found = [(i, at[name]) for i, name in enumerate(getattr(new, of)) if name in at]
    return [i for i, _ in found], [j for _, j in found]


def _name(name: str, renamed: Mapping[str, str]) -> str:
    """Return the renamed name of a column; the name of a degree of freedom is a path and an axis."""
    path, colon, axis = name.partition(":")
    return renamed.get(path, path) + colon + axis


def _check(old, new, renamed: Mapping[str, str]) -> None:
    """Raise KeyError for a renaming from or to a missing prim."""
    for number, (sim, names) in enumerate(((old, renamed), (new, renamed.values()))):
        known = {name.partition(":")[0] for of in NOUNS for name in getattr(sim, of)}
        for name in names:
            if name not in known:
                place = ("the other simulation", "this simulation")[number]
                raise KeyError(f"renamed = {name!r}: must be a joint, link or articulation of {place}")


def _carry(old, new, quantity, pair: tuple[list[int], list[int]]) -> None:
    """Copy a field: the state always, other fields where they were set."""
    here, there = pair
    name = quantity.name
    values, given = new.read(name), np.broadcast_to(old.read(name), (new.worlds, *old.read(name).shape[1:]))
    if name in STATE:
        values[:, here] = given[:, there]
        if name == "root_velocity":
            values[:, ~new.floats] = 0.0
    else:
        was_set = (given != old.initial_values(quantity))[:, there]
        values[:, here] = np.where(was_set, given[:, there], values[:, here])
    new.write(name, values)


def _rest(sim, of: str, matched: list[int]) -> list[str]:
    return [name for i, name in enumerate(getattr(sim, of)) if i not in matched]
