"""Writer of the results of the last step of a launch: the buffer whose rows `layout.STEP_RESULTS` names."""

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
"""Word of the header that counts the owners of a row."""

EXCLUDES_SLEEP_STOP = ("QDD", "ACCELERATION")
"""Rows that exclude the stop of what falls asleep."""


def _rows(w, table):
    """Return the number of rows of these entries of the table."""
    return sum(width * header(w, COUNTS[owner]) for _, owner, width, _ in table)


def _put(w, results, row, *values):
    """Write rows; those of lanes that sleep stay."""
    if w.features.sleeps:
        stored = [get_number(w, results, _rows(w, STEP_RESULTS), row, i) for i in range(len(values))]
        values = [ti.select(w.awake > 0.0, value, old) for value, old in zip(values, stored, strict=True)]
    put_numbers(w, results, _rows(w, STEP_RESULTS), row, *values)


def _without_stop(w, acceleration):
    """Return an acceleration, zero where something falls asleep."""
    return ti.select(w.falls > 0.0, 0.0, acceleration) if w.features.sleeps else acceleration


def _row(w, name, item):
    """Return the first row of the numbers of an item."""
    at = next(i for i, (row, *_) in enumerate(STEP_RESULTS) if row == name)
    return _rows(w, STEP_RESULTS[:at]) + STEP_RESULTS[at][2] * item


@traced
def get_result(w, results, name, item):
    """Return the first number of an item as last written."""
    return get_number(w, results, _rows(w, STEP_RESULTS), _row(w, name, item))


@traced
def put_result(w, results, name, item, *values):
    """Write the numbers of an item: a degree of freedom, link, joint or tendon."""
    row = _row(w, name, item)
    _put(w, results, row, *(_without_stop(w, value) if name in EXCLUDES_SLEEP_STOP else value for value in values))


@traced
def put_spatial_result(w, results, name, item, v):
    """Write a motion or a force, the linear part first."""
    put_result(w, results, name, item, v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z)
