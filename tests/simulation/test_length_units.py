"""Powers of length in the units of the tables' rows."""

import pytest

from fajin.tables.layout import LINKS, PARAMETERS, STATE, STATISTICS, STEP_RESULTS
from fajin.tables.length_units import length_power, length_powers
from fajin.tables.monitors import MONITORS


@pytest.mark.parametrize(
    ("unit", "power"),
    [
        *[("N·m/rad", 2), ("N/m", 0), ("1/s²", 0), ("rad/s/(N·m)", -2), ("m/s/N", 0), ("N/(m·s)", 0), ("J", 2)],
        *[("N·m/(rad·s)", 2), ("N²·m²", 4), ("kg·m²", 2), ("m²/s²", 2), ("1/m", -1), ("rad/m", -1), ("N·s", 1)],
        *[("N·s/m", 0), ("m/s²", 1), ("rad·s", 0), ("m·s", 1), ("steps", 0), ("N·m·s/rad", 2), ("W", 2), ("1", 0)],
    ],
)
def test_power_of_length_in_a_unit(unit, power):
    assert length_power(unit) == power


def test_alternatives_and_halves_of_a_row():
    assert length_powers("joint position [rad | m]", 1) == ((0,), (1,))
    assert length_powers("velocity, world [rad/s, m/s]", 6) == ((0, 0, 0, 1, 1, 1),)
    assert length_powers("world position [m] and orientation", 7) == ((1, 1, 1, 0, 0, 0, 0),)
    assert length_powers("number of points", 1) == ((0,),)


def test_every_row_has_as_many_powers_as_numbers():
    rows = [(row.meaning, row.width) for row in PARAMETERS.values()]
    rows += [
        (meaning, width) for table in (STATE, STEP_RESULTS, LINKS, STATISTICS, MONITORS) for *_, width, meaning in table
    ]
    assert all(len(powers) == width for meaning, width in rows for powers in length_powers(meaning, width))
