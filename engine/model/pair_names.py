"""Pairs of colliders by number, with their colliders and names; those that a model does not list are computed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from ..tables.topology import TABLES

_ISLAND, _PAIR, _BODY = TABLES["ISLANDS"], TABLES["PAIRS"], TABLES["BODIES"]
_COLLIDER = TABLES["COLLIDERS"]


def listed_colliders(tables: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the colliders on sides 0 and 1 of each item of PAIRS, (items, 2)."""
    pairs = tables["PAIRS"]
    ends = pairs[:, [_PAIR["COLLIDER_A"], _PAIR["COLLIDER_B"]]]
    return np.where(pairs[:, [_PAIR["REVERSED"]]] > 0, ends[:, ::-1], ends)


def item_names(tables: Mapping[str, np.ndarray], colliders: Sequence[str]) -> tuple[str, ...]:
    """Return the name of each item of PAIRS: "A|B"."""
    return tuple(f"{colliders[one]}|{colliders[other]}" for one, other in listed_colliders(tables).tolist())


class PairNames(Sequence[str]):
    """Names "A|B" of the pairs of a model, by number; see `physics.contacts.broad_phase.numbered_pairs`.

    Where an island does not list its pairs, any two colliders of two of its bodies have a number, whether they may
    touch or not.

    Args:
        tables: tables of the model.
        colliders: paths of its colliders.
    """

    def __init__(self, tables: Mapping[str, np.ndarray], colliders: tuple[str, ...]):
        self.colliders = colliders
        """Paths of the colliders."""
        self._tables, self._islands = tables, tables["ISLANDS"]
        self._ends = self._islands[:, _ISLAND["PAIR_END"]]

    @cached_property
    def _listed(self) -> np.ndarray:
        return listed_colliders(self._tables)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def ends(self, numbers: np.ndarray) -> np.ndarray:
        """Return the colliders on sides 0 and 1 of pairs, (N, 2)."""
        numbers = np.asarray(numbers, np.int64).reshape(-1)
        owner = self._islands[np.searchsorted(self._ends, numbers, "right")]
        is_listed = (owner[:, _ISLAND["LISTS_PAIRS"]] > 0) | (numbers >= owner[:, _ISLAND["EARLY_PAIR_END"]])
        found = np.zeros((len(numbers), 2), np.int64)
        found[is_listed] = self._listed[(numbers + owner[:, _ISLAND["PAIR_SHIFT"]])[is_listed]]
        for words in self._islands[self._islands[:, _ISLAND["LISTS_PAIRS"]] == 0]:
            mine = ~is_listed & (numbers >= words[_ISLAND["PAIR"]]) & (numbers < words[_ISLAND["EARLY_PAIR_END"]])
            found[mine] = self._computed(words, numbers[mine])
        return found

    def _computed(self, island: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the colliders of pairs of an island that does not list them."""
        bodies, colliders = self._tables["BODIES"].astype(np.int64), self._tables["COLLIDERS"]
        mine = bodies[island[_ISLAND["BODY"]] : island[_ISLAND["BODY_END"]]]
        one = mine[np.searchsorted(mine[:, _BODY["PAIR"]], numbers, "right") - 1]
        count = one[:, _BODY["COLLIDER_END"]] - one[:, _BODY["COLLIDER"]]
        place = numbers - one[:, _BODY["PAIR"]]
        two = bodies[colliders[one[:, _BODY["COLLIDER_END"]] + place // count, _COLLIDER["BODY"]]]
        place -= count * (two[:, _BODY["COLLIDER"]] - one[:, _BODY["COLLIDER_END"]])
        many = two[:, _BODY["COLLIDER_END"]] - two[:, _BODY["COLLIDER"]]
        ends = np.stack([one[:, _BODY["COLLIDER"]] + place // many, two[:, _BODY["COLLIDER"]] + place % many], axis=1)
        rank = colliders[:, _COLLIDER["RANK"]][ends]
        return np.where(rank[:, :1] > rank[:, 1:], ends[:, ::-1], ends)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[str, ...]: ...
    def __getitem__(self, number: int | slice) -> str | tuple[str, ...]:
        """Return the name of a pair by its number, or names."""
        chosen = range(len(self))[number]
        if isinstance(chosen, range):
            return tuple(self._named(np.array(chosen)))
        return next(self._named(np.array([chosen])))

    def _named(self, numbers: np.ndarray) -> Iterator[str]:
        return (f"{self.colliders[one]}|{self.colliders[other]}" for one, other in self.ends(numbers).tolist())

    def __iter__(self) -> Iterator[str]:
        """Yield all names, a block at a time."""
        block = 1 << 16
        for first in range(0, len(self), block):
            yield from self._named(np.arange(first, min(first + block, len(self))))

    def __eq__(self, other: object) -> bool:
        """Return whether the other names are the same, in the same order."""
        if not isinstance(other, PairNames):
            return NotImplemented
        names = ("ISLANDS", "BODIES", "PAIRS", "COLLIDERS")
        alike = all(np.array_equal(self._tables[name], other._tables[name]) for name in names)
        return self.colliders == other.colliders and alike

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as of a list

    def renamed(self, name: Callable[[str], str]) -> "PairNames":
        """Return the names with other paths of colliders."""
        return PairNames(self._tables, tuple(map(name, self.colliders)))
