"""Views of the buffers beside the state: results of a step, sleep timers, statistics, monitors.

    w.results.qdd[dof] = q̈        w.sleep.asleep[a]        w.statistics.dof[dof].peak_effort

`tables.layout` names their rows. Results and timers have the rows of all items of an entry together; statistics have
all rows of an item together.
"""

import taichi as ti

from ..tables.contacts import CONTACT_STATE, CONTACT_TYPES
from ..tables.layout import SLEEP, STATISTICS, STEP_RESULTS
from ..tables.monitors import MONITORS
from .lanes import materialize, traced
from .spatial import Motion, Spatial, Vec3
from .stored import StoredNumber, cells, first_of, numbers_of, stored
from .views import View, type_of

OWNERS = {
    "A": "articulation_count",
    "C": "collider_count",
    "D": "dof_count",
    "W": "slot_count",
    "w": "shared_slot_count",
    "J": "maximal_joint_count",
    "L": "link_count",
    "T": "tendon_count",
    "Z": "contact_count",
}
"""Word of the header that counts the owners of a row."""

WORKING = ("W", "f", "F", "H", "Y")
"""Owners of the state of contacts that is in scratch during a launch where pairs share slots."""

EXCLUDES_SLEEP_STOP = ("QDD", "ACCELERATION")
"""Results that exclude the stop of what falls asleep."""


class BufferView(View):
    """Buffer with the rows of all items of an entry together."""

    def __init__(self, w, array, entries):
        self.w, self.array, self.entries = w, array, entries

    def rows(self, entries):
        """Return the number of rows of these entries."""
        return sum(width * getattr(self.w.header, OWNERS[owner]) for _, owner, width, _ in entries)

    def places(self, name, item):
        """Return the places of the numbers of an item."""
        at = next(i for i, (row, *_) in enumerate(self.entries) if row == name)
        width = self.entries[at][2]
        row = materialize(self.rows(self.entries[:at]) + item * width)
        return cells(self.w, self.array, first_of(self.w.index, self.rows(self.entries)), row, width)

    @traced
    def write(self, name, item, *values):
        """Write the numbers of an item, one group after the other."""
        for place, number in zip(self.places(name, item), [x for v in values for x in numbers_of(v)], strict=True):
            place._assign(number)

    def __getattr__(self, name):
        if not any(name.upper() == row for row, *_ in vars(self)["entries"]):
            raise AttributeError(f"{type(self).__name__} has no row {name.upper()}")
        return BufferRow(self, name.upper())


class BufferRow(View):
    """One entry of a buffer."""

    def __init__(self, buffer, name):
        self.buffer, self.name = buffer, name

    def __getitem__(self, item):
        return self.buffer.at(self.name, item)


class SleepView(BufferView):
    """Sleep timers of a world: `w.sleep.wake_counter[link]`."""

    def __init__(self, w, array):
        super().__init__(w, array, SLEEP)

    def at(self, name, item):
        """Return the numbers of an item."""
        places = self.places(name, item)
        return stored(Motion if len(places) > 1 else None, places)


class MonitorsView(BufferView):
    """Monitors of a launch: `w.monitors.net_force[collider]`."""

    def __init__(self, w, array):
        super().__init__(w, array, MONITORS)

    def at(self, name, item):
        """Return the numbers of an item."""
        places = self.places(name, item)
        return stored(Vec3 if len(places) > 1 else None, places)


