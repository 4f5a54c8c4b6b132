"""`--no-contacts` of `fajin simulate` and `fajin batch` drops the colliders of a scene."""

import numpy as np
import pytest
from commands import fajin_here

G = 9.81


@pytest.mark.parametrize("command", ["simulate", "batch"])
def test_balls_fall_through_the_ground(scenes, tmp_path, command):
    """z = z0 − g t²/2 after 1 s, to the order of the step: the ground 1 m below does not stop them."""
    scene, options = scenes / "bouncing_ball.usda", ("--no-contacts", "--seconds", 1, "--device", "cpu")
    if command == "simulate":
        done = fajin_here("simulate", scene, "-o", tmp_path / "out.usda", "--joints", tmp_path / "log.npz", *options)
        assert done.returncode == 0, done.stderr
        log = np.load(tmp_path / "log.npz")
        assert log["pose"][-1, :, 2] == pytest.approx(1.1 - G / 2, abs=G / 240)
    else:
        done = fajin_here("batch", scene, "-o", tmp_path / "out", "--worlds", 2, "--metrics", "all", *options)
        assert done.returncode == 0, done.stderr
        names = "".join(path.name for path in (tmp_path / "out" / "metrics").iterdir())
        assert names.endswith(".parquet")
        from pyarrow.parquet import read_table

        table = read_table(tmp_path / "out" / "metrics")
        assert not [name for name in table.column_names if name.startswith("contact_time")]
