"""Templates of a scene: islands of equal structure, their *copies*, as one model that kernels read for all of them.

An island's part of the model is what its words name. Each word that names an item becomes the item's rank among those
of its island, and ranks over the scene become ranks within the island. Islands are copies if all words are equal then.
So the check reads what kernels read: equal words are equal laws. Numbers of copies may differ, but for the flags that
follow from them and for centres of mass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..tables.layout import PARAMETERS
from ..tables.topology import TABLES
from .item_references import (
    BOUND_POINTS,
    COMMANDS,
    DOFS,
    LINKS,
    NAMES,
    OWNERS,
    RANGES,
    SCENE_WIDE,
    SHARED_OWNERS,
    TENDON_PARAMETERS,
)
from .model import Model
from .row_flags import flag_articulations, flag_nodes

PAIR = TABLES["PAIRS"]
OF_ISLANDS = tuple(name for name in TABLES if name not in SCENE_WIDE)
"""Tables whose items belong to one island each."""


@dataclass(frozen=True, eq=False)
class Template:
    """The model of some islands of equal structure, C copies."""

    model: Model  # of the first copy
    items: Mapping[str, np.ndarray]  # numbers of the scene's items by table or letter, (C, n)
    numbers: Mapping[str, np.ndarray]  # parameters that differ between copies, (C, rows)


class Islands:
    """The items of every island of a model, by table or letter.

    Args:
        model: the compiled scene.
    """

    def __init__(self, model: Model):
        self._model, self.count = model, len(model.tables["ISLANDS"])
        self._owner: dict[str, np.ndarray] = {}
        self._find_owners()
        self._order = {name: np.argsort(owner, kind="stable") for name, owner in self._owner.items()}
        self._first = {
            name: np.searchsorted(owner[self._order[name]], np.arange(self.count + 1))
            for name, owner in self._owner.items()
        }
        self._rank = {name: self._ranks(name) for name in self._owner}

    def _find_owners(self) -> None:
        """Find the island of each item, from islands to what their words name."""
        model, tables = self._model, self._model.tables
        letters = {LINKS: len(model.link), DOFS: len(model.dof)}
        letters[TENDON_PARAMETERS] = len(model.parameters["TENDON_STIFFNESS"])
        letters[COMMANDS] = int(tables["ACTUATORS"][:, TABLES["ACTUATORS"]["COMMAND_END"]].max(initial=0))
        letters[BOUND_POINTS] = len(model.parameters["BOUND_POSITION"])
        sizes = letters | {name: len(tables[name]) for name in OF_ISLANDS}
        self._owner = {name: np.full(size, -1) for name, size in sizes.items()}
        self._owner["ISLANDS"] = np.arange(self.count)
        self._spread("ISLANDS")
        self._owner["ARTICULATIONS"][tables["MEMBERS"][:, 0]] = self._owner["MEMBERS"]
        for name in ("ARTICULATIONS", "ACTUATORS", "MIMICS", "JOINTS", "TENDONS"):
            self._spread(name)
        held = len(self._owner["JOINTS"])
        self._owner["SIDES"][: 2 * held] = self._owner["JOINTS"].repeat(2)
        named = {"NODES": ("LINK", "DOF"), "TENDONS": ("TENDON", "START"), "STRANDS": ("SIDE",)}
        named |= {"SEGMENTS": ("NEAR", "FAR"), "PAIRS": ("SIDE0", "SIDE1")}
        for name, words in named.items():
            for word in words:
                items = tables[name][:, TABLES[name][word]]
                self._owner[NAMES[name][word]][items[items >= 0]] = self._owner[name][items >= 0]
        self._spread("SIDES")

    def _spread(self, name: str) -> None:
        """Give the items in the ranges of a table their owners."""
        for word, (target, end, *_) in RANGES[name].items():
            first, last = (self._model.tables[name][:, TABLES[name][each]] for each in (word, end))
            counts = last - first
            items = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            self._owner[target][items] = np.repeat(self._owner[name], counts)

    def _ranks(self, name: str) -> np.ndarray:
        """Return the rank of each item among those of its island."""
        owner, order = self._owner[name], self._order[name]
        ranks = np.zeros(len(owner), int)
        ranks[order] = np.arange(len(owner)) - self._first[name][:-1][owner[order]] if self.count else 0
        return ranks

    def items(self, name: str, islands: np.ndarray) -> np.ndarray:
        """Return the items of islands with equal numbers of them, (islands, n)."""
        first = self._first[name]
        count = int(first[islands[0] + 1] - first[islands[0]])
        return self._order[name][first[islands][:, None] + np.arange(count)]

    @cached_property
    def tables(self) -> dict[str, np.ndarray]:
        """Tables whose words have ranks in the place of numbers of items."""
        return {name: self._ranked(name) for name in OF_ISLANDS}

    def _ranked(self, name: str) -> np.ndarray:
        words, at = self._model.tables[name].astype(np.int64), TABLES[name]
        ranked = words.copy()
        for word, target in NAMES.get(name, {}).items():
            ranked[:, at[word]] = self._rank_or_none(target, words[:, at[word]])
        for word, (target, *ends) in RANGES.get(name, {}).items():
            first = words[:, at[word]]
            filled = words[:, at[ends[0]]] > first
            begin = self._rank_or_none(target, np.where(filled, first, -1))
            ranked[:, at[word]] = np.where(filled, begin, 0)
            for end in ends:
                ranked[:, at[end]] = np.where(filled, begin + words[:, at[end]] - first, 0)
        if name == "SIDES":
            skips = words[:, at["SKIPPED_END"]] >= 0  # else no node: 0, -1
            for word in ("SKIPPED", "SKIPPED_END"):
                ranked[skips, at[word]] = self._rank["NODES"][words[skips, at[word]]]
        if name == "PAIRS":
            self._rank_pairs(ranked)
        return ranked

    def _rank_or_none(self, name: str, items: np.ndarray) -> np.ndarray:
        ranks = items.copy()
        ranks[items >= 0] = self._rank[name][items[items >= 0]]
        return ranks

    def _rank_pairs(self, words: np.ndarray) -> None:
        """Make the words of pairs that number what is not in a table those of their island."""
        owner = self._owner["PAIRS"]
        for word in ("CONTACT", "MANIFOLD"):
            has = words[:, PAIR[word]] >= 0
            first = np.full(self.count, np.iinfo(np.int64).max)
            np.minimum.at(first, owner[has], words[has, PAIR[word]])
            words[has, PAIR[word]] -= first[owner[has]]
        for group in (("LINK_RANK",), ("RANK0", "RANK1")):
            columns = [PAIR[word] for word in group]
            values = words[:, columns]
            codes = owner[:, None] * (values.max(initial=0) + 1) + values
            found, places = np.unique(codes.ravel(), return_inverse=True)
            first = np.searchsorted(found, owner * (values.max(initial=0) + 1))
            words[:, columns] = places.reshape(values.shape) - first[:, None]

    def groups(self) -> list[np.ndarray]:
        """Return the islands of each template, those of equal structure, in the order of their first ones."""
        rows = {name: row[None] for name, row in self._model.parameters.items()}
        tables = self.tables | {
            "NODES": self._flagged("NODES", flag_nodes(self._model.nodes, rows)),
            "ARTICULATIONS": self._flagged("ARTICULATIONS", flag_articulations(self._model.tables, rows)),
            LINKS: self._model.coms,
            DOFS: self._rank_or_none(DOFS, self._model.clamps),
        }
        texts: list[list[bytes]] = [[] for _ in range(self.count)]
        for name, words in tables.items():
            ordered, first = words[self._order[name]], self._first[name]
            for island in range(self.count):
                texts[island].append(ordered[first[island] : first[island + 1]].tobytes())
        found: dict[tuple[bytes, ...], list[int]] = {}
        for island, text in enumerate(texts):
            found.setdefault(tuple(text), []).append(island)
        return [np.array(islands) for islands in found.values()]

    def _flagged(self, name: str, words: np.ndarray) -> np.ndarray:
        """Return ranked words with the flags of these words of the model's table."""
        return np.where(words != self._model.tables[name], words, self.tables[name])

    def template(self, islands: np.ndarray) -> Template:
        """Return the template of islands of equal structure."""
        model = self._model
        items = {name: self.items(name, islands) for name in self._owner}
        first = {name: numbers[0] for name, numbers in items.items()}
        tables = {
            name: (model.tables[name] if name in SCENE_WIDE else self.tables[name][first[name]]).astype(np.int32)
            for name in TABLES
        }
        parameters, numbers = {}, {}
        for name, row in PARAMETERS.items():
            parameters[name] = model.parameters[name]
            if row.owner not in SHARED_OWNERS:
                rows = self._numbers(name, items)
                parameters[name] = rows[0]
                if (rows != rows[0]).any():
                    numbers[name] = rows
        own = {name: getattr(model, name)[first[DOFS]] for name in ("q", "qd")}
        own |= {name: getattr(model, name)[first[LINKS]] for name in ("poses", "coms")}
        own |= {name: getattr(model, name)[first["ARTICULATIONS"]] for name in ("roots", "asleep")}
        own["clamps"] = self._rank_or_none(DOFS, model.clamps)[first[DOFS]]
        names = {name: tuple(getattr(model, name)[i] for i in first[DOFS]) for name in ("dof", "unit")}
        names["link"] = tuple(model.link[i] for i in first[LINKS])
        return Template(replace(model, tables=tables, parameters=parameters, **own, **names), items, numbers)

    def _numbers(self, name: str, items: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the rows of a parameter of every copy, (C, rows)."""
        owner, width = PARAMETERS[name].owner, PARAMETERS[name].width
        mine = rows_of_items(items["JOINTS"], 6) if owner == "X" else items[OWNERS[owner]]
        return self._model.parameters[name][rows_of_items(mine, width)]


def rows_of_items(items: np.ndarray, width: int) -> np.ndarray:
    """Return the rows of items (C, n) with `width` rows each, (C, n · width)."""
    return (width * items[:, :, None] + np.arange(width)).reshape(len(items), -1)
