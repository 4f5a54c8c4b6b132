"""Amounts with units on the command line: a number in the default unit, or with its own: 90, 1.57 rad, 10mm."""

from contextlib import suppress
from typing import overload

import typer

USUAL = {  # quantity: default units of a rotation and of a translation
    "position": ("deg", "m"),
    "speed": ("deg/s", "m/s"),
    "effort": ("Nm", "N"),
    "stiffness": ("Nm/rad", "N/m"),
    "damping": ("Nms/rad", "Ns/m"),
    "acceleration stiffness": ("1/s2", "1/s2"),
    "acceleration damping": ("1/s", "1/s"),
    "gradient": ("deg/s/Nm", "m/s/N"),
    "inertia": ("kgm2", "kg"),
    "gearing of a tendon": ("m/rad", "1"),
    "length": ("m", "m"),
    "tendon stiffness": ("N/m", "N/m"),
    "tendon damping": ("Ns/m", "Ns/m"),
}


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
    wanted = unit(what, usual)[1]
    number = NUMBER.fullmatch(text)
    scale, dimension = 0.0, None
    with suppress(InvalidQuantity):
        if number:
            scale, dimension = unit(option, number[2].strip() or usual)
    if number is None or dimension != wanted:
        kind = "a rotation" if rotational else "a translation"
        raise typer.BadParameter(
            f"{option} {text}: must be a {what} of {kind}; write a number, with its unit unless that is {usual}"
        )
    return float(number[1]) * scale
