"""A simulation of a changed robot goes on where another one stands: its state is carried over by name."""

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

    gone: tuple[str, ...]  # of the simulation that was taken over
    new: tuple[str, ...]  # of the one that goes on, where they are as the scene says


class StateTransfer:
    """How a simulation takes over the state of another one."""

    def copy_state_from(self, other, renamed: Mapping[str, str] | None = None) -> Unmatched:
        """Go on where another simulation stands, after links or joints were added, removed or renamed.

        Carried over by equal names: joint positions, speeds and last efforts, poses and velocities of roots, and
        whatever was set since the other one's start: targets, efforts, gains, limits, forces. What was not set is as in
        this simulation's own scene. The clock goes on, and everything is awake.

        Args:
            other: a simulation of as many worlds, or of one, which all worlds take over.
            renamed: prim path in the other one → path here, of joints, links or articulations.

        Returns:
            What had no counterpart.

        Raises:
            KeyError: `renamed` names something that is not there; nothing is changed.
            ValueError: another number of worlds; nothing is changed.
        """
        if other.worlds not in (1, self.worlds):
            raise ValueError(
                f"copy_state_from: the other has {other.worlds} worlds: expected {self.worlds}, or 1 for all"
            )
        pairs = {of: _pairs(other, self, of, renamed or {}) for of in NOUNS}
        _check(other, self, renamed or {})
        first = [self.quantity(name) for name in STATE]  # a root may hang on a joint
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
        """Put links where those of the other stand: joints of two and more rotations do not say it to the last digit.

        A link without a counterpart keeps its place on its parent.
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
        """A quantity that can be set, as the scene has it, (1, columns, ...)."""
        rows = self._start.parameters[quantity.row]
        rows = rows if quantity.of == "dof" else rows[:, self._picked(quantity)]
        rows = np.where(np.abs(rows) < INFINITE, rows, np.copysign(np.inf, rows)).astype(self._state.float)
        return rows.reshape(1, -1, *quantity.numbers)


def _pairs(old, new, of: str, renamed: Mapping[str, str]) -> tuple[list[int], list[int]]:
    """Columns of the new one, and those of the old one that have the same name."""
    at = {_name(name, renamed): i for i, name in enumerate(getattr(old, of))}
    found = [(i, at[name]) for i, name in enumerate(getattr(new, of)) if name in at]
    return [i for i, _ in found], [j for _, j in found]


def _name(name: str, renamed: Mapping[str, str]) -> str:
    """The name of a column after the renaming; that of a degree of freedom is a path and an axis."""
    path, colon, axis = name.partition(":")
    return renamed.get(path, path) + colon + axis


def _check(old, new, renamed: Mapping[str, str]) -> None:
    """Raise KeyError for a renaming of or to what is not there."""
    for number, (sim, names) in enumerate(((old, renamed), (new, renamed.values()))):
        known = {name.partition(":")[0] for of in NOUNS for name in getattr(sim, of)}
        for name in names:
            if name not in known:
                place = ("the other simulation", "this simulation")[number]
                raise KeyError(f"renamed: no {name!r} in {place}; name a joint, a link or an articulation of it")


def _carry(old, new, quantity, pair: tuple[list[int], list[int]]) -> None:
    """Carry a quantity over: state always, what can be set where it was set."""
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
