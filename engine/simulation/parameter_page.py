"""Writes what follows from the table of parameters: the reference page, or with --stub the types of the fields.

python -m fajin.simulation.parameter_page > docs/parameters.md
python -m fajin.simulation.parameter_page --stub > engine/simulation/parameter_fields.pyi
"""

import sys

from ..tables.layout import PARAMETERS
from ..tables.parameter import VALUES, Parameter
from .parameter_fields import ParameterFields, describe, describe_shape

HEAD = """# Parameters

<!-- Written by `python -m fajin.simulation.parameter_page`; edit engine/tables/layout.py, not this page. -->

These fields of a `Simulation` describe the machine and its commands. Read and set them as `sim.NAME`, and vary them in
a [batch](batch.md) as `COLUMN:NAME`. All may differ between worlds. W worlds, D degrees of freedom, L links, X driven
axes of maximal joints, a explicit actuators (`sim.actuator`), p points of their bounds by position (`sim.bound_point`);
SI units and radians. [State](state.md) has the other fields and the names of the columns.

`once` and `for_steps(n)` set a field for some steps. Assignments, `write`, schedules, control events and batches refuse
other values than those below ([Values](state.md#values)). A field that *decides* can add rows to a joint or a force to
a link; after it is set, the next step writes the topology again.

| field | meaning | shape | values | decides |
|---|---|---|---|---|
"""
STUB = '''"""Types of the fields of parameters; written by `python -m fajin.simulation.parameter_page --stub`."""

from ..tables.parameter import Parameter
from .field import Field

COLUMNS: dict[str, str]

def describe_shape(row: Parameter) -> str: ...
def describe(row: Parameter) -> str: ...

class ParameterFields:
    """{doc}"""

    axis: tuple[str, str, str]
'''


def page() -> str:
    """Return the whole page, in Markdown."""
    return HEAD + "".join(map(_line, _settable()))


def stub() -> str:
    """Return the stub of `parameter_fields`, with the description of every field."""
    fields = (f'    {row.field}: Field\n    """{describe(row)}"""\n' for row in _settable())
    return STUB.format(doc=(ParameterFields.__doc__ or "").partition("\n")[0]) + "".join(fields)


def _settable() -> list[Parameter]:
    return [row for row in PARAMETERS.values() if row.field]


def _line(row: Parameter) -> str:
    text = row.meaning.replace("|", "\\|")
    return (
        f"| `{row.field}` | {text} | {describe_shape(row)} | {VALUES[row.values]} | {'yes' if row.decides else ''} |\n"
    )


if __name__ == "__main__":
    sys.stdout.buffer.write((stub() if "--stub" in sys.argv else page()).encode())
