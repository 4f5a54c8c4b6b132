"""Control events: values set on degrees of freedom, or forces on links, before given steps."""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import radians
from pathlib import Path
from typing import Any

from ..scene import InvalidScene
from ..selection import resolve_key, suggestion
from ..tables.layout import PARAMETERS

OF_JOINTS = ("target_q", "target_qd", "effort", "q", "qd", "stiffness", "damping", "max_force")
NOT_NEGATIVE = {row.field for row in PARAMETERS.values() if row.values.startswith(">")}
OF_LINKS = ("force", "torque")
ANGLES = ("target_q", "target_qd", "q", "qd")  # quantities that may be in degrees
DEGREES = ("deg", "deg/s")
MOST = 1.7e308  # of a number that float64 holds
SHORT = reprlib.Repr()  # a value in a message, not at length
SHORT.maxdict = 7  # keys of an event


@dataclass(frozen=True)
class Control:
    """An event: set `parameter` of one degree of freedom or link to `value` before the step with that index, from 0."""

    step: int
    dof: int  # column; of a force or torque that of the link
    parameter: str  # one of `OF_JOINTS` or `OF_LINKS`
    value: float | tuple[float, float, float]  # SI units and radians; vectors in world axes


@dataclass(frozen=True)
class ControlTarget:
    """Targets of events: columns by name, and the steps of the simulation."""

    dofs: Sequence[str]  # names of the degrees of freedom, joint path and axis token, in column order
    links: Sequence[str] = ()  # names of the links in column order
    dt: float | None = None  # step [s]; None: events count steps, not seconds
    steps: int | None = None  # number of steps; later events are refused; None: any number


@dataclass(frozen=True)
class EventPlace:
    """The place of an event in a file."""

    path: str | Path
    name: str  # "event 3", "row 3"

    def error(self, key: str, value: Any, rule: str, fix: str) -> InvalidScene:
        """Return the error for the value of a key."""
        return InvalidScene(self.name, key, SHORT.repr(value), rule, fix, self.path)


def step_of(place: EventPlace, event: dict[str, Any], target: ControlTarget) -> int:
    """Return the step of an event: the given one, or the one nearest to a time.

    Raises:
        InvalidScene: not a whole number, not a time from 0, or a step that is not simulated.
    """
    key = "step" if "step" in event else "time"
    value = event[key]
    if key == "step" and (type(value) is not int or value < 0):
        raise place.error("step", value, "a whole number from 0", "give seconds as time")
    if key == "time" and (type(value) not in (int, float) or not 0.0 <= value <= MOST):
        raise place.error("time", value, "a time from 0 [s]", "give a number of seconds")
    if key == "time" and target.dt is None:
        raise place.error("time", value, "a step: the length of a step is not known here", "give step")
    step = value if key == "step" else round(value / (target.dt or 1.0))
    if target.steps is not None and step >= target.steps:
        end = f"{target.steps} steps" + (f" or {target.steps * target.dt:.6g} s" if target.dt else "")
        raise place.error(key, value, f"before the end, at {end}", "simulate longer, or remove the event")
    return step


def columns_of(place: EventPlace, kind: str, name: Any, columns: Sequence[str]) -> list[int]:
    """Return the columns that a name or a regular expression selects.

    Raises:
        InvalidScene: none, or several that share a name.
    """
    if not isinstance(name, str):
        raise place.error(kind, name, f"the name of a {kind}", "give a text")
    try:
        found = resolve_key(name, columns, "dof" if kind == "joint" else "link")
    except KeyError as error:
        short = list(dict.fromkeys(full.partition(":")[0].rpartition("/")[2] for full in columns))
        if "is the name of" in str(error):
            raise place.error(kind, name, f"one {kind}: {error.args[0]}", "use the full name") from None
        near = suggestion(name, [*short, *columns])
        raise place.error(kind, name, f"one of {', '.join(short)}", f"name one of these{near}") from None
    return found if isinstance(found, list) else [found]


def number_of(place: EventPlace, value: Any, quantity: str, unit: Any, rotational: bool) -> float:
    """Return the value of a quantity in SI units and radians.

    Raises:
        InvalidScene: not a finite number, a negative gain, or another unit than degrees.
    """
    if type(value) not in (int, float) or not abs(value) <= MOST:
        raise place.error("value", value, "a finite number in SI units and radians", "give such a number")
    if quantity in NOT_NEGATIVE and value < 0.0:
        raise place.error("value", value, f"not negative for {quantity}", "give such a number")
    if unit in ("", None):
        return float(value)
    wanted = DEGREES[quantity in ("qd", "target_qd")]
    if unit != wanted or quantity not in ANGLES:
        allowed = (
            f"{wanted}, or left out for SI units" if quantity in ANGLES else f"left out: {quantity} is in SI units"
        )
        raise place.error("unit", unit, allowed, "correct it")
    return radians(value) if rotational else float(value)
