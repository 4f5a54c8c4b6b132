"""Fields of parameters: each row of `layout.PARAMETERS` with a rule for its values is a field that can be set."""

from ..tables.layout import PARAMETERS
from ..tables.parameter import Parameter
from .field import Field

COLUMNS = {
    "D": "dof",
    "L": "link",
    "X": "maximal_dof",
    "a": "actuator",
    "p": "bound_point",
    "G": "pair_kind",
    "S": "axis",
}
"""Kind of the columns, by owner of the row."""


class ParameterFields:
    """Fields of gains, limits, friction, forces, masses and gravity. Setting a mass keeps the inertia, as in PhysX.

    Their types are in `parameter_fields.pyi`, which `python -m fajin.simulation.parameter_page --stub` writes.
    """

    axis = ("x", "y", "z")


def describe_shape(row: Parameter) -> str:
    """Return the shape of a field: "(W, D)", "(W, L, 3)"."""
    width = () if row.owner == "S" or row.width == 1 else (str(row.width),)
    return f"(W, {', '.join(('3' if row.owner == 'S' else row.owner, *width))})"


def describe(row: Parameter) -> str:
    """Return the description of a field, with unit and shape."""
    return f"{row.meaning[0].upper()}{row.meaning[1:]}, {describe_shape(row)}."


for _row in PARAMETERS.values():
    if _row.field:
        _field = Field(_row.name, describe(_row), COLUMNS[_row.owner], 1 if _row.owner == "S" else _row.width)
        _field.__set_name__(ParameterFields, _row.field)
        setattr(ParameterFields, _row.field, _field)
