"""Amounts with units on the command line: a number in the default unit, or with its own: 90, 1.57 rad, 10mm.

Options, tables and messages are in SI units and radians; with --degrees angles are in degrees.
"""

from contextlib import suppress
from contextvars import ContextVar
from math import degrees
from typing import Annotated, overload

import typer

USUAL = {  # quantity: default units of a rotation and of a translation
    "position": ("rad", "m"),
    "speed": ("rad/s", "m/s"),
    "effort": ("Nm", "N"),
    "stiffness": ("Nm/rad", "N/m"),
    "damping": ("Nms/rad", "Ns/m"),
    "acceleration stiffness": ("1/s2", "1/s2"),
    "acceleration damping": ("1/s", "1/s"),
    "gradient": ("rad/s/Nm", "m/s/N"),
    "inertia": ("kgm2", "kg"),
    "gearing of a tendon": ("m/rad", "1"),
    "length": ("m", "m"),
    "tendon stiffness": ("N/m", "N/m"),
    "tendon damping": ("Ns/m", "Ns/m"),
}

in_degrees: ContextVar[bool] = ContextVar("in_degrees", default=False)
"""True if --degrees stands on the command line."""


def use_degrees(given: bool) -> bool:
    """Take angles without a unit as degrees from now on, or as radians."""
    in_degrees.set(given)
    return given


Degrees = Annotated[
    bool,
    typer.Option("--degrees", callback=use_degrees, is_eager=True, help="Take angles without a unit as degrees."),
]


ShownDegrees = Annotated[
    bool, typer.Option("--degrees", callback=use_degrees, is_eager=True, help="Print angles in degrees, not radians.")
]


def angle_unit() -> str:
    """Return the unit of angles in tables."""
    return "deg" if in_degrees.get() else "rad"


def shown_angle(value: float, rotational: bool) -> float:
    """Return an angle, or its rate, in the unit of tables; other values unchanged."""
    return degrees(value) if rotational and in_degrees.get() else value


@overload
def parse_amount(option: str, text: str, what: str, rotational: bool = True) -> float: ...
@overload
def parse_amount(option: str, text: str | None, what: str, rotational: bool = True) -> float | None: ...
def parse_amount(option: str, text: str | None, what: str, rotational: bool = True) -> float | None:
    """Return the SI value of a text; None for None.

    Args:
        option: name of the option, for the error.
        text: number and unit.
        what: a key of `USUAL`.
        rotational: whether the amount belongs to a rotation.

    Raises:
        typer.BadParameter: not a number, or a unit of another quantity.
    """
    from fajin.motor.units import NUMBER, InvalidQuantity, unit

    if text is None:
        return None
    usual = USUAL[what][not rotational]
    if in_degrees.get() and usual.startswith("rad"):
        usual = usual.replace("rad", "deg")
    wanted = unit(what, usual)[1]
    number = NUMBER.fullmatch(text)
    scale, dimension = 0.0, None
    with suppress(InvalidQuantity):
        if number:
            scale, dimension = unit(option, number[2].strip() or usual)
    if number is None or dimension != wanted:
        kind = " of a rotation" if rotational else " of a translation"
        kind = "" if len(set(USUAL[what])) == 1 else kind
        raise typer.BadParameter(
            f"{option} {text}: must be a {what}{kind}; write a number, with its unit unless that is {usual}"
        )
    return float(number[1]) * scale
