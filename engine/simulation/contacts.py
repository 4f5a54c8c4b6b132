"""Contact points of the last step, as arrays, and their forces on pairs and links."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..device.copies_state import AnyState
from ..tables.contacts import MANIFOLD_POINTS, PAIR_BLOCK
from ..tables.topology import TABLES
from .field import FieldValues
from .step_results import result_buffer


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contact points of the last step: N points, ordered by world, pair of colliders and place in the pair.

    Points are those of the start of the step, at which the solver stopped the bodies. `contacts[w]` has the points of
    world w, `contacts[2:5]` those of three worlds; indices of worlds stay. The impulse is along the normal; friction is
    part of `Simulation.pair_force`.
    """

    worlds: tuple[int, ...]  # worlds that the points are from
    pairs: Sequence[str]  # names of all pairs that may touch, as `Simulation.pair`
    world: np.ndarray  # (N,) world of each point
    index: np.ndarray  # (N,) place of the pair of each point in `pairs`
    point: np.ndarray  # (N, 3) position, world axes [m]
    normal: np.ndarray  # (N, 3) unit vector from the second collider to the first, world axes
    gap: np.ndarray  # (N,) distance of the two shapes along the normal, negative in penetration [m]
    impulse: np.ndarray  # (N,) impulse along the normal in the step, on the first collider [N·s]

    def __len__(self) -> int:
        return len(self.world)

    def __getitem__(self, worlds: int | slice | np.ndarray | Sequence[int]) -> "Contacts":
        """Return the points of some worlds, by index, slice, mask or list."""
        chosen = np.array(self.worlds)[worlds].reshape(-1)
        mine = np.isin(self.world, chosen)
        rows = {name: getattr(self, name)[mine] for name in ("world", "index", "point", "normal", "gap", "impulse")}
        return replace(self, worlds=tuple(chosen.tolist()), **rows)

    @property
    def count(self) -> np.ndarray:
        """Number of points of each world in `worlds`."""
        return np.array([(self.world == world).sum() for world in self.worlds], int)

    @property
    def pair(self) -> np.ndarray:
        """Prim paths of the two colliders of each point, (N, 2)."""
        used, place = np.unique(self.index, return_inverse=True)
        paths = np.array([self.pairs[int(number)].split("|") for number in used], str).reshape(-1, 2)
        return paths[place.reshape(-1)]


def read_contacts(state: AnyState) -> Contacts:
    """Return the contact points of the last step in all worlds."""
    points = state.model.tables["PAIRS"][:, TABLES["PAIRS"]["POINTS"]]
    if state.slots.shared:
        points = np.full(state.slots.owned["W"], MANIFOLD_POINTS * state.slots.manifolds)
    slots, starts = np.repeat(np.arange(len(points)), points), np.cumsum(points) - points
    counts = _rows(state, "PAIR_POINTS", 1)[..., 0]
    exists = np.arange(len(slots)) - starts[slots] < counts[:, slots]
    world, item = np.nonzero(exists)
    index = slots[item]
    if state.slots.shared:
        index = _numbers(state, world, index)
    names = {
        "point": "CONTACT_POINT",
        "normal": "CONTACT_NORMAL",
        "gap": "CONTACT_SEPARATION",
        "impulse": "CONTACT_IMPULSE",
    }
    rows = {name: _rows(state, row, 3 if name in ("point", "normal") else 1)[exists] for name, row in names.items()}
    rows |= {name: rows[name][:, 0] for name in ("gap", "impulse")}
    return Contacts(tuple(range(state.worlds)), state.model.pair, world, index, **rows)


def read_pair_forces(state: AnyState) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return world and number of every pair that touches, ordered by both, and the force on its first collider [N]."""
    world, slot = np.nonzero(_rows(state, "PAIR_POINTS", 1)[..., 0])
    pair = slot
    if state.slots.shared:
        pair = _numbers(state, world, slot)
    return (world, pair), _rows(state, "PAIR_FORCE", 3)[world, slot]


def _numbers(state: AnyState, world: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Return the numbers of the pairs that have the results of shared slots."""
    block, place = (_rows(state, name, 1)[world, slot, 0].astype(int) for name in ("RESULT_BLOCK", "RESULT_PAIR"))
    return block * PAIR_BLOCK + place - 1


def count_lost_pairs(state: AnyState) -> np.ndarray:
    """Return the most pairs that were near but had no slot in a step of the last launch, (W,)."""
    return _rows(state, "LOST_PAIRS", 1).sum((1, 2)).astype(int)


def _rows(state: AnyState, name: str, width: int) -> np.ndarray:
    """Return a result of contacts, (W, items, width)."""
    buffer, rows = state.layout.places[name]
    found = result_buffer(state, name, "contacts") if buffer == "results" else state.buffer(buffer)
    return found.read(rows).reshape(state.worlds, -1, width)


def pair_force(fields: FieldValues) -> np.ndarray:
    """Return the force on the first collider of every pair [N], (W, P, 3)."""
    if not fields.state.slots.shared:  # a slot is a pair's own; its force is that of the last step in which it touched
        return np.where(_rows(fields.state, "PAIR_POINTS", 1) != 0, _rows(fields.state, "PAIR_FORCE", 3), 0)
    (world, pair), forces = read_pair_forces(fields.state)
    total = np.zeros((fields.state.worlds, len(fields.columns.pair), 3), forces.dtype)
    total[world, pair] = forces
    return total


def link_contact_force(fields: FieldValues) -> np.ndarray:
    """Return the net contact force on every link [N], (W, L, 3); a pair acts on its second link negatively."""
    (world, pair), forces = read_pair_forces(fields.state)
    total = np.zeros((fields.state.worlds, len(fields.columns.link), 3), forces.dtype)
    ends = fields.columns.pair_links(pair)
    for side, sign in enumerate((1, -1)):
        links = ends[:, side]
        moves = links >= 0
        np.add.at(total, (world[moves], links[moves]), sign * forces[moves])  # in the order of the pairs of a world
    return total
