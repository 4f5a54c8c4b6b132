"""`manifest.json` of a batch: its form is checked before it is used, and it imports no code."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from batches import fajin_batch_here

import fajin
from fajin.jobs.description.job import Job, Record
from fajin.jobs.description.prepared_job import prepare
from fajin.jobs.results import manifest


@pytest.fixture
def job(request) -> Job:
    """Eight worlds of a double pendulum in three shards."""
    scene = request.config.rootpath / "scenes" / "double_pendulum.usda"
    return Job(str(scene), 8, 0.05, 3, device="cpu", threads=1, record=Record(2, 4, 8))


@pytest.fixture
def folder(job, tmp_path) -> Path:
    """A folder in which the job has begun."""
    manifest.create_if_absent(manifest.describe(job, prepare(job)), tmp_path / "out")
    return tmp_path / "out"


def refused(folder: Path, *functions) -> str:
    """The one line in which its job is refused."""
    with pytest.raises(fajin.InvalidJob) as error:
        manifest.job_of(folder, functions)
    line = str(error.value)
    assert "\n" not in line
    assert len(line) < 500
    return line


def test_a_job_comes_back_as_it_was_written(job, folder):
    """With all its options."""
    assert manifest.job_of(folder) == job


def put(value, *keys: str) -> Callable[[dict], None]:
    """Set a place of a manifest."""

    def change(said: dict) -> None:
        for key in keys[:-1]:
            said = said[key]
        said[keys[-1]] = value

    return change


WRONG = {
    "empty": (lambda said: said.clear(), "format"),
    "no job": (lambda said: said.pop("job"), "job"),
    "no worlds": (lambda said: said["job"].pop("worlds"), "worlds"),
    "no versions": (lambda said: said.pop("versions"), "versions"),
    "another key": (put(1, "job", "word"), "word"),
    "shard 0": (put(0, "job", "shard"), "shard"),
    "shard as text": (put("3", "job", "shard"), "shard"),
    "shard as a truth": (put(True, "job", "shard"), "shard"),
    "shards": (put(7, "shards"), "shards"),
    "worlds beyond counting": (put(10**400, "job", "worlds"), "shards"),
    "worlds below 1": (put(-8, "job", "worlds"), "worlds"),
    "seconds as a list": (put([1.0], "job", "seconds"), "seconds"),
    "seconds beyond floats": (put(10**400, "job", "seconds"), "seconds"),
    "seconds not a number": (put(float("nan"), "job", "seconds"), "seconds"),
    "record empty": (put({}, "job", "record"), "record"),
    "record backwards": (put({"first": 4, "last": 2, "every": 1}, "job", "record"), "record"),
    "record every 0": (put({"first": 2, "last": 4, "every": 0}, "job", "record"), "record"),
    "grid as text": (put("elbow:q=1", "job", "grid"), "grid"),
    "grid of numbers": (put([1], "job", "grid"), "grid"),
    "device": (put("toaster", "job", "device"), "device"),
    "precision": (put("f16", "job", "precision"), "precision"),
    "scene": (put(None, "job", "scene"), "scene"),
    "scene's hash": (put(3, "scene", "sha256"), "sha256"),
    "files": (put([], "files"), "files"),
    "version": (put(0.1, "versions", "fajin"), "fajin"),
    "format": (put("fajin batch 99", "format"), "format"),
    "job as a list": (put([], "job"), "job"),
    "a job of another kind": (put("text", "job"), "job"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_manifest_of_another_form_is_refused(folder, case):
    """In one line that names the place in it."""
    change, word = WRONG[case]
    said = json.loads((folder / manifest.NAME).read_text())
    change(said)
    (folder / manifest.NAME).write_text(json.dumps(said))
    assert word in refused(folder)


@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"\xff\xfe{}", b"null", b"[]", b"3", b'{"a": NaN'])
def test_a_file_that_is_no_manifest_is_refused(folder, text):
    """Nested without end, no text, no object."""
    (folder / manifest.NAME).write_bytes(text)
    assert manifest.NAME in refused(folder)


def test_a_manifest_that_is_no_file_does_not_hold_up(folder):
    """A pipe to which nobody writes."""
    (folder / manifest.NAME).unlink()
    os.mkfifo(folder / manifest.NAME)
    assert manifest.NAME in refused(folder)


EVIL = "from pathlib import Path\nPath('ran').touch()\n\ndef f(sim):\n    return sim.q[:, 0]\n"


@pytest.mark.parametrize("option", ["policy", "stop", "metrics"])
def test_a_manifest_imports_no_code_that_is_not_given_again(folder, tmp_path, monkeypatch, option):
    """The line names the option to give; with it, and no other function, the job goes on."""
    pytest.importorskip("zarr", reason="zarr 3 needs Python 3.11")
    monkeypatch.chdir(tmp_path)
    name = f"evil_{option}"
    (tmp_path / f"{name}.py").write_text(EVIL)
    said = json.loads((folder / manifest.NAME).read_text())
    said["job"][option] = [f"{name}:f"] if option == "metrics" else f"{name}:f"
    (folder / manifest.NAME).write_text(json.dumps(said))
    for given in ((), (f"--{option}", "other:f")):
        again = fajin_batch_here("-o", folder, "--resume", *given)
        assert (again.returncode, again.stderr.count("\n")) == (2, 1)
        assert f"--{option} {name}:f" in again.stderr
    assert not (tmp_path / "ran").exists()
    again = fajin_batch_here("-o", folder, "--resume", f"--{option}", f"{name}:f")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "ran").exists()
    sys.modules.pop(name)


def test_functions_that_a_job_has_not_are_not_given_with_its_folder(folder):
    """Other functions are another job."""
    assert "--policy own:act" in refused(folder, ("policy", "own:act"))


@pytest.mark.parametrize(("place", "value"), [("metrics", ["speed"]), ("scene", "\ud800"), ("grid", ["elbow"])])
def test_what_a_manifest_says_of_its_scene_is_checked_with_it(folder, place, value):
    """By the command, in one line."""
    said = json.loads((folder / manifest.NAME).read_text())
    said["job"][place] = value
    (folder / manifest.NAME).write_text(json.dumps(said))
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
