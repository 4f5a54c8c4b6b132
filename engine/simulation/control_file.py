"""Files of control events: lists in JSON, and tables; docs/controls.md."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..input_file import UnreadableFile, read_json
from ..scene import InvalidScene
from ..selection import suggestion
from .control_events import (
    MOST,
    OF_JOINTS,
    OF_LINKS,
    Control,
    ControlTarget,
    EventPlace,
    columns_of,
    number_of,
    step_of,
)
from .control_table import read_table_events

KEYS = {"time", "step", "joint", "link", "set", "value", "unit"}
FORM = 'write {"time": 0.5, "joint": "elbow", "set": "target_q", "value": 0.3}'


def read_controls(path: str | Path, target: ControlTarget) -> tuple[Control, ...]:
    """Return the events of a file, sorted by step: a list in .json, or a table in .csv or .parquet.

    An event of a list is {"time" or "step", "joint" or "link", "set", "value"}, and perhaps "unit": "deg" or "deg/s".
    A table has the column "time [s]" or "step", and a column "NAME:QUANTITY" for each joint; see docs/controls.md.

    Raises:
        InvalidScene: the file is missing or does not have this form, or an event names no joint or no link.
    """
    if Path(path).suffix in (".csv", ".parquet"):
        controls = read_table_events(Path(path), target)
    else:
        controls = [
            control
            for index, event in enumerate(_load(path))
            for control in _controls(EventPlace(path, f"event {index}"), event, target)
        ]
    return tuple(sorted(controls, key=lambda control: control.step))


def _load(path: str | Path) -> list[Any]:
    """Return the list of a JSON file."""
    try:
        events = read_json(path)
    except UnreadableFile as error:
        fix = "write a list of events" if error.found else "pass a .json, .csv or .parquet file of events"
        raise InvalidScene(file=path, rule=error.rule, fix=fix) from None
    if not isinstance(events, list):
        raise InvalidScene(file=path, rule="a list of events", fix="put them between [ and ]")
    return events


def _controls(place: EventPlace, event: Any, target: ControlTarget) -> Iterator[Control]:
    """Yield the control of each column that an event names."""
    keys = set(event) if isinstance(event, dict) else set()
    if not {"set", "value"} <= keys <= KEYS or len(keys & {"time", "step"}) != 1 or len(keys & {"joint", "link"}) != 1:
        unknown = sorted(map(str, keys - KEYS))
        near = suggestion(unknown[0], KEYS) if unknown else ""
        rule = "an object of time or step, joint or link, set, value and perhaps unit"
        raise place.error("", event, rule, FORM + near)
    step = step_of(place, event, target)
    kind, quantities = ("joint", OF_JOINTS) if "joint" in event else ("link", OF_LINKS)
    quantity = event["set"]
    if quantity not in list(quantities):
        near = suggestion(str(quantity), quantities)
        raise place.error("set", quantity, f"one of {', '.join(quantities)} for a {kind}", f"name one of these{near}")
    columns = columns_of(place, kind, event[kind], target.dofs if kind == "joint" else target.links)
    unit = event.get("unit", "")
    for column in columns:
        if kind == "joint":
            rotational = ":rot" in target.dofs[column]
            yield Control(step, column, quantity, number_of(place, event["value"], quantity, unit, rotational))
        else:
            yield Control(step, column, quantity, _vector(place, event["value"]))


def _vector(place: EventPlace, value: Any) -> tuple[float, float, float]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(type(number) in (int, float) and abs(number) <= MOST for number in numbers):
        raise place.error("value", value, "three finite numbers in world axes", "give [x, y, z]")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])
