"""Attribute views: every number of a world under the name that it has in `fajin.tables`, in lower case.

    node = w.node[k]          an item of a table of the topology
    node.parent, node.kind    its words, whole numbers that all worlds share
    node.qd, node.subspace    its scratch rows
    w.param.stiffness[dof]    a parameter
    w.state.q[dof]            the state

A name that the tables lack is an AttributeError while a kernel is traced. `stored` says when numbers are loaded.
"""

from types import SimpleNamespace

import taichi as ti

from ..tables.contact_scratch import PAIR_PARAMETERS
from ..tables.contacts import MANIFOLD_POINTS, PAIR_BLOCK
from ..tables.layout import PARAMETERS, STATE, STATE_FLAGS
from ..tables.scratch import ALIASES, SCRATCHES, is_of_island, rows_of
from ..tables.scratch_rows import ROW_TYPES
from ..tables.topology import DRIVES, HEADER, KINDS, SOFT_BOUNDS, SPRINGS, TABLES
from . import TILE
from .lanes import materialize, traced
from .rotation import Quat
from .row_jacobian import Jacobian
from .spatial import Force, Motion, Sym3, Vec3
from .spatial_inertia import ArticulatedInertia, CompositeInertia, Response
from .stored import SMALL, cells, element, first_of, grouped, stored

KIND, DRIVE = SimpleNamespace(**KINDS), SimpleNamespace(**DRIVES)
SPRING, SOFT = SimpleNamespace(**SPRINGS), SimpleNamespace(**SOFT_BOUNDS)

TYPES = {
    "number": None,
    "index": int,
    "flag": bool,
    "vector": Vec3,
    "quaternion": Quat,
    "motion": Motion,
    "force": Force,
    "tensor": Sym3,
    "inertia": ArticulatedInertia,
    "response": Response,
    "jacobian": Jacobian,
    "composite": CompositeInertia,
}
_TYPE_OF_WIDTH = {1: None, 3: Vec3, 4: Quat, 6: Sym3}  # of parameters
SHIFT = TILE.bit_length() - 1
PARAMETERS_AT = len(HEADER)
_NODES_AT = PARAMETERS_AT + 2 * len(PARAMETERS)

STATE_ROWS = {
    "position": ("POSE", 7, 0, "vector"),
    "orientation": ("POSE", 7, 3, "quaternion"),
    "root_velocity": ("ROOT_VELOCITY", 6, 0, "motion"),
    **{name.lower(): (name, 1, 0, "number") for name, _, width, _ in STATE if width == 1},
    **{name.lower(): (name, 1, 0, "flag") for name in STATE_FLAGS},
}
"""Names of the state: (word of the header with their first row, rows per item, row within an item, type)."""


def _rows(table: str) -> dict[str, tuple[int, str]]:
    rows = dict(SCRATCHES.get(table, {})) | ALIASES.get(table, {})
    return {name.lower(): (first, kind) for name, (first, kind, _) in rows.items()}


WORDS = {table: {word.lower(): at for word, at in words.items()} for table, words in TABLES.items()}
SCRATCH_ROWS = {table: _rows(table) for table in TABLES}


class View:
    """Object of which kernels read attributes and items; it lives while they are traced."""

    _data_oriented = _is_wrapped_kernel = True

    def __setitem__(self, i, value):
        self[i]._assign(value)


def type_of(w, kind: str):
    """Return the Python type of a row of this type in a view."""
    return (int if w.one_lane else None) if kind == "integer" else TYPES[kind]


class Item(View):
    """Item of a table of the topology: its words and its scratch rows."""

    def __init__(self, w, table, i):
        values = vars(self)  # past __setattr__, which writes rows
        values["_w"], values["_table"], values["_i"] = w, table, i
        if SCRATCH_ROWS[table] and table != "NODES":
            values["_first"] = materialize(getattr(w.header, f"{table}_scratch".lower()) + i * rows_of(table))

    def __getattr__(self, name):
        w, table, i = self._w, self._table, self._i
        if name in WORDS[table]:
            at = WORDS[table][name]
            if table == "NODES":
                return element(w.topology, (i * len(WORDS[table]) & SMALL) + (_NODES_AT + at))
            return element(w.topology, getattr(w.header, table.lower()) + i * len(WORDS[table]) + at)
        if name not in SCRATCH_ROWS[table]:
            raise AttributeError(f"{table} has neither a word nor a scratch row {name.upper()}")
        row, kind = SCRATCH_ROWS[table][name]
        first = i * rows_of(table) if table == "NODES" else self._first
        if kind == "series":
            return Series(w, first + row)
        start = w.first_island_scratch if is_of_island(table, w.features.slots) else w.first_scratch
        return stored(type_of(w, kind), cells(w, w.scratch, start, first, ROW_TYPES[kind], row))

    def __setattr__(self, name, value):
        getattr(self, name)._assign(value)

    def __getitem__(self, name):
        return getattr(self, name)


class Series(View):
    """Numbers of an item by their index: `node.dense_numbers[i]`."""

    def __init__(self, w, first):
        self.w, self.first = w, first

    @traced
    def part(self, start):
        """Return the numbers from index `start` on."""
        return Series(self.w, materialize(self.first + start))

    def __getitem__(self, i):
        return stored(None, cells(self.w, self.w.scratch, self.w.first_scratch, self.first + i, 1))


