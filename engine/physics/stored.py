"""Numbers in a buffer of the device, as values that are loaded when they are used, and to which kernels assign.

`x = node.qd` loads a number into a variable; `node.qd = x` and `node.qd += x` write it. A group of numbers, as
`node.subspace`, is loaded where it is bound to a name or first used, whichever comes first: from then on it is a local
value, which assignments to the name do not write back. Memory has floats only; rows of type `integer` or `index` are
read and written as integers, those of type `flag` as masks, see `scratch_rows.ROW_TYPES`.
"""

from functools import cache
from operator import add, mul, sub

import taichi as ti
from taichi.lang import impl
from taichi.lang.expr import Expr

from ..tables.reach import PACKED_ELEMENTS, TILED_ELEMENTS
from . import LANES, TILE
from .lanes import Struct, broadcast, indicator, materialize, traced

# An index below this bound cannot overflow by adding a row: the compiler sees it in the mask and folds the row into
# the address. Without it every access costs four instructions more.
SMALL = (PACKED_ELEMENTS if TILE == 1 else TILED_ELEMENTS) - 1

OPERATORS = {"Add": add, "Sub": sub, "Mult": mul}


@traced
def element(array, *indices):
    """Return an element of an array by Taichi's own indexing."""
    return impl.subscript(None, array, *indices)


@traced
def first_lane(x):
    """Return a number that all lanes share as an integer."""
    x = materialize(x)
    return materialize(ti.cast(element(x, 0) if LANES > 1 else x, ti.i32))


class StoredNumber(Expr):
    """A number in memory; `ptr`, by which Taichi reads it, loads it once."""

    def __init__(self, place):
        self.place, self.value = place, None
        self.dbg_info, self.ptr_type_checked = None, True

    @property
    def ptr(self):
        if self.value is None:
            self.value = impl.expr_init(self.place)
        return self.value.ptr

    def _assign(self, value):
        self.place._assign(value)

    def _augassign(self, value, operator):
        self.place._assign(OPERATORS[operator](self, value))


class StoredInteger(StoredNumber):
    """A whole number in memory, where it is a float; kernels load and write integers."""

    @property
    def ptr(self):
        if self.value is None:
            self.value = first_lane(self.place)
        return self.value.ptr

    def _assign(self, value):
        self.place._assign(broadcast(value))

    def _augassign(self, value, operator):
        self._assign(OPERATORS[operator](self, value))


class StoredFlag(StoredNumber):
    """Whether something is so in each lane: 1 or 0 in memory; kernels load and write masks."""

    @property
    def ptr(self):
        if self.value is None:
            self.value = impl.expr_init(self.place > 0.0)
        return self.value.ptr

    def _assign(self, value):
        self.place._assign(broadcast(value) if isinstance(value, bool) else indicator(value))


class Stored:
    """Mixin for a `Struct` whose numbers are in memory, at `places`."""

    def __init__(self, places):
        self._places = places

    @property
    def _data_oriented(self):
        # Taichi looks for this name where it binds a value to a variable.
        self.load()
        return True

    def __getattr__(self, name):
        if name not in self.parts:
            raise AttributeError(f"{type(self).__name__} has no part {name}")
        self.load()
        return self.__dict__[name]

    def load(self):
        """Load all numbers into variables."""
        if self.parts[0] not in self.__dict__:
            numbers = iter([materialize(place) for place in self._places])
            for part, kind in zip(self.parts, self.types or (None,) * len(self.parts), strict=True):
                self.__dict__[part] = next(numbers) if kind is None else grouped(kind, numbers)

    def _assign(self, other):
        if self.parts[0] in self.__dict__:
            super()._assign(other)
        else:
            write(self._places, other)

    def _augassign(self, value, operator):
        write(self._places, OPERATORS[operator](self, value))


def grouped(kind, numbers):
    """Return a group of numbers, which are variables already, of this type."""
    group = kind.__new__(kind)
    for part, inner in zip(kind.parts, kind.types or (None,) * len(kind.parts), strict=True):
        setattr(group, part, next(numbers) if inner is None else grouped(inner, numbers))
    return group


def numbers_of(value) -> list:
    """Return all numbers of a group, or the number itself."""
    if not isinstance(value, Struct):
        return [value]
    return [number for part in value.parts for number in numbers_of(getattr(value, part))]


def write(places, value):
    """Write a number or a group of numbers."""
    for place, number in zip(places, numbers_of(value), strict=True):
        place._assign(number)


SINGLE = {None: StoredNumber, int: StoredInteger, bool: StoredFlag}


@cache
def _stored_type(kind):
    return type(f"Stored{kind.__name__}", (Stored, kind), {"like": staticmethod(kind)})


@traced
def stored(kind, places):
    """Return a group of this type, a number (None), integer (int) or flag (bool), at these places in memory."""
    if kind in SINGLE:
        return SINGLE[kind](places[0])
    return _stored_type(kind)(places)


@traced
def first_of(world, rows):
    """Return the first element of a world (or pack) in a buffer of `rows` rows per world."""
    if TILE == 1:
        return materialize(world * rows)
    lane = materialize(world & (TILE - 1))
    return materialize((world - lane) * rows + lane)


@traced
def cells(w, array, first, row, count, within=0):
    """Return `count` places of a buffer, from number `within` of an item on, whose first row is `row`."""
    at = (first + (row if TILE == 1 else row * TILE)) & SMALL
    if within or count > 1:
        at = materialize(at)
    offsets = [(within + i) * TILE for i in range(count)]
    return [lane_of(w, element(array, at + offset if offset else at)) for offset in offsets]


@traced
def lane_of(w, pack):
    """Return the place of the view's own lane in a pack, or the pack itself if the view is of all lanes."""
    return pack if w.lane is None else element(pack, w.lane)
