"""Control events: values set on a degree of freedom, or forces on a link, before a given step."""

import json
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path
from typing import Any

from ..scene import InvalidScene

PARAMETERS = {"pos_target": "target_q", "vel_target": "target_qd", "effort": "effort", "q": "q", "qd": "qd"}
KEYS = {"step", "joint", "axis", "set", "value"}
LINK_KEYS = {"step", "link", "set", "value"}
MOST = 1.7e308  # of a number that float64 holds
SHORT = reprlib.Repr()  # a value in a message, not at length
SHORT.maxdict = len(KEYS)


@dataclass(frozen=True)
class Control:
    """An event: set `parameter` of one degree of freedom or link to `value` before the step with that index, from 0."""

    step: int
    dof: int  # column; of a force that of the link
    parameter: str  # target_q | target_qd | effort | q | qd | force
    value: float | tuple[float, float, float]  # SI: [rad | m], [rad/s | m/s], [N·m | N]; a force in world axes [N]


def read_controls(path: str | Path, dofs: Sequence[str], links: Sequence[str] = ()) -> tuple[Control, ...]:
    """Return the events of a JSON file, sorted by step: a list of {"step", "joint", "axis", "set", "value"}.

    "joint" is a joint's path or name. "axis" indexes the degrees of freedom of that joint (default 0). "set" is
    pos_target, vel_target, effort, q or qd. "value" is in SI units and radians. An event {"step", "link", "set":
    "force", "value": [x, y, z]} sets the force on a link at its centre of mass, in world axes [N], until the next one.

    Args:
        path: the file.
        dofs: names of the degrees of freedom (joint path and axis token) in column order.
        links: names of the links in column order; without them, forces are refused.

    Raises:
        InvalidScene: the file is missing or not a list of events, or an event names no degree of freedom.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():  # reading a pipe or device might never end
            raise OSError(EINVAL, "not a regular file")
        events = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidScene(
            file=path, rule=f"a file that can be read ({error.strerror})", fix="pass a JSON file of events"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidScene(file=path, rule=f"JSON ({error})", fix="write a list of events") from None
    if not isinstance(events, list):
        raise InvalidScene(file=path, rule="a list of events", fix="put them between [ and ]")
    controls = [
        _force(Event(path, index), event, links)
        if links and isinstance(event, dict) and "link" in event
        else _control(Event(path, index), event, dofs)
        for index, event in enumerate(events)
    ]
    return tuple(sorted(controls, key=lambda control: control.step))


@dataclass(frozen=True)
class Event:
    """The place of an event."""

    path: str | Path
    index: int

    def error(self, key: str, value: Any, rule: str, fix: str) -> InvalidScene:
        """Return the error for the value of a key."""
        return InvalidScene(f"event {self.index}", key, SHORT.repr(value), rule, fix, self.path)


def _control(place: Event, event: Any, dofs: Sequence[str]) -> Control:
    if not isinstance(event, dict) or not KEYS - {"axis"} <= set(event) <= KEYS:
        raise place.error("", event, "an object of step, joint, set, value and perhaps axis", "give no other keys")
    step, axis, value = event["step"], event.get("axis", 0), event["value"]
    if type(step) is not int or step < 0:
        raise place.error("step", step, "a whole number from 0", "count steps, not seconds")
    if type(value) not in (int, float) or not abs(value) <= MOST:
        raise place.error("value", value, "a finite number in SI units and radians", "give such a number")
    if event["set"] not in list(PARAMETERS):
        raise place.error("set", event["set"], f"one of {', '.join(PARAMETERS)}", "name one of these")
    return Control(step, _column(place, event["joint"], axis, dofs), PARAMETERS[event["set"]], float(value))


def _force(place: Event, event: dict, links: Sequence[str]) -> Control:
    """Return the event of a force on a link."""
    if set(event) != LINK_KEYS:
        raise place.error("", event, "an object of step, link, set and value", "give no other keys")
    step, value = event["step"], event["value"]
    if type(step) is not int or step < 0:
        raise place.error("step", step, "a whole number from 0", "count steps, not seconds")
    if event["set"] != "force":
        raise place.error("set", event["set"], "force for a link", "set force, or name a joint")
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(type(number) in (int, float) and abs(number) <= MOST for number in numbers):
        raise place.error("value", value, "three finite numbers [N]", "give the force in world axes")
    found = [i for i, path in enumerate(links) if event["link"] in (path, path.rpartition("/")[2])]
    if len(found) != 1:
        names = ", ".join(links)
        raise place.error("link", event["link"], f"one of {names}", "name one of these")
    return Control(step, found[0], "force", (float(value[0]), float(value[1]), float(value[2])))


def _column(place: Event, joint: Any, axis: Any, dofs: Sequence[str]) -> int:
    paths = [name.rpartition(":")[0] for name in dofs]
    found = [path for path in paths if joint in (path, path.rpartition("/")[2])]
    if not found:
        names = ", ".join(dict.fromkeys(path.rpartition("/")[2] for path in paths))
        raise place.error("joint", joint, f"one of {names}", "name one of these")
    if len(set(found)) > 1:
        raise place.error("joint", joint, f"one joint, not {', '.join(sorted(set(found)))}", "use the path")
    if type(axis) is not int or not 0 <= axis < len(found):
        raise place.error("axis", axis, f"from 0 to {len(found) - 1}, the axes of {found[0]}", "give such a number")
    return [column for column, path in enumerate(paths) if path == found[0]][axis]
