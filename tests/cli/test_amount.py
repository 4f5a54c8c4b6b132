"""Amounts on the command line: the usual unit goes without saying, others are written, wrong ones refused."""

from math import inf, isclose, pi

import pytest
import typer

from fajin.tools.cli_units import USUAL, parse_amount

ROUND_OFF = 4.0 * 2.0**-52


@pytest.mark.parametrize(
    ("text", "what", "rotational", "value"),
    [
        ("90deg", "position", True, pi / 2.0),
        ("0.7", "position", True, 0.7),
        ("1.5 rad", "position", True, 1.5),
        ("10mm", "position", False, 0.01),
        ("60rpm", "speed", True, 2.0 * pi),
        ("3N·m", "effort", True, 3.0),
        ("inf", "effort", True, inf),
        ("5Nm/deg", "stiffness", True, 900.0 / pi),
        ("5 N/mm", "stiffness", False, 5000.0),
        ("2 N·m·s/rad", "damping", True, 2.0),
        ("2Nms/deg", "damping", True, 360.0 / pi),
        ("4deg/s/Nm", "gradient", True, pi / 45.0),
        ("4rpm/Nm", "gradient", True, 4.0 * pi / 30.0),
        ("3 gcm²", "inertia", True, 3e-7),
        ("3 kg·m²", "inertia", True, 3.0),
        ("2g", "inertia", False, 0.002),
        ("7 1/s²", "acceleration stiffness", True, 7.0),
        ("7/s", "acceleration damping", True, 7.0),
        ("3", "gearing of a tendon", False, 3.0),
        ("2 mm/deg", "gearing of a tendon", True, 0.36 / pi),
    ],
)
def test_an_amount_is_read_in_its_unit(text, what, rotational, value):
    """SI units and radians where nothing is said."""
    got = parse_amount("--x", text, what, rotational)
    assert got == value or isclose(got, value, rel_tol=ROUND_OFF)


@pytest.mark.parametrize(
    ("text", "what", "rotational"),
    [("3m", "position", True), ("abc", "effort", True), ("3 Nm", "effort", False), ("3xx", "speed", True)],
)
def test_an_amount_of_something_else_is_refused(text, what, rotational):
    """The line names the option, what was written, and the unit that is meant."""
    with pytest.raises(typer.BadParameter, match=f"--x {text}: must be a {what}.*{USUAL[what][not rotational]}"):
        parse_amount("--x", text, what, rotational)
