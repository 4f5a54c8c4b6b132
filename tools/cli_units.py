"""Amounts as users write them: a number in the unit that goes without saying, or with its own: 90, 1.57 rad, 10mm."""

import typer

USUAL = {  # what: the unit of a rotation and of a translation that goes without saying
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


def parse_amount(option: str, text: str | None, what: str, rotational: bool = True) -> float | None:
    """The SI value of a text; None for None.

    Args:
        option: as the user wrote it, for the error.
        text: number and unit.
        what: a key of `USUAL`.
        rotational: whether it is of a rotation.

    Raises:
        typer.BadParameter: no number, or a unit of something else.
    """
    from fajin.motor.units import NUMBER, InvalidQuantity, unit

    if text is None:
        return None
    usual = USUAL[what][not rotational]
    wanted = unit(what, usual)[1]
    number = NUMBER.fullmatch(text)
    try:
        scale, dimension = unit(option, number[2].strip() or usual) if number else (0.0, None)
    except InvalidQuantity:
        dimension = None
    if dimension != wanted:
        kind = "a rotation" if rotational else "a translation"
        raise typer.BadParameter(
            f"{option} {text}: is no {what} of {kind}; give a number, with its unit where that is not {usual}"
        )
    return float(number[1]) * scale
