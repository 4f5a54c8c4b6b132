"""Accessors of the sleep timers: the buffer whose rows `layout.SLEEP` names."""

from ..tables.layout import SLEEP
from .accessors import get_number, put_numbers
from .lanes import materialize, traced
from .spatial import Motion, Vec3
from .world_view import HEADER_AT, header

_COUNTS = {"L": HEADER_AT.LINK_COUNT, "A": HEADER_AT.ARTICULATION_COUNT}
_WIDTHS = {name: (owner, width) for name, owner, width, _ in SLEEP}


def _rows_before(w, name):
    """Return the number of rows before `name` in the table; of the whole table if it is None."""
    names = list(_WIDTHS)
    before = names[: names.index(name) if name else len(names)]
    return sum(_WIDTHS[n][1] * header(w, _COUNTS[_WIDTHS[n][0]]) for n in before)


@traced
def get_sleep(w, name, item):
    """Return the numbers of a link or an articulation: one, or a motion of six."""
    width = _WIDTHS[name][1]
    row = materialize(_rows_before(w, name) + item * width)
    numbers = [get_number(w, w.sleep, _rows_before(w, None), row, i) for i in range(width)]
    return numbers[0] if width == 1 else Motion(Vec3(*numbers[:3]), Vec3(*numbers[3:]))


@traced
def put_sleep(w, name, item, value):
    """Write the numbers of a link or an articulation."""
    numbers = (value,)
    if isinstance(value, Motion):
        numbers = (value.ang.x, value.ang.y, value.ang.z, value.lin.x, value.lin.y, value.lin.z)
    row = _rows_before(w, name) + item * _WIDTHS[name][1]
    put_numbers(w, w.sleep, _rows_before(w, None), row, *numbers)
