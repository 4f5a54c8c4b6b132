"""Tables of results are .csv where pyarrow is not installed, with the bits of .parquet."""

import sys

import numpy as np
import pytest
from commands import fajin_here
from paths import SCENES

import fajin
from fajin.jobs.results.metrics_table import read_metrics
from fajin.jobs.shards.result_table import read_columns, read_metadata, write_table

JOB = ("--seconds", "0.1", "--worlds", 4, "--shard-size", 2, "--random", "elbow:stiffness=uniform(1,2)")


@pytest.fixture
def without_pyarrow(monkeypatch):
    """Importing pyarrow fails."""
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)


def run(*words) -> tuple[int, str]:
    """Exit code and errors of a batch."""
    done = fajin_here("batch", *words)
    return done.returncode, done.stderr


def test_any_number_comes_back_to_the_bit(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "t.csv"
    bits = rng.integers(0, 1 << 32, 4000, np.uint32)
    columns = {
        "world": np.arange(4000),
        "a,b:q": np.where(np.isnan(bits.view("f4")), np.float32(np.nan), bits.view("f4")),
        "x": np.array([np.inf, -0.0, 1 / 3, np.nan] * 1000),
        "end": np.array(["done", "", 'a "b", c', "µ\n"] * 1000, object),
    }
    write_table(columns, path, {"a": "[N·m]"})
    again = read_columns(path)
    assert read_metadata(path) == {"a": "[N·m]"}
    assert list(again) == list(columns)
    for name, cells in columns.items():
        assert again[name].dtype == cells.dtype
        assert again[name].tobytes() == cells.tobytes() if cells.dtype != object else (again[name] == cells).all()


def test_a_batch_without_pyarrow_is_that_with_it(tmp_path, monkeypatch, without_pyarrow):
    """Bits, units and metadata; a damaged table is found, and a job begun without goes on with it."""
    scene, words = SCENES / "double_pendulum.usda", "pyarrow is not installed: tables are .csv"
    code, said = run(scene, "-o", tmp_path / "a", *JOB)
    assert (code, said.count("\n")) == (0, 1)
    assert words in said
    assert [path.name for path in sorted((tmp_path / "a/metrics").iterdir())] == ["00000.csv", "00001.csv"]
    assert run("-o", tmp_path / "a", "--resume") == (0, said)
    table = tmp_path / "a/metrics/00001.csv"
    table.write_text(table.read_text().replace("done", "gone"))
    assert "00001.csv: is damaged; the shard is run again" in run("-o", tmp_path / "a", "--resume")[1]
    monkeypatch.undo()
    frame = fajin.load(tmp_path / "a")  # pandas may have loaded pyarrow before
    (tmp_path / "a/metrics/00001.csv").unlink()
    assert run("-o", tmp_path / "a", "--resume") == (0, "")
    assert sorted(path.suffix for path in (tmp_path / "a/metrics").iterdir()) == [".csv", ".parquet"]
    assert run(scene, "-o", tmp_path / "b", *JOB)[0] == 0
    for folder in ("a", "b"):
        assert fajin.load(tmp_path / folder).equals(frame)
        assert fajin.load(tmp_path / folder).attrs == frame.attrs
    assert {*read_metrics(tmp_path / "a")[1].values()} >= {"s", "rad", "rad/s", "N·m"}


def test_tables_in_parquet_are_kept_where_they_cannot_be_read(tmp_path, request):
    """They are not damaged."""
    folder = tmp_path / "a"
    assert run(SCENES / "double_pendulum.usda", "-o", folder, *JOB)[0] == 0
    before = {path: path.read_bytes() for path in (folder / "metrics").iterdir()}
    request.getfixturevalue("without_pyarrow")
    code, said = run("-o", folder, "--resume")
    assert (code, said.splitlines()[-1]) == (2, "fajin: .parquet: pyarrow must be installed; pip install pyarrow")
    with pytest.raises(fajin.InvalidJob, match="pip install pyarrow"):
        read_metrics(folder)
    assert {path: path.read_bytes() for path in (folder / "metrics").iterdir()} == before
