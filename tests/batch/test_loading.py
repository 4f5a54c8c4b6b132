"""`fajin.load`: results of a batch as a frame; units in the files; folders that move."""

import json
import shutil

import numpy as np
import pyarrow.parquet as parquet
import pytest
from commands import fajin_here
from paths import SCENES

import fajin


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """A folder with a scene and a finished job."""
    place = tmp_path_factory.mktemp("here")
    shutil.copy(SCENES / "arm7.usda", place / "arm.usda")
    grid = ("--grid", "joint2:stiffness=10,100", "--random", "link.*:mass*=uniform(0.8,1.2)")
    words = ("batch", "arm.usda", "-o", "sweep", "--seconds", "0.05", "--worlds", 4, *grid, "--shard-size", 2)
    done = fajin_here(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    return place / "sweep"


def test_a_batch_becomes_a_frame(sweep):
    """A row per world; columns by name and quantity, with units."""
    frame = fajin.load(sweep)
    assert list(frame.index) == [0, 1, 2, 3]
    assert frame.index.name == "world"
    assert frame.columns.names == ["name", "quantity"]
    assert set(frame["joint2", "stiffness"]) == {10.0, 100.0}
    assert {"settling_time", "peak_effort", "final_q", "final_qd", "stiffness"} <= set(frame["joint2"].columns)
    assert frame["link.*", "mass*"].between(0.8, 1.2).all() if ("link.*", "mass*") in frame else True
    assert set(frame["", "end"]) == {"done"}
    units = frame.attrs["units"]
    assert units["joint2", "final_q"] == "rad"
    assert units["joint2", "settling_time"] == "s"
    assert units["joint2", "peak_effort"] == "N·m"
    assert "rad" in units["joint2", "stiffness"]
    table = parquet.read_table(sweep / "metrics" / "00000.parquet")
    assert np.array_equal(frame["joint3", "final_q"].to_numpy()[:2], table["joint3:final_q"].to_numpy())


def test_a_file_holds_the_units_of_its_columns(sweep):
    about = parquet.read_schema(sweep / "metrics" / "00000.parquet").metadata
    units = json.loads(about[b"fajin.units"])
    assert units["joint3:final_q"] == "rad"
    assert units["joint3:peak_speed"] == "rad/s"


def test_scene_and_results_move_together(sweep, tmp_path):
    """The manifest has no absolute path, and the job goes on elsewhere."""
    text = (sweep / "manifest.json").read_text()
    assert str(sweep.parent) not in text
    shutil.copytree(sweep.parent, tmp_path / "there")
    (tmp_path / "there" / "sweep" / "metrics" / "00001.parquet").unlink()
    done = fajin_here("batch", "-o", "sweep", "--resume", cwd=tmp_path / "there")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 worlds" in done.stdout
    assert fajin.load(tmp_path / "there" / "sweep").equals(fajin.load(sweep))


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(fajin.InvalidJob, match=r"manifest\.json"):
        fajin.load(tmp_path)
