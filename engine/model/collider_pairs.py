"""Pairs of colliders that may touch, as arrays, with their sides as PhysX orders them."""

from dataclasses import dataclass

import numpy as np

from ..scene import ShapeKind
from ..tables.contacts import MANIFOLD_POINTS, MANIFOLDS_ON_MESH, POINTS_ON_MESH
from .builder import Builder
from .collider_facts import KIND_COUNT, ColliderFacts
from .collision_pairs import collision_pairs

ROUNDS = ("CYLINDER", "CONE")
POLYHEDRA = ("BOX", "CONVEX_HULL")
SOLIDS = ("BOX", *ROUNDS, "CONVEX_HULL")
CONVEX = {(a, b) for a in ("SPHERE", "CAPSULE", *POLYHEDRA) for b in POLYHEDRA} - {("SPHERE", "BOX")}
"""Kinds of shapes A and B whose contacts begin with their nearest points."""
ON_MESH = {(kind, "TRIANGLE_MESH") for kind in ("SPHERE", "CAPSULE", *POLYHEDRA)}
KEPT = dict.fromkeys(CONVEX | {(kind, "PLANE") for kind in ("CAPSULE", *POLYHEDRA)}, 1) | dict.fromkeys(
    ON_MESH, MANIFOLDS_ON_MESH
)
"""Kinds of shapes A and B with persistent manifolds, and how many."""
CORES = {(a, b): 1 for a in ROUNDS for b in (*SOLIDS, "TRIANGLE_MESH")} | {
    (a, b): 1 for a in ("SPHERE", "CAPSULE", "BOX") for b in ROUNDS
}
"""Kinds of shapes A and B that meet as cores."""
POINTS = (
    {(kind, other): 4 for kind in SOLIDS for other in ("PLANE", *SOLIDS)}
    | {("CAPSULE", other): 2 for other in ("PLANE", *POLYHEDRA)}
    | {("CAPSULE", other): 4 for other in ROUNDS}
    | dict.fromkeys(ON_MESH, POINTS_ON_MESH)
    | {(kind, "TRIANGLE_MESH"): POINTS_ON_MESH for kind in ROUNDS}
    | {("CAPSULE", "TRIANGLE_MESH"): POINTS_ON_MESH // 2, ("SPHERE", "TRIANGLE_MESH"): MANIFOLD_POINTS}
    | {("CAPSULE", "CAPSULE"): 4}
)
"""Most contact points of a pair of kinds; else 1."""
GENERATED = set(POINTS) | {("SPHERE", kind) for kind in ("SPHERE", "PLANE", "CAPSULE", *SOLIDS)}
"""Kinds of pairs that contacts are generated for."""


@dataclass(frozen=True)
class ColliderPairs:
    """Pairs of two colliders, one row of each array per pair; the solver's normal points from side 1 to side 0."""

    side0: np.ndarray  # number of the collider
    side1: np.ndarray
    owner0: np.ndarray  # articulation or free body of side 0
    owner1: np.ndarray  # that of side 1, -1 for what is static or kinematic
    kinematic1: np.ndarray  # kinematic body of side 1, or -1

    def __len__(self) -> int:
        return len(self.side0)

    def __getitem__(self, rows: np.ndarray) -> "ColliderPairs":
        """Return some of the pairs, by mask or index."""
        return ColliderPairs(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @property
    def sides(self) -> np.ndarray:
        """Numbers of both colliders, the smaller one first, (pairs, 2)."""
        return np.sort(np.stack([self.side0, self.side1], axis=1), axis=1)


def table_of_kinds(values: dict[tuple[str, str], int], otherwise: int) -> np.ndarray:
    """Return a number for every kind A and kind B."""
    table = np.full((KIND_COUNT, KIND_COUNT), otherwise)
    for (a, b), value in values.items():
        table[ShapeKind[a], ShapeKind[b]] = value
    return table


def find_pairs(b: Builder, facts: ColliderFacts) -> ColliderPairs:
    """Return the pairs of a scene that contacts are generated for."""
    pairs = collision_pairs(b.scene)
    generated = table_of_kinds(dict.fromkeys(GENERATED, 1), 0)
    met = (generated | generated.T)[facts.kind[pairs[:, 0]], facts.kind[pairs[:, 1]]] > 0
    pairs = pairs[met & facts.movable[pairs].any(axis=1)] if len(pairs) else pairs
    flips = facts.rank[pairs[:, 0]] > facts.rank[pairs[:, 1]]
    side0, side1 = np.where(flips, pairs[:, 1], pairs[:, 0]), np.where(flips, pairs[:, 0], pairs[:, 1])
    given, other = facts.kinematic[side1], facts.owner[side1]
    return ColliderPairs(side0, side1, facts.owner[side0], np.where(given, -1, other), np.where(given, other, -1))


def reverses(kind0: np.ndarray, kind1: np.ndarray) -> np.ndarray:
    """Return whether shape A is on side 1: the one whose kind comes first, and never a plane.

    Cylinders and cones are one kind here, as in PhysX.
    """
    rounds = [np.isin(kind, [ShapeKind[name] for name in ROUNDS]) for kind in (kind0, kind1)]
    return (kind0 == ShapeKind.PLANE) | ((kind1 < kind0) & (kind1 != ShapeKind.PLANE) & ~(rounds[0] & rounds[1]))
