"""How a law writes what the last step of a launch did: the buffer whose rows `layout.STEP_RESULTS` names."""

import taichi as ti

from ..tables.layout import STEP_RESULTS
from .accessors import get_number, put_numbers
from .lanes import traced
from .world_view import HEADER_AT, header

COUNTS = {
    "D": HEADER_AT.DOF_COUNT,
    "L": HEADER_AT.LINK_COUNT,
    "J": HEADER_AT.MAXIMAL_JOINT_COUNT,
    "T": HEADER_AT.TENDON_COUNT,
}
"""The word of the head that counts the owners of a row."""

EXCLUDES_SLEEP_STOP = ("QDD", "ACCELERATION")
"""Rows that know nothing of the stop of what falls asleep."""


def _rows(w, table):
    """Rows of all worlds' worth of these entries of the table."""
    return sum(width * header(w, COUNTS[owner]) for _, owner, width, _ in table)


def _put(w, rates, row, *values):
    """Write rows; those of what is asleep stay."""
    if w.features.sleeps:
        before = [get_number(w, rates, _rows(w, STEP_RESULTS), row, i) for i in range(len(values))]
        values = [ti.select(w.awake > 0.0, value, old) for value, old in zip(values, before, strict=True)]
    put_numbers(w, rates, _rows(w, STEP_RESULTS), row, *values)


def _without_stop(w, acceleration):
    """An acceleration, zero where something falls asleep."""
    return ti.select(w.falls > 0.0, 0.0, acceleration) if w.features.sleeps else acceleration


def _row(w, name, item):
    """The first row of the numbers that belong to one item."""
    at = next(i for i, (row, *_) in enumerate(STEP_RESULTS) if row == name)
    return _rows(w, STEP_RESULTS[:at]) + STEP_RESULTS[at][2] * item


@traced
def get_result(w, rates, name, item):
    """Return the first number of an item, as it was written last."""
    return get_number(w, rates, _rows(w, STEP_RESULTS), _row(w, name, item))


@traced
def put_result(w, rates, name, item, *values):
    """Write the numbers of a row that belong to one item: a degree of freedom, link, joint or tendon."""
    row = _row(w, name, item)
    _put(w, rates, row, *(_without_stop(w, value) if name in EXCLUDES_SLEEP_STOP else value for value in values))


@traced
def put_spatial_result(w, rates, name, item, v):
    """Write a motion or a force, the linear part first."""
    put_result(w, rates, name, item, v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z)
