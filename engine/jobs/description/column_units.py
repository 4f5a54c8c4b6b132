"""Units of the columns of a job's table."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...simulation.fields import Fields

STATE = {"q": "rad | m", "qd": "rad/s | m/s"}
UNIT = re.compile(r"\[([^\]]*)\]")  # in the meaning of a field


def column_units(columns: Sequence[str], metrics: Mapping[str, Any]) -> dict[str, str]:
    """Return the unit of each column that has one; of "rad | m", the one that a joint's axis selects.

    Args:
        columns: names of settings ("elbow:stiffness*"), metrics ("work:/arm/elbow:rotZ") and states ("q:…").
        metrics: {name: {"unit": …}}, as in a manifest.
    """
    fields = {field.name: field for field in Fields.quantities()}
    units = {"seconds": "s"} if "seconds" in columns else {}
    for column in columns:
        first, _, rest = column.partition(":")
        if rest.startswith("/"):  # of a metric or a state
            unit = metrics[first]["unit"] if first in metrics else STATE.get(first, "")
        else:
            quantity = re.match(r"\w*", column.rpartition(":")[2])
            field = fields.get(quantity[0] if quantity else "")
            multiplied = column.endswith("*")
            meaning = UNIT.search(field.__doc__ or "") if field and not multiplied else None
            unit = meaning[1] if meaning else ""
        if " | " in unit and (":rot" in rest or ":trans" in rest):
            unit = unit.split(" | ")[":trans" in rest]
        if unit:
            units[column] = unit
    return units
