"""How a law writes what the last step of a launch did: the buffer whose rows `layout.RATES` names."""

import taichi as ti

from ..tables.layout import RATES
from .lanes import traced
from .memory import get_number, put_numbers
from .world import HEAD_AT, head

COUNTS = {"D": HEAD_AT.DOFS, "L": HEAD_AT.LINKS, "J": HEAD_AT.OUTER_JOINTS, "T": HEAD_AT.BRANCHES}
"""The word of the head that counts the owners of a row."""

STOPPED = ("QDD", "ACCELERATION")
"""Rows that know nothing of the stop of what falls asleep."""


def _rows(w, table):
    """Rows of all worlds' worth of these entries of the table."""
    return sum(width * head(w, COUNTS[owner]) for _, owner, width, _ in table)


def _put(w, rates, row, *values):
    """Write rows; those of what is asleep stay."""
    if w.parts.sleeps:
        before = [get_number(w, rates, _rows(w, RATES), row, i) for i in range(len(values))]
        values = [ti.select(w.awake > 0.0, value, old) for value, old in zip(values, before, strict=True)]
    put_numbers(w, rates, _rows(w, RATES), row, *values)


def _without_stop(w, acceleration):
    """An acceleration, zero where something falls asleep."""
    return ti.select(w.falls > 0.0, 0.0, acceleration) if w.parts.sleeps else acceleration


def _row(w, name, item):
    """The first row of the numbers that belong to one item."""
    at = next(i for i, (row, *_) in enumerate(RATES) if row == name)
    return _rows(w, RATES[:at]) + RATES[at][2] * item


@traced
def rate(w, rates, name, item):
    """Return the first number of an item, as it was written last."""
    return get_number(w, rates, _rows(w, RATES), _row(w, name, item))


@traced
def put_rate(w, rates, name, item, *values):
    """Write the numbers of a row that belong to one item: a degree of freedom, link, joint or tendon."""
    row = _row(w, name, item)
    _put(w, rates, row, *(_without_stop(w, value) if name in STOPPED else value for value in values))


@traced
def put_spatial_rate(w, rates, name, item, v):
    """Write a motion or a force, the linear part first."""
    put_rate(w, rates, name, item, v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z)
