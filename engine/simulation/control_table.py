"""Tables of controls: a row per time, a column per joint and quantity; in .csv or .parquet."""

import re
from pathlib import Path
from typing import Any

from ..input_file import UnreadableFile, read_lines, read_parquet, split_rows
from ..scene import InvalidScene
from ..selection import suggestion
from .control_events import OF_JOINTS, Control, ControlTarget, EventPlace, columns_of, number_of, step_of

TIME = {"time": "time", "time [s]": "time", "step": "step"}  # header of the first column: key of an event
HEADER = re.compile(r"(?P<name>.+):(?P<quantity>\w+)\s*(\[(?P<unit>[^\]]*)\])?")
OF_LOGS = re.compile(r"(?P<quantity>target_qd?) (?P<name>[^\[]+?)\s*(\[(?P<unit>[^\]]*)\])?")  # commands of a joint log
SI_UNITS = ("rad", "m", "rad/s", "m/s", "N·m", "N", "Nm")
TABLE_FORM = "write time [s], then NAME:QUANTITY such as elbow:target_q"


def read_table_events(path: Path, target: ControlTarget) -> list[Control]:
    """Return the events of a table. An empty cell changes nothing; a value equal to the one above it is one event.

    Raises:
        InvalidScene: the file or a cell cannot be read, or a column names no joint.
    """
    header, rows = _rows(path)
    clocks = [i for i, name in enumerate(header) if name.strip() in TIME]
    if len(clocks) != 1:
        raise InvalidScene(file=path, rule='a table with one column "time [s]" or "step"', fix=TABLE_FORM)
    key = TIME[header[clocks[0]].strip()]
    columns = {i: _column(path, name, target) for i, name in enumerate(header) if i != clocks[0]}
    last: dict[tuple[int, str], float] = {}
    events = []
    for index, row in enumerate(rows):
        place = EventPlace(path, f"row {index + 1}")
        step = step_of(place, {key: _number(place, key, row[clocks[0]], key == "step")}, target)
        for i, (dofs, quantity, unit) in columns.items():
            if row[i] is None or row[i] == "" or row[i] != row[i]:  # NaN is an empty cell
                continue
            value = _number(place, header[i], row[i], False)
            for dof in dofs:
                number = number_of(place, value, quantity, unit, ":rot" in target.dofs[dof])
                if last.get((dof, quantity)) != number or quantity in ("q", "qd"):
                    events.append(Control(step, dof, quantity, number))
                    last[dof, quantity] = number
    return events


def _column(path: Path, header: str, target: ControlTarget) -> tuple[list[int], str, str]:
    """Return degrees of freedom, quantity and unit of a column; "" for SI units."""
    place, form = EventPlace(path, "header"), _form(header.strip())
    if form is None or form["quantity"] not in OF_JOINTS:
        near = suggestion(form["quantity"], OF_JOINTS) if form else ""
        raise place.error("", header, f"NAME:QUANTITY with one of {', '.join(OF_JOINTS)}", TABLE_FORM + near)
    unit = form["unit"] or ""
    return columns_of(place, "joint", form["name"], target.dofs), form["quantity"], "" if unit in SI_UNITS else unit


def _form(header: str) -> "re.Match[str] | None":
    return OF_LOGS.fullmatch(header) or HEADER.fullmatch(header)


def _number(place: EventPlace, key: str, cell: Any, whole: bool) -> float | int:
    """Return the number in a cell."""
    try:
        value = float(cell)
        return int(value) if whole and value.is_integer() else value
    except (TypeError, ValueError):
        raise place.error(key, cell, "a number", "correct the cell") from None


def _rows(path: Path) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of a table."""
    try:
        if path.suffix == ".parquet":
            return _parquet(path)
        lines = [line for line in read_lines(path) if not line.startswith("#")]
        header, *rows = split_rows(path, lines) or [[]]
    except UnreadableFile as error:
        fix = TABLE_FORM if error.found else "pass a .json, .csv or .parquet file of events"
        raise InvalidScene(file=path, rule=error.rule, fix=fix) from None
    rows = [row for row in rows if row]
    for index, row in enumerate(rows):
        if len(row) != len(header):
            raise EventPlace(path, f"row {index + 1}").error("", row, f"{len(header)} cells, as the header", TABLE_FORM)
    return header, rows


def _parquet(path: Path) -> tuple[list[str], list[list[Any]]]:
    try:
        table = read_parquet(path)
    except ImportError:
        fix = "run pip install pyarrow, or write a .csv"
        raise InvalidScene(file=path, rule="a .csv, as pyarrow is not installed", fix=fix) from None
    columns = [column.to_pylist() for column in table.columns]
    return list(table.column_names), [list(row) for row in zip(*columns, strict=True)]
