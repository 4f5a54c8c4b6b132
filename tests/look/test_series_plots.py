"""Pictures of logs by matplotlib: they stay readable however many joints a robot has."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fajin.tools.series_plots import LOW, MOST_JOINTS, draw_series
from fajin.visual.look.series import Series

DPI, ABOVE = 150, 0.8  # of `plots.figure`: dots per inch, and inches beside the rows


@pytest.mark.parametrize("joints", [7, 30])
def test_a_row_per_joint(tmp_path: Path, joints: int, capsys: pytest.CaptureFixture[str]):
    """Rows keep their height; what a picture does not hold is named, and matplotlib has nothing to warn of."""
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    time = np.linspace(0.0, 1.0, 20)
    q = np.sin(time[:, None] + np.arange(joints))
    names = tuple(f"/robot/joint{i}:rotZ" for i in range(joints))
    log = Series("log", time, names, ("rad",) * joints, {"q": q, "target_q": q + 0.1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_series([log, replace(log, name="other")], tmp_path / "log.png")
    with image.open(tmp_path / "log.png") as picture:
        assert picture.size[1] == round(DPI * (LOW * min(joints, MOST_JOINTS) + ABOVE))
    rest = joints - MOST_JOINTS
    said = f"16 joints drawn of 30; choose {rest} others by --joint, or draw all by -o {tmp_path / 'log.html'}"
    assert (said in capsys.readouterr().err) == (rest > 0)
