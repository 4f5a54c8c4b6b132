"""How a law writes what the last step of a launch did: the buffer whose rows `layout.RATES` names."""

from ..layout import RATES
from .lanes import traced
from .memory import put_numbers
from .world import HEAD_AT, head

JOINT_RATES = [name for name, owner, _, _ in RATES if owner == "D"]  # they come before those of links
LINK_WIDTH = sum(width for _, owner, width, _ in RATES if owner == "L")


def _link_rows(w):
    return len(JOINT_RATES) * head(w, HEAD_AT.DOFS)


def _size(w):
    return _link_rows(w) + LINK_WIDTH * head(w, HEAD_AT.LINKS)


@traced
def put_joint_rate(w, rates, name, dof, value):
    """Write a number of a degree of freedom."""
    put_numbers(w, rates, _size(w), JOINT_RATES.index(name) * head(w, HEAD_AT.DOFS) + dof, value)


@traced
def put_acceleration(w, rates, link, a):
    """Write the acceleration of a link: linear, then angular."""
    row = _link_rows(w) + LINK_WIDTH * link
    put_numbers(w, rates, _size(w), row, a.lin.x, a.lin.y, a.lin.z, a.ang.x, a.ang.y, a.ang.z)
