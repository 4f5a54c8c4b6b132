"""Plots below a film: curves that share an axis share a unit, and what is left out is named."""

from types import SimpleNamespace

import pytest

from fajin.tools.plot_strip import MOST_CURVES, drawn_columns


@pytest.mark.parametrize(
    ("unit", "drawn", "note"),
    [
        (8 * "r", [*range(8)], ""),
        (20 * "r", [*range(8)], "8 of 20 joints drawn, in r"),
        ("rmr", [0, 2], "2 of 3 joints drawn, in r"),
        ("mrr", [0], "1 of 3 joints drawn, in m"),
    ],
)
def test_curves_share_their_unit(unit, drawn, note, capsys):
    assert drawn_columns(SimpleNamespace(unit=unit), [*range(len(unit))]) == drawn
    assert len(drawn) <= MOST_CURVES
    said = capsys.readouterr().err
    assert said == (f"fajin: note: {note}; choose others by --plots REGEX\n" if note else "")
