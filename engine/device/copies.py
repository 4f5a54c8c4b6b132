"""Map between the rows of a scene and those of its templates: (row of the scene) ↔ (template, copy, row)."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from ..model import Model
from ..model.item_references import DOFS, LINKS, OWNERS, SHARED_OWNERS
from ..model.templates import Template, rows_of_items
from ..tables.contacts import MANIFOLD_POINTS, MANIFOLDS_ON_MESH, SHAPES
from ..tables.layout import FRAME, PARAMETERS
from ..tables.topology import TABLES
from .contact_slots import ContactSlots
from .copies_buffer import ItemNumbers
from .row_layout import BUFFERS, STATISTIC_WIDTHS, RowLayout, statistic_rows

PAIR_COLUMNS = TABLES["PAIRS"]


class Copies:
    """The copies of one template in a scene.

    Args:
        model: the compiled scene.
        template: the template.
        slots: slots of the scene; each of its pairs has its own.
    """

    def __init__(self, model: Model, template: Template, slots: ContactSlots):
        self._model, self._items, self._slots = model, template.items, slots
        self.count = len(template.items["ISLANDS"])
        """Number of copies, C."""
        self._numbers: ItemNumbers | None = None

    @cached_property
    def _owned(self) -> Mapping[str, np.ndarray]:
        """Items of the scene by the letter of their owner in states and results, (C, n)."""
        items = {letter: self._items[table] for letter, table in OWNERS.items() if letter not in SHARED_OWNERS}
        pairs, slots = self._items["PAIRS"], self._slots
        words = self._model.tables["PAIRS"]
        patches = rows_of_items(pairs, slots.patches)
        manifolds = self._ranges(words[:, PAIR_COLUMNS["MANIFOLD"]], self._manifold_counts())
        return items | {
            "T": self._items["TENDONS"], "W": pairs, "B": pairs, "w": pairs[:, :0],
            "f": patches, "F": rows_of_items(patches, 2),
            "H": manifolds, "Y": rows_of_items(manifolds, MANIFOLD_POINTS),
            "Z": self._ranges(words[:, PAIR_COLUMNS["CONTACT"]], words[:, PAIR_COLUMNS["POINTS"]]),
            "G": self._items["ARTICULATIONS"][:, : None if len(words) else 0],
        }  # fmt: skip

    def _manifold_counts(self) -> np.ndarray:
        """Return the number of manifolds of each pair of the scene."""
        words, colliders = self._model.tables["PAIRS"], self._model.tables["COLLIDERS"]
        shapes = colliders[words[:, PAIR_COLUMNS["COLLIDER_B"]], TABLES["COLLIDERS"]["SHAPE"]]
        counts = np.where(shapes == SHAPES["TRIANGLE_MESH"], MANIFOLDS_ON_MESH, 1)
        return np.where(words[:, PAIR_COLUMNS["MANIFOLD"]] >= 0, counts, 0)

    def _ranges(self, first: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the items that pairs have in ranges, pair after pair, (C, n)."""
        pairs = self._items["PAIRS"]
        each = counts[pairs[0]]
        places = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        return first[pairs].repeat(each, axis=1) + places

    def parameter_rows(self, name: str) -> np.ndarray:
        """Return the scene's rows of a parameter, (C, rows of the template)."""
        row = PARAMETERS[name]
        if row.owner in SHARED_OWNERS:
            size = len(self._model.parameters[name])
            return np.broadcast_to(np.arange(size), (self.count, size))
        items = rows_of_items(self._items["JOINTS"], 6) if row.owner == "X" else self._items[OWNERS[row.owner]]
        return rows_of_items(items, row.width)

    def buffer_rows(self, layout: RowLayout, buffer: str) -> np.ndarray:
        """Return the scene's rows of a buffer in the order of the template's rows, (C, rows)."""
        places = [
            layout.places[name][1].start + rows_of_items(self._owned[owner], width)
            for name, owner, width, _ in BUFFERS[buffer]
        ]
        return np.concatenate(places, axis=1)

    def statistic_rows(self, layout: RowLayout, contacts: bool) -> np.ndarray:
        """Return the scene's rows of the statistics in the order of the template's rows, (C, rows)."""
        places = zip(STATISTIC_WIDTHS.items(), statistic_rows(layout.counts, contacts), strict=True)
        parts = [
            place.start + rows_of_items(self._owned[owner][:, : None if place.stop > place.start else 0], width)
            for (owner, width), place in places
        ]
        return np.concatenate(parts, axis=1)

    def frame_rows(self, rows: Mapping[str, slice]) -> np.ndarray:
        """Return the scene's rows of a frame, `State.frame_rows`, in the order of the template's rows, (C, rows)."""
        items = {"pose": (self._items[LINKS], 7)}
        parts = [
            place.start + rows_of_items(*items.get(quantity, (self._items[DOFS], 1)))
            for quantity, place in ((quantity, rows[quantity]) for quantity in FRAME if quantity in rows)
        ]
        return np.concatenate(parts, axis=1) if parts else np.zeros((self.count, 0), int)

    def articulation_numbers(self, layout: RowLayout) -> ItemNumbers:
        """Return the rows of the state of contacts that name articulations, in the template's layout."""
        if self._numbers is None:
            places = (layout.places[name][1] for name in ("GROUP_ROOT", "NEXT_TO_ROOT"))
            rows = np.concatenate([np.arange(place.start, place.stop) for place in places])
            self._numbers = ItemNumbers(rows, self._items["ARTICULATIONS"])
        return self._numbers

    def articulation(self, number: int) -> tuple[int, int] | None:
        """Return copy and number there of an articulation of the scene; None if it is in another template."""
        found = np.argwhere(self._items["ARTICULATIONS"] == number)
        return (int(found[0, 0]), int(found[0, 1])) if len(found) else None
