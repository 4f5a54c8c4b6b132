"""What mimic joints do to each other, kept through a step."""

from .lanes import materialize, traced
from .world_view import HEADER_AT, cell, header


def _coupling(w, i, column):
    row = header(w, HEADER_AT.MIMIC_RESPONSES) + i * header(w, HEADER_AT.MIMIC_RESPONSE_STRIDE) + column
    return cell(w, w.scratch, w.first_scratch, row)


@traced
def get_coupling(w, i, column):
    """Rate (column 0) or lowest limit (1) of mimic joint i, or what its unit impulse does to the n-th one (2 + n)."""
    return materialize(_coupling(w, i, column))


@traced
def put_coupling(w, i, column, value):
    """Write a column of mimic joint i."""
    _coupling(w, i, column)._assign(value)