class ContactsView(View):
    """State of the contacts of a world from step to step: `w.contacts.point_a[i]`.

    Where pairs share slots, the numbers of pairs are in scratch during a launch.
    """

    rows = {name.lower(): (owner, width) for name, owner, width, _ in CONTACT_STATE}  # noqa: RUF012

    def __init__(self, w, array):
        self.w, self.array = w, array

    def __getattr__(self, name):
        if name not in self.rows:
            raise AttributeError(f"contacts keep no {name.upper()}")
        return BufferRow(self, name)

    def at(self, name, item):
        """Return the numbers of an item."""
        w, (owner, width) = self.w, self.rows[name]
        kind = type_of(w, CONTACT_TYPES[name.upper()])
        if w.features.slots and owner in WORKING:
            row = materialize(getattr(w.header, name) + item * width)
            return stored(kind, cells(w, w.scratch, w.first_island_scratch, row, width))
        row = materialize(getattr(w.header, f"stored_{name}") + item * width)
        first = first_of(w.index, w.header.contact_rows)
        return stored(kind, cells(w, self.array, first, row, width))


class ResultsView(BufferView):
    """Results of the last step, which are written only where their owner is awake: `w.results.qdd[dof]`."""

    def __init__(self, w, array):
        super().__init__(w, array, STEP_RESULTS)

    def at(self, name, item):
        """Return the numbers of an item."""
        return Result(self.w, name, self.places(name, item))


class Result(StoredNumber):
    """Result of a step: a number, a vector, or a motion or force, whose linear part is stored first."""

    def __init__(self, w, name, places):
        super().__init__(places[0])
        self.w, self.name, self.places = w, name, places

    def _assign(self, value):
        numbers = numbers_of(value.lin) + numbers_of(value.ang) if isinstance(value, Spatial) else numbers_of(value)
        if self.w.features.sleeps:
            if self.name in EXCLUDES_SLEEP_STOP:
                numbers = [ti.select(self.w.stops, 0.0, number) for number in numbers]
            last = [materialize(place) for place in self.places]
            numbers = [ti.select(self.w.writes, number, old) for number, old in zip(numbers, last, strict=True)]
        for place, number in zip(self.places, numbers, strict=True):
            place._assign(number)


class StoredSum(StoredNumber):
    """Sum by Kahan's method, with its rounding error in the number after it."""

    def __init__(self, places):
        super().__init__(places[0])
        self.error = places[1]

    def _augassign(self, value, operator):
        if operator != "Add":
            raise TypeError("a sum only grows by +=")
        total, lost = materialize(self.place), materialize(self.error)
        more = materialize(value - lost)
        grown = materialize(total + more)
        self.error._assign((grown - total) - more)
        self.place._assign(grown)


class StatisticsView(View):
    """Statistics of a world: `w.statistics.dof[dof]`, `w.statistics.articulation[a]`, `w.statistics.link[link]`."""

    def __init__(self, w, array):
        self.articulation, self.dof = StatisticsTable(w, array, "A"), StatisticsTable(w, array, "D")
        self.link = StatisticsTable(w, array, "L")


class StatisticsTable(View):
    """Statistics of all items of an owner."""

    def __init__(self, w, array, owner):
        self.w, self.array, self.owner = w, array, owner

    def __getitem__(self, item):
        return StatisticsItem(self, item)


class StatisticsItem(View):
    """Statistics of one articulation, degree of freedom or link."""

    widths = {owner: sum(width for _, of, width, _ in STATISTICS if of == owner) for owner in "ADL"}  # noqa: RUF012

    def __init__(self, table, item):
        w, values = table.w, vars(self)
        owners, first, total = "ADL" if w.features.contacts else "AD", 0, 0
        for owner in owners:
            first = total if owner == table.owner else first
            total = total + getattr(w.header, OWNERS[owner]) * self.widths[owner]
        values["_table"] = table
        values["_first"] = first_of(w.index, total)
        values["_row"] = materialize(first + item * self.widths[table.owner])

    def __getattr__(self, name):
        at = 0
        for row, owner, width, _ in STATISTICS:
            if owner == self._table.owner:
                if row == name.upper():
                    places = cells(self._table.w, self._table.array, self._first, self._row, width, at)
                    return StoredNumber(places[0]) if width == 1 else StoredSum(places)
                at += width
        raise AttributeError(f"no statistic {name.upper()}")

    def __setattr__(self, name, value):
        getattr(self, name)._assign(value)
