"""A compiled model in one file: everything a simulation needs, to the bit, and no USD."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fajin
from fajin.model import model as model_module
from fajin.scene.text import from_text, to_text

SCENES = sorted((Path(__file__).parent.parent / "scenes").glob("*.usda"))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_comes_back_out_of_its_text(path):
    """Every field of every dataclass, and infinities, enums and absent drives among them."""
    scene = fajin.read(path)
    assert from_text(to_text(scene)) == scene


@pytest.mark.parametrize("name", ["tendon_finger", "four_bar", "motor_envelope", "gripper_mimic"])
def test_a_compiled_model_moves_as_its_scene_does(scenes, tmp_path, name):
    """To the bit; the scene in it is the one that was compiled."""
    scene = fajin.read(scenes / f"{name}.usda")
    fajin.compile(scene).write(tmp_path / "model.npz")
    model = fajin.Model.read(tmp_path / "model.npz")
    assert model.scene == fajin.read(tmp_path / "model.npz") == scene
    moved = [fajin.Simulation(given, worlds=3).run(steps=40) for given in (scene, model)]
    for field in ("time", "q", "qd", "effort", "pose"):
        np.testing.assert_array_equal(*(getattr(recording, field) for recording in moved))


def run(*words: str, usd: bool = True) -> subprocess.CompletedProcess:
    """The command line in a process of its own, with or without USD."""
    code = ("" if usd else "import sys; sys.modules['pxr'] = None\n") + "from fajin.tools.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True)


def test_a_compiled_model_is_simulated_without_usd(scenes, tmp_path):
    """The same joint log; the motion needs a stage, and who asks for none is told to say what is wanted."""
    scene, file = scenes / "ur10.usda", tmp_path / "model.npz"
    done = run("compile", scene, "-o", file)
    assert (done.returncode, done.stdout.startswith(f"wrote {file}: 1 articulation, 6 degrees of freedom")) == (0, True)
    logs = [tmp_path / "scene.npz", tmp_path / "log.npz"]
    done = run("simulate", scene, "--steps", 30, "--joints", logs[0], "-o", tmp_path / "motion.usda")
    assert done.returncode == 0, done.stderr
    done = run("simulate", file, "--steps", 30, "--joints", logs[1], usd=False)
    assert done.returncode == 0, done.stderr
    said = [np.load(log) for log in logs]
    assert set(said[0].files) == set(said[1].files)
    for name in said[0].files:
        np.testing.assert_array_equal(said[0][name], said[1][name])
    done = run("simulate", file, "--steps", 30, usd=False)
    assert done.returncode == 2
    assert "is compiled: add --joints LOG" in done.stderr


def test_an_override_of_a_compiled_scene_is_refused(scenes, tmp_path):
    """Attributes are those of USD; the model has none any more."""
    file = tmp_path / "model.npz"
    fajin.compile(fajin.read(scenes / "pendulum.usda")).write(file)
    with pytest.raises(fajin.InvalidScene, match="is compiled; compile the scene again with the override"):
        fajin.read(file, ["/pendulum/rod.physics:mass=2"])


def broken(file: Path, what: str, monkeypatch) -> None:
    """Break a compiled model."""
    with np.load(file) as opened:
        arrays = {name: opened[name] for name in opened.files}
    if what == "missing":
        file.unlink()
    elif what == "text":
        file.write_text("abc")
    elif what == "one array":
        np.save(file.with_suffix(".npy"), np.zeros(3))
        file.with_suffix(".npy").replace(file)
    elif what == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    elif what == "another file":
        np.savez(file, q=np.zeros(3))
    elif what == "another version":
        monkeypatch.setitem(model_module.PARAMETERS, "NEW", ("S", 1, ""))
    elif what == "not whole":
        arrays.pop("parameters.MASS")
        np.savez(file, **arrays)


REASONS = {
    "missing": "cannot be read",
    "text": "is no .npz file",
    "one array": "is no .npz file",
    "cut": "is no .npz file",
    "another file": "is no fajin model",
    "another version": "another version of fajin; compile the scene again",
    "not whole": "is not whole",
}


@pytest.mark.parametrize("what", REASONS)
def test_a_file_that_is_no_compiled_model_is_refused(scenes, tmp_path, monkeypatch, what):
    """In one line that says what it is instead."""
    file = tmp_path / "model.npz"
    fajin.compile(fajin.read(scenes / "pendulum.usda")).write(file)
    broken(file, what, monkeypatch)
    with pytest.raises(fajin.InvalidScene, match=REASONS[what]) as error:
        fajin.Model.read(file)
    assert "\n" not in str(error.value)


def test_a_model_file_appears_whole_or_not_at_all(scenes, tmp_path):
    """A folder that is not there is named, and a name of another kind is refused."""
    done = run("compile", scenes / "pendulum.usda", "-o", tmp_path / "nowhere" / "model.npz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written" in done.stderr
    done = run("compile", scenes / "pendulum.usda", "-o", tmp_path / "model.usd")
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