class SlotItem(Item):
    """Slot of a pair of colliders: its scratch rows, and the words and parameters of the pair that has it, PAIR.

    A slot that pairs share has copies of these: of a thousand bodies few of all pairs are near, and theirs lie apart.
    """

    def __init__(self, w, table, i):
        super().__init__(w, table, i)
        vars(self)["_pair"] = i
        if w.features.slots:
            block, place = super().__getattr__("block"), super().__getattr__("pair")
            vars(self)["_pair"] = materialize(block * PAIR_BLOCK + place)

    def __getattr__(self, name):
        slots = self._w.features.slots
        if name == "pair":
            return self._pair
        if name == "contact" and slots:
            return self._first_manifold() * MANIFOLD_POINTS
        if name == "contact_end":
            return self.contact + self.points
        if name == "manifold" and slots:
            return ti.select(self._number_of_pair(name) >= 0, self._first_manifold(), -1)
        if name in WORDS["PAIRS"] or name.upper() in PAIR_PARAMETERS:
            return self._number_of_pair(name)
        return super().__getattr__(name)

    @traced
    def _first_manifold(self):
        """Return the first manifold of a slot that pairs share."""
        return self._i * self._w.header.manifolds_per_slot if self._w.features.meshes else self._i

    @traced
    def hold(self, pair, row):
        """Write the pair that has the slot, and copies of the numbers of an item of PAIRS."""
        w, held = self._w, self._w.held[self._i]
        super().__getattr__("pair")._assign(pair % PAIR_BLOCK)
        super().__getattr__("block")._assign(pair // PAIR_BLOCK)
        for word in WORDS["PAIRS"]:
            setattr(held, word, getattr(w.pair[row], word))
        for name in PAIR_PARAMETERS:
            setattr(held, name.lower(), getattr(w.param, name.lower())[row])

    @traced
    def side(self, i):
        """Return side 0 or 1 of the pair."""
        return ti.select(i == 0, self.side0, self.side1)

    def _number_of_pair(self, name):
        w = self._w
        if w.features.slots:
            return getattr(w.held[self._i], name)
        return getattr(w.pair[self._pair], name) if name in WORDS["PAIRS"] else getattr(w.param, name)[self._pair]


class ContactItem(Item):
    """Contact point: its scratch rows, and those of its normal row."""

    def __getattr__(self, name):
        if name in SCRATCH_ROWS["NORMAL_ROWS"]:
            return getattr(self._w.normal_row[self._i], name)
        return super().__getattr__(name)


ITEMS = {"SLOTS": SlotItem, "CONTACTS": ContactItem}
"""Types of items that have more than the words and scratch rows of their table."""


class TableView(View):
    """A table of the topology: `w.node[k]`."""

    def __init__(self, w, table):
        self.w, self.table = w, table

    def __getitem__(self, i):
        return ITEMS.get(self.table, Item)(self.w, self.table, index(i))

    @traced
    def push(self, count, **numbers):
        """Append an item with these numbers to a list of the first `count` items; return how many there are then."""
        item = self[count]
        for name, value in numbers.items():
            setattr(item, name, value)
        return count + 1


def index(i):
    """Return an index that is computed once, however often it is used."""
    return i if isinstance(i, int) or i.ptr.is_lvalue() else materialize(i)


class HeaderView(View):
    """Words before the tables of the topology: `w.header.dof_count`."""

    places = {name.lower(): i for i, name in enumerate(HEADER)}  # noqa: RUF012 (never written)

    def __init__(self, topology):
        self.topology = topology

    def __getattr__(self, name):
        if name not in self.places:
            raise AttributeError(f"the header has no word {name.upper()}")
        return element(self.topology, self.places[name])


class StateRow(View):
    """One quantity of the state: `w.state.q[dof]`."""

    def __init__(self, w, name):
        self.w, (self.word, self.width, self.offset, self.kind) = w, STATE_ROWS[name]

    def __getitem__(self, i):
        w, row = self.w, getattr(self.w.header, self.word.lower()) + (i * self.width if self.width > 1 else i)
        return stored(TYPES[self.kind], cells(w, w.state_rows, w.first, row, ROW_TYPES[self.kind], self.offset))


class StateView(View):
    """State of a world: `w.state.position[link]`; `w.state[row]` is a row by its number."""

    def __init__(self, w):
        self.w = w

    def __getattr__(self, name):
        if name not in STATE_ROWS:
            raise AttributeError(f"the state has no {name.upper()}")
        return StateRow(self.w, name)

    def __getitem__(self, row):
        return stored(None, cells(self.w, self.w.state_rows, self.w.first, row, 1))


@traced
def first_parameter(w, at):
    """Return the first element of a parameter of this world (or pack), whose words begin at `at`.

    On a GPU those that all worlds share lie side by side, see `device.shared_rows`, and their second word is 0.
    """
    first, rows = element(w.topology, at), element(w.topology, at + 1)
    if TILE == 1:
        return first + first_of(w.index, rows)
    lane, rows = materialize(w.index & (TILE - 1)), materialize(rows)
    return first + (w.index - lane) * (rows >> SHIFT) + (lane & rows)


class Parameter(View):
    """A parameter: shared by all worlds, or each world's own."""

    def __init__(self, w, name):
        self.w, (self.index, _, self.width, *_) = w, PARAMETERS[name]

    def __getitem__(self, item):
        w, kind = self.w, _TYPE_OF_WIDTH[self.width]
        first = first_parameter(w, PARAMETERS_AT + 2 * self.index)
        numbers = [materialize(place) for place in cells(w, w.parameter_rows, first, item * self.width, self.width)]
        return numbers[0] if kind is None else grouped(kind, iter(numbers))


class ParameterView(View):
    """Parameters of a world: `w.param.stiffness[dof]`."""

    def __init__(self, w):
        self.w = w

    def __getattr__(self, name):
        if name.upper() not in PARAMETERS:
            raise AttributeError(f"no parameter {name.upper()}")
        return Parameter(self.w, name.upper())
