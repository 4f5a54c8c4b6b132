"""How a law writes what the last step of a launch did: the buffer whose rows `layout.RATES` names."""

import taichi as ti

from ..layout import RATES
from .lanes import traced
from .memory import get_number, put_numbers
from .world import HEAD_AT, head

JOINT_RATES = [name for name, owner, _, _ in RATES if owner == "D"]  # they come before those of links
LINK_WIDTH = sum(width for _, owner, width, _ in RATES if owner == "L")


def _link_rows(w):
    return len(JOINT_RATES) * head(w, HEAD_AT.DOFS)


def _size(w):
    return _link_rows(w) + LINK_WIDTH * head(w, HEAD_AT.LINKS)


def _put(w, rates, row, *values):
    """Write rows; those of what is asleep stay."""
    if w.sleeps:
        before = [get_number(w, rates, _size(w), row, i) for i in range(len(values))]
        values = [ti.select(w.awake > 0.0, value, old) for value, old in zip(values, before, strict=True)]
    put_numbers(w, rates, _size(w), row, *values)


def _without_stop(w, acceleration):
    """An acceleration, zero where something falls asleep."""
    return ti.select(w.falls > 0.0, 0.0, acceleration) if w.sleeps else acceleration


@traced
def put_joint_rate(w, rates, name, dof, value):
    """Write a number of a degree of freedom."""
    if name == "QDD":
        value = _without_stop(w, value)
    _put(w, rates, JOINT_RATES.index(name) * head(w, HEAD_AT.DOFS) + dof, value)


@traced
def put_acceleration(w, rates, link, a):
    """Write the acceleration of a link: linear, then angular."""
    row = _link_rows(w) + LINK_WIDTH * link
    _put(w, rates, row, *(_without_stop(w, x) for x in (a.lin.x, a.lin.y, a.lin.z, a.ang.x, a.ang.y, a.ang.z)))
