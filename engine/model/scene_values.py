"""Values that the scene has for the parameters of links and axes, by the holders that `layout.PARAMETERS` names."""

from typing import Any

from ..scene import Axis, Drive, Envelope, Link
from ..tables.layout import PARAMETERS

NO_DRIVE = Drive(max_force=0.0)
OWNED = {
    owner: tuple(
        (name, row.holder, row.attribute) for name, row in PARAMETERS.items() if row.scene and row.owner == owner
    )
    for owner in "LDX"
}
"""Name, holder and attribute of the parameters that the scene has, by owner."""


def link_values(link: Link) -> dict[str, float]:
    """Return the parameters that a link has in the scene, by name."""
    return _values("L", {"link": link})


def axis_values(axis: Axis, owner: str = "D") -> dict[str, float]:
    """Return the parameters of an axis by name: of a degree of freedom, "D", or of a maximal joint, "X"."""
    drive = axis.drive or NO_DRIVE
    envelope = drive.envelope or Envelope()
    holders = {"axis": axis, "drive": drive, "envelope": envelope, "friction": axis.friction, "limit": axis.limit}
    return _values(owner, holders)


def _values(owner: str, holders: dict[str, Any]) -> dict[str, float]:
    return {name: getattr(holders[holder], attribute) for name, holder, attribute in OWNED[owner]}
