"""Amounts as users write them: a number in the unit that goes without saying, or with one, as 90deg, 1.57rad, 10mm."""

import re
from math import pi

import typer

DEGREE = pi / 180.0
FORM = re.compile(r"\s*([-+]?(?:inf|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))\s*(.*?)\s*")
TURNS = {"deg": DEGREE, "rad": 1.0, "rev": 2.0 * pi}
LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
TURN_RATES = {"deg/s": DEGREE, "rad/s": 1.0, "rpm": 2.0 * pi / 60.0}
SPEEDS = {"m/s": 1.0, "mm/s": 1e-3}
TORQUES = {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3}
FORCES = {"N": 1.0, "kN": 1e3, "mN": 1e-3}
UNITS = {  # what: the units of a rotation and of a translation with their SI values; the first goes without saying
    "position": (TURNS, LENGTHS),
    "speed": (TURN_RATES, SPEEDS),
    "effort": (TORQUES, FORCES),
    "stiffness": ({"Nm/rad": 1.0, "Nm/deg": 1.0 / DEGREE}, {"N/m": 1.0, "N/mm": 1e3}),
    "damping": ({"Nms/rad": 1.0, "Nms/deg": 1.0 / DEGREE}, {"Ns/m": 1.0, "Ns/mm": 1e3}),
    "acceleration stiffness": ({"1/s2": 1.0}, {"1/s2": 1.0}),
    "acceleration damping": ({"1/s": 1.0}, {"1/s": 1.0}),
    "gradient": ({"deg/s/Nm": DEGREE, "rad/s/Nm": 1.0, "rpm/Nm": 2.0 * pi / 60.0}, {"m/s/N": 1.0}),
    "inertia": ({"kgm2": 1.0, "gcm2": 1e-7}, {"kg": 1.0, "g": 1e-3}),
    "gearing of a tendon": ({"m/rad": 1.0, "mm/rad": 1e-3, "m/deg": 1.0 / DEGREE}, {"": 1.0}),
    "length": (LENGTHS, LENGTHS),
    "tendon stiffness": ({"N/m": 1.0, "N/mm": 1e3}, {"N/m": 1.0, "N/mm": 1e3}),
    "tendon damping": ({"Ns/m": 1.0, "Ns/mm": 1e3}, {"Ns/m": 1.0, "Ns/mm": 1e3}),
}


def amount(option: str, text: str | None, what: str, rotational: bool = True) -> float | None:
    """The SI value of a text; None for None.

    Args:
        option: as the user wrote it, for the error.
        text: number and unit; `·`, spaces and `²` in a unit do not count.
        what: a key of `UNITS`.
        rotational: whether it is of a rotation.

    Raises:
        typer.BadParameter: no number, or a unit of something else.
    """
    if text is None:
        return None
    units = UNITS[what][not rotational]
    form = FORM.fullmatch(text)
    unit = re.sub(r"[·* ()]", "", form[2]).replace("²", "2").replace("^2", "2") if form else None
    if unit == "":
        return float(form[1]) * next(iter(units.values()))
    if unit not in units:
        kind = "a rotation" if rotational else "a translation"
        known = " | ".join(name or "no unit" for name in units)
        raise typer.BadParameter(
            f"{option} {text}: is no {what} of {kind}; give a number with {known}, or in the first"
        )
    return float(form[1]) * units[unit]
