"""A scene read by another process is the scene that this one would have read."""

import os
import signal
import subprocess
import sys

import pytest

import fajin
from fajin.jobs.description import background_reader
from fajin.jobs.description.background_reader import BackgroundReader
from fajin.jobs.results.manifest import read_manifest
from fajin.usd.stage.dependencies import used_files

HEAVIER = ("/World/pendulum/rod.physics:mass=7",)


@pytest.mark.parametrize("overrides", [(), HEAVIER])
def test_it_reads_the_same(scenes, overrides):
    """With what the user puts in place of the file's values, and the files it is made of."""
    path = scenes / "pendulum.usda"
    scene, files = BackgroundReader(path, overrides).take()
    assert scene == fajin.read(path, overrides)
    assert files == used_files(path)


def test_what_is_wrong_with_a_file_is_said_here(tmp_path):
    """In the same words."""
    path = tmp_path / "none.usda"
    with pytest.raises(fajin.InvalidScene) as wanted:
        fajin.read(path)
    with pytest.raises(fajin.InvalidScene, match=f"^{wanted.value}$"):
        BackgroundReader(path).take()


@pytest.mark.parametrize("end", ["none", "killed"])
def test_without_the_other_process_this_one_reads(scenes, monkeypatch, end):
    """Whether it could not begin or did not come to its end."""
    path = scenes / "pendulum.usda"
    if end == "none":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    began = BackgroundReader(path)
    if began._child:
        os.kill(began._child.pid, signal.SIGKILL)
    assert began.take() == (fajin.read(path), used_files(path))


@pytest.mark.parametrize(("when", "sees"), [("site", "nothing"), ("pxr", "the scene")])
def test_what_others_print_is_no_scene(scenes, tmp_path, monkeypatch, capfd, when, sees):
    """What prints while Python starts spoils the answer, and this process reads; what prints later spoils nothing."""
    loud = "import sys\nsys.addaudithook(lambda event, of: event == 'import' and of[0] == '{}' and print('loud'))\n"
    (tmp_path / "sitecustomize.py").write_text("print('loud')" if when == "site" else loud.format(when))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    path, read_here = scenes / "pendulum.usda", []
    own = background_reader._read
    monkeypatch.setattr(background_reader, "_read", lambda *asked: read_here.append(asked) or own(*asked))
    assert BackgroundReader(path).take() == (fajin.read(path), used_files(path))
    assert len(read_here) == (sees == "nothing")
    assert ("loud" in capfd.readouterr().err) == (sees == "the scene")


def test_the_process_that_steps_loads_no_usd(scenes, tmp_path):
    """Nor what a batch needs only now and then."""
    words = ["fajin", "batch", str(scenes / "pendulum.usda"), "-o", str(tmp_path / "out"), "--worlds", "4"]
    words += ["--random", "rod:mass*=uniform(0.9,1.1)", "--seconds", "0.1", "--device", "cpu"]
    code = (
        "import sys; from fajin.tools.cli import main\n"
        f"sys.argv = {words}\n"
        "try: main()\n"
        "finally: print(sorted({'pxr', 'pandas', 'zarr', 'dask', 'ray', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    made_of = read_manifest(tmp_path / "out")["scene"]["files"]
    assert made_of == used_files(scenes / "pendulum.usda")
