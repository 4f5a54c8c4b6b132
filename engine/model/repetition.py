"""Articulations that equal an earlier one, but for paths and the poses of links: their rows are shifted, not made anew.

A stage holds a thousand copies of a robot. The rows that one of them appends to a model are kept. Those of another one
are equal numbers, the place of its links aside, and equal words, but for those that name items: they name the copy's.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..scene import Articulation
from ..scene.copied_items import different_ends, identical, placed, poses_of
from ..scene.renaming import Renaming
from ..tables.topology import TABLES
from .blocks import Blocks
from .builder import Builder
from .item_references import BOUND_POINTS, COMMANDS, DOFS, LINKS, NAMES, RANGES

REPEATED = ("NODES", "MIMICS", "TERMS", "ACTUATORS", "ARTICULATIONS")
"""Tables to which an articulation appends before there are islands."""
TRIED = 4
"""Most articulations with which one is compared."""
PLACE = "SURFACE_PIVOT"
"""The parameter of a link that has its place."""


def _named(table: str) -> dict[str, np.ndarray]:
    """Return which words of a table name items of another one (0 or 1), by its name."""
    found: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(TABLES[table]), int))
    for word, target in NAMES.get(table, {}).items():
        found[target][TABLES[table][word]] = 1
    for word, (target, *ends) in RANGES.get(table, {}).items():
        found[target][[TABLES[table][each] for each in (word, *ends)]] = 1
    return dict(found)


NAMED = {table: _named(table) for table in REPEATED}


@dataclass(frozen=True, eq=False)
class KeptRows:
    """What an articulation appended to a model."""

    articulation: Articulation
    begin: dict[str, int]  # numbers of items before it, by table or letter
    words: dict[str, np.ndarray]
    numbers: dict[str, list[float]]
    lists: dict[str, list[Any]]  # attributes of the builder: unit, q, qd, roots, clamps
    dofs: list[tuple[int, str]]  # joint and token of each degree of freedom
    links: list[Any]  # number of each link within the articulation, or a link without a path
    carriers: list[tuple[int, int]]  # number of a link, node that carries it
    renamings: dict[str, Renaming | None] = field(default_factory=dict)

    def renaming(self, old: str) -> Renaming | None:
        """Return the renaming of a path; None unless all links and joints lie below it, so that their order stays."""
        if old not in self.renamings:
            parts = [part.path for part in (*self.articulation.links, *self.articulation.joints)]
            below = all(path == old or path.startswith(f"{old}/") for path in parts)
            self.renamings[old] = Renaming.below(old) if below else None
        return self.renamings[old]


class Repetition:
    """The rows of articulations that may come again.

    Args:
        b: the builder to which articulations are appended, one after the other.
    """

    def __init__(self, b: Builder):
        self._b = b
        self._known: dict[tuple, list[KeptRows]] = defaultdict(list)

    def begin(self) -> dict[str, int]:
        """Return the numbers of items so far, by table or letter."""
        tables = self._b.tables
        counts = {name: len(tables[name]) for name in REPEATED}
        commands = tables["ACTUATORS"][-1][TABLES["ACTUATORS"]["COMMAND_END"]] if tables["ACTUATORS"] else 0
        points = len(self._b.rows["BOUND_POSITION"])
        return counts | {LINKS: len(self._b.links), DOFS: len(self._b.dof), COMMANDS: commands, BOUND_POINTS: points}

    def lengths(self) -> dict[str, int]:
        """Return the numbers of rows of each parameter so far, except those of pairs."""
        return {name: len(rows) for name, rows in self._b.rows.items() if not isinstance(rows, Blocks)}

    def keep(self, articulation: Articulation, begin: dict[str, int], lengths: dict[str, int]) -> None:
        """Keep the rows of an articulation that was appended since then."""
        b, known = self._b, self._known[self._key(articulation)]
        place = {link.path: i for i, link in enumerate(articulation.links)}
        joint = {each.path: i for i, each in enumerate(articulation.joints)}
        if len(known) == TRIED or len(place) < len(articulation.links) or len(joint) < len(articulation.joints):
            return
        names = [name.rpartition(":") for name in b.dof[begin[DOFS] :]]
        lists = {name: getattr(b, name)[begin[DOFS] :] for name in ("unit", "q", "qd", "clamps")}
        rows = KeptRows(
            articulation,
            begin,
            {name: np.array(b.tables[name][begin[name] :], int).reshape(-1, len(TABLES[name])) for name in REPEATED},
            {name: b.rows[name][start:] for name, start in lengths.items() if len(b.rows[name]) > start},
            lists | {"roots": b.roots[-1:]},
            [(joint[path], token) for path, _, token in names],
            [place[link.path] if link.path else link for link in b.links[begin[LINKS] :]],
            [(i, b.carriers[path]) for path, i in place.items()],
        )
        known.append(rows)

    def repeat(self, articulation: Articulation) -> bool:
        """Append the rows of an articulation if they are known; return whether they are."""
        for rows in self._known.get(self._key(articulation), ()):
            old, new = different_ends(rows.articulation.path, articulation.path)
            renaming = rows.renaming(old) if old and new else None
            poses = poses_of(articulation)
            if renaming is None or len(poses) != len(rows.articulation.links):
                continue
            if identical(placed(renaming.renamed(rows.articulation, new), poses), articulation):
                self._append(rows, articulation)
                return True
        return False

    def _key(self, articulation: Articulation) -> tuple:
        """Return what equal articulations share, in short."""
        masses = tuple(link.mass for link in articulation.links)
        return articulation.path.rpartition("/")[2].rstrip("0123456789"), masses, self._b.collides

    def _append(self, rows: KeptRows, articulation: Articulation) -> None:
        """Append rows as those of an equal articulation."""
        b, now = self._b, self.begin()
        shift = {name: now[name] - before for name, before in rows.begin.items()}
        for name, words in rows.words.items():
            moved = words.copy()
            for target, named in NAMED[name].items():
                if by := shift.get(target, 0):
                    moved += np.where(words >= 0, named * by, 0)
            b.tables[name].extend(moved.tolist())
        for name, numbers in rows.numbers.items():
            b.rows[name].extend(numbers)
        links = [articulation.links[each] if isinstance(each, int) else each for each in rows.links]
        b.rows[PLACE][-3 * len(links) :] = [x for link in links for x in link.pose[0]]
        for name, values in rows.lists.items():
            getattr(b, name).extend(values)
        dofs = len(rows.lists["clamps"])
        if dofs:
            b.clamps[-dofs:] = [clamp if clamp < 0 else clamp + shift[DOFS] for clamp in rows.lists["clamps"]]
        b.dof.extend(f"{articulation.joints[i].path}:{token}" for i, token in rows.dofs)
        b.links.extend(links)
        b.carriers.update((articulation.links[i].path, node + shift["NODES"]) for i, node in rows.carriers)
        b.first_nodes.append(now["NODES"])
