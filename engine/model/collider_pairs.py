"""Pairs of colliders that may touch, as arrays, with their sides as PhysX orders them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..tables.collision_table import COLLISIONS, PairLaw
from ..tables.contacts import SHAPES
from .builder import Builder
from .collider_facts import ColliderFacts
from .collision_pairs import collision_pairs


def table_of_laws(value: Callable[[PairLaw], int]) -> np.ndarray:
    """Return a number of each law by kinds of shapes A and B, (K, K); 0 for kinds that do not touch."""
    table = np.zeros((len(SHAPES), len(SHAPES)), int)
    for (a, b), law in COLLISIONS.items():
        table[SHAPES[a], SHAPES[b]] = value(law)
    return table


HAS_LAW = table_of_laws(lambda law: True) > 0
"""Mask of the kinds A and B that touch, in this order, (K, K) of bool."""


@dataclass(frozen=True)
class ColliderPairs:
    """Pairs of two colliders, one row of each array per pair; the solver's normal points from side 1 to side 0."""

    side0: np.ndarray  # number of the collider
    side1: np.ndarray
    owner0: np.ndarray  # articulation or free body of side 0
    owner1: np.ndarray  # that of side 1, -1 for what is static or kinematic
    kinematic1: np.ndarray  # kinematic body of side 1, or -1

    @classmethod
    def of_sides(cls, facts: ColliderFacts, side0: np.ndarray, side1: np.ndarray) -> "ColliderPairs":
        """Return the pairs with these colliders on their sides."""
        given, other = facts.kinematic[side1], facts.owner[side1]
        return cls(side0, side1, facts.owner[side0], np.where(given, -1, other), np.where(given, other, -1))

    def __len__(self) -> int:
        return len(self.side0)

    def __getitem__(self, rows: np.ndarray) -> "ColliderPairs":
        """Return some of the pairs, by mask or index."""
        return ColliderPairs(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @property
    def sides(self) -> np.ndarray:
        """Numbers of both colliders, the smaller one first, (pairs, 2)."""
        return np.sort(np.stack([self.side0, self.side1], axis=1), axis=1)


def find_pairs(b: Builder, facts: ColliderFacts, among: np.ndarray | None = None) -> ColliderPairs:
    """Return the pairs of a scene that contacts are generated for, or those among some of its colliders."""
    pairs = collision_pairs(b.scene, among)
    met = (HAS_LAW | HAS_LAW.T)[facts.kind[pairs[:, 0]], facts.kind[pairs[:, 1]]]
    pairs = pairs[met & facts.movable[pairs].any(axis=1)] if len(pairs) else pairs
    return pairs_of(facts, pairs)


def pairs_of(facts: ColliderFacts, pairs: np.ndarray) -> ColliderPairs:
    """Return pairs of the numbers of two colliders, (P, 2), with their sides."""
    flips = facts.rank[pairs[:, 0]] > facts.rank[pairs[:, 1]]
    side0, side1 = np.where(flips, pairs[:, 1], pairs[:, 0]), np.where(flips, pairs[:, 0], pairs[:, 1])
    return ColliderPairs.of_sides(facts, side0, side1)


def is_inner(facts: ColliderFacts, pairs: ColliderPairs) -> np.ndarray:
    """Return whether pairs are solved in the sweep of a link: one of a link and something static."""
    return (pairs.owner1 < 0) & ~facts.free[pairs.side0]


def join(*parts: ColliderPairs) -> ColliderPairs:
    """Return the pairs of all parts, one after the other."""
    names = ColliderPairs.__dataclass_fields__
    return ColliderPairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def reverses(kind0: np.ndarray, kind1: np.ndarray) -> np.ndarray:
    """Return whether shape A is on side 1: where the collision table has the kinds in the other order."""
    return ~HAS_LAW[kind0, kind1]
