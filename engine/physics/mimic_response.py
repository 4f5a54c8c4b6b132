"""Responses of mimic joints to each other, stored for the length of a step."""

from .lanes import materialize, traced
from .world_view import HEADER_AT, cell, header


def _coupling(w, i, column):
    row = header(w, HEADER_AT.MIMIC_RESPONSES) + i * header(w, HEADER_AT.MIMIC_RESPONSE_STRIDE) + column
    return cell(w, w.scratch, w.first_scratch, row)


@traced
def get_coupling(w, i, column):
    """Return a column of mimic joint i.

    Column 0 is its rate, 1 its lowest velocity limit, 2 + n the response of the n-th mimic joint to its unit impulse.
    """
    return materialize(_coupling(w, i, column))


@traced
def put_coupling(w, i, column, value):
    """Write a column of mimic joint i."""
    _coupling(w, i, column)._assign(value)
