"""`fajin batch` as a user runs it: a folder of results, whole or to be gone on with, whatever happens on the way."""

import sys
from pathlib import Path

import pytest
from batches import fajin_batch_here

import fajin
from fajin.jobs.metrics.named_metrics import LINK_METRICS, METRICS
from fajin.jobs.shards import shard_size
from fajin.tools.cli import main

SHARDS = 12
JOB = ("--grid", "shoulder:stiffness=1,10", "--random", "elbow:q+=normal(0,0.3)", "--worlds", "96", "--seconds", "20")
JOB = (*JOB, "--shard-size", "8", "--threads", "1", "--device", "cpu")


def refused(monkeypatch, capsys, *options) -> str:
    """The one line with which the command refuses to start."""
    monkeypatch.setattr(sys, "argv", ["fajin", "batch", *map(str, options)])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert end.value.code == 2
    assert (said.out, said.err.count("\n")) == ("", 1)
    return said.err


def shards(folder: Path) -> int:
    """How many are done."""
    return len(list(folder.glob("metrics/?????.parquet")))


@pytest.fixture(scope="module")
def scene(request) -> Path:
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


def test_a_folder_keeps_to_its_job(scene, tmp_path, monkeypatch, capsys):
    """Results are not written over, nor mixed with those of another job; a changed scene is another job."""
    copy, folder = tmp_path / "scene.usda", tmp_path / "out"
    copy.write_text(scene.read_text())
    job = (copy, "-o", folder, "--worlds", "2", "--seconds", "0.1", "--device", "cpu")
    assert fajin_batch_here(*job).returncode == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "--resume" in refused(monkeypatch, capsys, *job)
    assert "seconds, seed" in refused(monkeypatch, capsys, *job, "--seconds", "0.2", "--seed", "1", "--resume")
    copy.write_text(scene.read_text().replace("timeStepsPerSecond = 480", "timeStepsPerSecond = 240"))
    assert "the contents of the scene" in refused(monkeypatch, capsys, *job, "--resume")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    assert "other files" in refused(monkeypatch, capsys, scene, "-o", tmp_path / "other")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--grid", "shoulder:stiffness"), ("--grid", "NAME:quantity=")),
        (("--grid", "shoulder:stiffness=1,x"), ("shoulder:stiffness=1,x",)),
        (("--grid", "shoulder:stifness=1"), ("stifness", "stiffness")),
        (("--grid", "nowhere:stiffness=1"), ("nowhere", "elbow")),
        (("--grid", "elbow:damping=1,-1"), ("elbow:damping", "-1")),
        (("--grid", "elbow:damping=1,nan"), ("elbow:damping", "nan")),
        (("--random", "elbow:q=uniform(0,1)"), ("--worlds",)),
        (("--random", "elbow:q=gauss(0,1)", "--worlds", "3"), ("gauss(0,1)", "uniform")),
        (("--random", ".*:mass*=uniform(-1,1)", "--worlds", "30"), ("mass*", "uniform(-1,1)", "positive")),
        (("--grid", "elbow:q=1,2", "--worlds", "3"), ("--worlds 3", "multiple of the 2")),
        (("--table", "no.csv"), ("no.csv", "does not exist")),
        (("--table", "bad.csv"), ("bad.csv, row 1, elbow:q = nan",)),
        (("--metrics", "speed"), ("speed", "peak_speed")),
        (("--metrics", "nomodule:height"), ("nomodule:height",)),
        (("--record", "worlds=3:1"), ("worlds=3:1",)),
        (("--animate", "7"), ("--animate 7",)),
        (("--controls", "no.npz"), ("no.npz",)),
        (("--initial", "no.npz"), ("no.npz",)),
        (("--worlds", "1000000000", "--shard-size", "1000000000"), ("--shard-size", "GB are free", "must be at most")),
        (("--drive", "nowhere=1,2"), ("nowhere", "elbow")),
        (("--dt", "0"), ("dt",)),
        (("--seconds", "nan"), ("--seconds",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_one_line_before_anything_starts(scene, tmp_path, monkeypatch, capsys, options, words):
    """It names option and value, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("elbow:q\n1\nnan\n")
    line = refused(monkeypatch, capsys, scene, "-o", "out", *options)
    assert all(word in line for word in words), line
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_help_and_page_name_every_metric(request, monkeypatch, capsys):
    """And no other."""
    monkeypatch.setattr(sys, "argv", ["fajin", "batch", "--help"])
    with pytest.raises(SystemExit):
        main()
    said = " ".join(capsys.readouterr().out.split())
    assert f"Metrics: {', '.join(METRICS)}; each" in said
    assert f"Of contacts: {', '.join(LINK_METRICS)}; each" in said
    page = (request.config.rootpath / "docs" / "batch.md").read_text()
    assert all(f"{name}`" in page for name in (*METRICS, *LINK_METRICS))


def test_without_a_scene_only_a_folders_job_can_be_gone_on_with(tmp_path, monkeypatch, capsys):
    """Options that would change it need one."""
    assert "manifest" in refused(monkeypatch, capsys, "-o", tmp_path / "none", "--resume")
    assert "--worlds needs a SCENE" in refused(monkeypatch, capsys, "-o", tmp_path, "--worlds", "3")


def test_worlds_are_not_more_than_memory_holds(monkeypatch):
    """Neither of the machine, nor of several processes at once."""
    monkeypatch.setattr(shard_size, "free_bytes", lambda: 1_000_000)
    shard_size.check_memory(800, 1000, 1)
    with pytest.raises(fajin.InvalidJob, match="must be at most 900"):
        shard_size.check_memory(1000, 1000, 1)
    with pytest.raises(fajin.InvalidJob, match="2 processes"):
        shard_size.check_memory(800, 1000, 2)
