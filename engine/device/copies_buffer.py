"""Rows of all worlds of a scene whose copies lie in columns of their templates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import dlpack
from .buffer import Buffer, Rows
from .dlpack import Adopted

MOST_PLANS = 64
"""Selections of rows whose places are kept."""


@dataclass(frozen=True, eq=False)
class Place:
    """The part of some rows of a scene that lies in one template: those of some of its copies."""

    rows: slice | np.ndarray  # of the template
    copies: np.ndarray  # numbers of the copies that have any of them
    picked: np.ndarray  # places among the selected rows of the scene
    source: np.ndarray  # their places among (copies, rows), flat
    complete: bool  # whether these are all of (copies, rows)
    in_order: bool  # whether both are all rows in ascending order


class RowPlaces:
    """Places of rows of a scene in its templates.

    Args:
        rows: the scene's row of every copy and row of each template, (C, n).
        size: number of rows of the scene.
    """

    def __init__(self, rows: Sequence[np.ndarray], size: int):
        self._rows, self._size = rows, size
        self._plans: dict[tuple[int, int] | bytes, list[Place | None]] = {}

    def of(self, rows: Rows) -> list[Place | None]:
        """Return the places of rows in each template, None for a template without any of them."""
        key = (rows.start, rows.stop) if isinstance(rows, slice) else np.asarray(rows, np.int64).tobytes()
        if key not in self._plans:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = self._find(np.arange(self._size)[rows])
        return self._plans[key]

    def _find(self, rows: np.ndarray) -> list[Place | None]:
        at = np.full(self._size, -1)
        at[rows] = np.arange(len(rows))
        return [_place(at[mine], len(rows)) for mine in self._rows]


def _place(at: np.ndarray, count: int) -> Place | None:
    """Return the place of the selected rows, whose places among them `at` has for each copy and row, or -1."""
    wanted = at >= 0
    copies, rows = np.flatnonzero(wanted.any(1)), np.flatnonzero(wanted.any(0))
    if not len(copies):
        return None
    flat = at[np.ix_(copies, rows)].ravel()
    source = np.flatnonzero(flat >= 0)
    picked = flat[source]
    whole = rows[-1] - rows[0] == len(rows) - 1
    complete = len(source) == len(flat)
    in_order = complete and len(picked) == count and bool((picked == np.arange(count)).all())
    return Place(slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows, copies, picked, source, complete, in_order)


class ItemNumbers:
    """Rows of a template whose values name its items, 1 + number or 0 for none: numbers of the scene for each copy.

    Args:
        rows: these rows of the template.
        items: the scene's number of each item, (C, n).
    """

    def __init__(self, rows: np.ndarray, items: np.ndarray):
        self._rows, self._items = rows, items
        self._ranks = np.zeros(int(items.max(initial=-1)) + 2)
        self._ranks[items + 1] = np.arange(items.shape[1]) + 1

    def to_scene(self, numbers: np.ndarray, place: Place) -> None:
        """Change the values of a template, (worlds, copies · rows), to numbers of the scene."""
        self._change(numbers, place, lambda values, copies: np.where(
            values > 0, self._items[copies, np.maximum(values - 1, 0)] + 1, 0
        ))  # fmt: skip

    def to_template(self, numbers: np.ndarray, place: Place) -> None:
        """Change numbers of the scene to the values of a template, (worlds, copies · rows)."""
        self._change(numbers, place, lambda values, _: self._ranks[values])

    def _change(self, numbers: np.ndarray, place: Place, change: Callable) -> None:
        rows = np.arange(place.rows.start, place.rows.stop) if isinstance(place.rows, slice) else place.rows
        named = np.isin(rows, self._rows)
        if named.any() and len(numbers):
            sheets = numbers.reshape(len(numbers), len(place.copies), len(rows))
            sheets[:, :, named] = change(sheets[:, :, named].astype(int), place.copies[None, :, None])


class CopiesBuffer:
    """Rows of W worlds of a scene, with the interface of `Buffer`.

    Args:
        buffers: the buffer of each template, with W · C columns, and the numbers of items in it.
        counts: the number C of copies of each template.
        places: places of the rows.
        worlds: number of worlds.
        number: type of the numbers.
    """

    def __init__(
        self,
        buffers: Sequence[tuple[Buffer, ItemNumbers | None]],
        counts: Sequence[int],
        places: RowPlaces,
        worlds: int,
        number: type,
    ):
        self._parts, self._places = list(zip(buffers, counts, strict=True)), places
        self._worlds, self._number = worlds, number

    @property
    def raw(self) -> "CopiesBuffer":
        """Return this buffer with its numbers as they are on the device."""
        buffers = [(buffer.raw, names) for (buffer, names), _ in self._parts]
        return CopiesBuffer(buffers, [count for _, count in self._parts], self._places, self._worlds, self._number)

    def read(self, rows: Rows, worlds: np.ndarray | None = None) -> np.ndarray:
        """Return a copy of the rows, (worlds, rows)."""
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        found = np.empty((self._worlds if worlds is None else len(worlds), count), self._number)
        for ((buffer, names), copies), place in zip(self._parts, self._places.of(rows), strict=True):
            if place is not None:
                numbers = self._read(buffer, copies, place, worlds)
                if names:
                    names.to_scene(numbers, place)
                if place.in_order:
                    return numbers
                found[:, place.picked] = numbers if place.complete else numbers[:, place.source]
        return found

    def fill(self, target: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Copy rows into an array of shape (worlds, rows)."""
        dlpack.copy(self.read(rows, worlds), target)

    def write(self, values: Adopted, rows: Rows, worlds: np.ndarray | None = None) -> None:
        """Replace rows by the values of an array of shape (worlds, rows)."""
        given = dlpack.on_host(values)
        for ((buffer, names), copies), place in zip(self._parts, self._places.of(rows), strict=True):
            if place is None:
                continue
            if place.complete:
                numbers = given if place.in_order else given[:, place.picked]
            else:
                numbers = self._read(buffer, copies, place, worlds)
                if names:
                    names.to_scene(numbers, place)
                numbers[:, place.source] = given[:, place.picked]
            columns = self._columns(copies, place, worlds)
            if names:
                numbers = np.array(numbers, self._number)
                names.to_template(numbers, place)
            buffer.write(numbers.reshape(len(numbers) * len(place.copies), -1), place.rows, columns)

    def _read(self, buffer: Buffer, copies: int, place: Place, worlds: np.ndarray | None) -> np.ndarray:
        """Return the rows of a place, (worlds, copies · rows)."""
        numbers = buffer.read(place.rows, self._columns(copies, place, worlds))
        return numbers.reshape(self._worlds if worlds is None else len(worlds), -1)

    def _columns(self, count: int, place: Place, worlds: np.ndarray | None) -> np.ndarray | None:
        """Return the columns of the copies of a place in worlds; None for all."""
        if worlds is None and len(place.copies) == count:
            return None
        chosen = np.arange(self._worlds) if worlds is None else worlds
        return (chosen[:, None] * count + place.copies).ravel()
