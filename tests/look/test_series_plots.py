"""Pictures of logs by matplotlib: they stay readable however many joints a robot has."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fajin.tools.series_plots import ACROSS, GRID_WIDTH, LOW, MOST_JOINTS, MOST_ROWS, WIDTH, draw_series
from fajin.visual.look.series import Series

DPI, BESIDE, ABOVE = 150, 1.0, 0.8  # of `plots.figure`: dots per inch, and inches beside and above the plots


def drawn(joints: int, path: Path) -> tuple[float, float]:
    """Draw positions and efforts of so many joints; return the picture's width and height [inches]."""
    image = pytest.importorskip("PIL.Image")
    time = np.linspace(0.0, 1.0, 20)
    q = np.sin(time[:, None] + np.arange(joints))
    names = tuple(f"/robot/joint{i}:rotZ" for i in range(joints))
    log = Series("log", time, names, ("rad",) * joints, {"q": q, "target_q": q + 0.1, "effort": q})
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout that does not fit
        warnings.filterwarnings("default", module="(matplotlib|pyparsing)[.].*", category=DeprecationWarning)
        draw_series([log, replace(log, name="other")], path)
    with image.open(path) as picture:
        width, height = picture.size
    return width / DPI, height / DPI


@pytest.mark.parametrize("joints", [7, MOST_ROWS])
def test_a_row_per_joint(tmp_path: Path, joints: int, capsys: pytest.CaptureFixture[str]):
    """A column per quantity; rows keep their height, and matplotlib has nothing to warn of."""
    pytest.importorskip("matplotlib")
    size = drawn(joints, tmp_path / "log.png")
    assert size == pytest.approx((2 * WIDTH + BESIDE, LOW * joints + ABOVE), abs=1 / DPI)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("joints", [MOST_ROWS + 1, 60, 70])
def test_many_joints_are_a_grid_of_one_quantity(tmp_path: Path, joints: int, capsys: pytest.CaptureFixture[str]):
    """Plots keep their size; what the picture does not hold is named."""
    pytest.importorskip("matplotlib")
    shown = min(joints, MOST_JOINTS)
    size = drawn(joints, tmp_path / "log.png")
    assert size == pytest.approx((ACROSS * GRID_WIDTH + BESIDE, LOW * -(-shown // ACROSS) + ABOVE), abs=1 / DPI)
    notes = capsys.readouterr().err
    assert f"q of {shown} joints drawn; --quantity effort draws another quantity" in notes
    others = f"60 joints drawn of 70; choose 10 others by --joint, or draw all by -o {tmp_path / 'log.html'}"
    assert (others in notes) == (joints > shown)
