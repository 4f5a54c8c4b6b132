"""Values of parameters that follow the rows of a table while a launch runs: see `tables.schedule`.

    p = (s − N) + g         place in the table [steps]: s steps since its start, delay N − g [steps], 0 ≤ g < 1
    held:    a + (b − a) g                    rows a = ⌊(s − N)/every⌋, b = ⌊(s − N + 1)/every⌋
    linear:  a + (b − a) (p/every − a's row)  rows a = ⌊(s − N)/every⌋, b the next one

The first row holds before the start, the last row after the end. N is part of the first step of a world.
"""

import taichi as ti
from taichi.lang.matrix import make_matrix

from ..tables.schedule import SCHEDULE_COLUMN, SCHEDULE_HEADER, UNSET
from ..tables.word_values import DISTURBED
from . import LANES
from .lanes import Float, any_lane, broadcast, materialize, traced
from .stored import StoredNumber, cells, element
from .views import PARAMETERS_AT, View, first_parameter


class ScheduleView(View):
    """Schedule of a launch whose header is at a word, for a world (or pack)."""

    def __init__(self, w, words, numbers, header):
        self.w, self.words, self.numbers, self.header = w, words, numbers, header
        self.parameters = ScheduledParameters(self)

    def __getattr__(self, name):
        return element(self.words, self.header + SCHEDULE_HEADER[name.upper()])

    @traced
    def columns(self, island_id):
        """Return the first column of an island and the first of the next one."""
        first = materialize(self.island_columns + island_id)
        return materialize(element(self.words, first)), materialize(element(self.words, first + 1))

    @traced
    def at(self, step, lanes):
        """Return the rows at a step since the schedule was set, of that many lanes."""
        return TableRows(self, step, range(lanes))

    @traced
    def word(self, column, name):
        """Return a word of a column."""
        first = self.column_words + column * len(SCHEDULE_COLUMN)
        return materialize(element(self.words, first + SCHEDULE_COLUMN[name.upper()]))


class ScheduledParameters(View):
    """Parameters of the columns of a schedule, of which every world has its own."""

    def __init__(self, schedule):
        self.schedule = schedule

    def __getitem__(self, column):
        w, at = self.schedule.w, materialize(PARAMETERS_AT + 2 * self.schedule.word(column, "parameter"))
        item = self.schedule.word(column, "item")
        return StoredNumber(cells(w, w.parameter_rows, first_parameter(w, at), item, 1)[0])


class TableRows(View):
    """Rows of the table between which some lanes are, and where; one lane stands for all."""

    def __init__(self, schedule, step, lanes):
        self.schedule, self.before, self.after, shares = schedule, [], [], []
        every, last = materialize(schedule.every), materialize(schedule.last_row)
        row, world_stride = materialize(schedule.row_stride), materialize(schedule.world_stride)
        table = materialize(schedule.table)
        last_world, linear = materialize(schedule.last_world), materialize(schedule.interpolates > 0)
        inverse = materialize(element(schedule.numbers, schedule.step))
        for lane in lanes:
            world = materialize(ti.min(schedule.w.index * LANES + lane, last_world))
            place = materialize(step - element(schedule.words, schedule.starts + world))
            fraction = materialize(element(schedule.numbers, schedule.fractions + world))
            passed = materialize(ti.max(place, 0))
            a = materialize(ti.raw_div(passed, every))
            within = materialize(passed - a * every)
            next_row = linear | (within + 1 == every)
            b = a + ti.cast((place >= 0) & next_row, ti.i32)
            shares.append(ti.select(linear, (ti.cast(within, Float) + fraction) * inverse, fraction))
            first = materialize(table + world * world_stride)
            self.before.append(materialize(first + ti.min(a, last) * row))
            self.after.append(materialize(first + ti.min(b, last) * row))
        self.share = pack(shares)

    @traced
    def value(self, column):
        """Return the value of a column."""
        at, numbers = materialize(column * self.schedule.column_stride), self.schedule.numbers
        a, b = (pack([element(numbers, row + at) for row in rows]) for rows in (self.before, self.after))
        return materialize(a + (b - a) * self.share)


@traced
def pack(numbers):
    """Return the numbers of all lanes as one; a single number is that of all lanes."""
    return broadcast(numbers[0]) if len(numbers) == 1 else materialize(make_matrix(numbers))


@ti.func
def follow_schedules(w: ti.template(), island_id, words: ti.template(), numbers: ti.template(), step):
    """Set the parameters of an island's columns from each schedule; `step`: since the first was set."""
    header, steps, more = 0, step, True
    while more:
        schedule = ScheduleView(w, words, numbers, header)
        follow_schedule(w, island_id, schedule, steps)
        steps += schedule.next_steps
        header = schedule.next
        more = header > 0


@ti.func
def follow_schedule(w: ti.template(), island_id, schedule, step):
    """Set the parameters of an island's columns at a step since the schedule was set; what changes, wakes."""
    if schedule.together:
        follow_rows(w, island_id, schedule, schedule.at(step, 1))
    else:
        follow_rows(w, island_id, schedule, schedule.at(step, LANES))


@ti.func
def follow_rows(w: ti.template(), island_id, schedule, rows):
    """Set the parameters of an island's columns from rows of the table."""
    first, end = schedule.columns(island_id)
    for column in range(first, end):
        before, value = schedule.parameters[column], rows.value(column)
        given = value < 0.75 * UNSET
        value = ti.select(given, value, before)
        if ti.static(w.features.sleeps):
            wakes = value != before
            if schedule.word(column, "wakes") > 0:
                wakes = given
            if any_lane(wakes):
                wake_changed(w, island_id, schedule.word(column, "articulation"), wakes)
        schedule.parameters[column] = value


@ti.func
def wake_changed(w: ti.template(), island_id, articulation, changed):
    """Wake an articulation of an island (-1: all of them) in the lanes where a value changed."""
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        if articulation < 0 or articulation == a:
            w.sleep.asleep[a] = ti.select(changed, broadcast(DISTURBED), w.sleep.asleep[a])
