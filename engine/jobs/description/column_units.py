"""Names and units of the columns of a job's table."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...selection import resolve_key
from ...simulation.fields import Fields

STATE = {"final_q": "rad | m", "final_qd": "rad/s | m/s"}
UNIT = re.compile(r"\[([^\]]*)\]")  # in the meaning of a field


def split_column(column: str) -> tuple[str, str]:
    """Return name and quantity of a column NAME:QUANTITY: "elbow", "settling_time"; no name for "seconds"."""
    owner, _, quantity = column.rpartition(":")
    return owner, quantity


def column_units(columns: Sequence[str], metrics: Mapping[str, Any], dofs: Sequence[str]) -> dict[str, str]:
    """Return the unit of each column that has one; of "rad | m", the one that a joint's axis selects.

    Args:
        columns: names of settings ("elbow:stiffness"), metrics ("elbow:work") and states ("elbow:final_q").
        metrics: {name: {"unit": …}}, as in a manifest.
        dofs: full names of the degrees of freedom.
    """
    units = {"seconds": "s"} if "seconds" in columns else {}
    for column in columns:
        owner, quantity = split_column(column)
        if quantity in metrics:
            unit = metrics[quantity]["unit"]
        elif quantity in STATE:
            unit = STATE[quantity]
        else:
            unit = "" if quantity.endswith("*") else unit_of(quantity.rstrip("+").partition(".")[0])
        if " | " in unit:
            unit = _unit_of_axis(unit, owner, dofs)
        if unit:
            units[column] = unit
    return units


def unit_of(quantity: str) -> str:
    """Return the unit of a field, such as "rad | m"; "" for other names and for numbers without a unit."""
    field = next((field for field in Fields.quantities() if field.name == quantity), None)
    meaning = UNIT.search(field.__doc__ or "") if field else None
    return meaning[1] if meaning else ""


def _unit_of_axis(unit: str, owner: str, dofs: Sequence[str]) -> str:
    """Return the first alternative for rotations, the second for translations; both for a name of both kinds."""
    try:
        found = resolve_key(owner, dofs, "dof")
    except KeyError:
        return unit
    kinds = {":trans" in dofs[i] for i in (found if isinstance(found, list) else [found])}
    return unit.split(" | ")[kinds.pop()] if len(kinds) == 1 else unit
