"""A compiled model in one file: everything a simulation needs, to the bit, and no USD."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from commands import fajin_here
from paths import SCENES

import fajin
from fajin.model import model as model_module
from fajin.scene.serialization import from_json, to_json

SCENES = sorted((SCENES).glob("*.usda"))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_comes_back_out_of_its_text(path):
    """Every field of every dataclass, and infinities, enums and absent drives among them."""
    scene = fajin.read(path)
    assert from_json(to_json(scene)) == scene


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


def run_without_usd(*words: str) -> subprocess.CompletedProcess:
    """The command line in a process of its own that cannot import USD."""
    code = "import sys; sys.modules['pxr'] = None; from fajin.tools.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True)


def test_a_compiled_model_is_simulated_without_usd(scenes, tmp_path):
    """The same joint log; the motion needs a stage, and who asks for none is told to say what is wanted."""
    scene, file = scenes / "ur10.usda", tmp_path / "model.npz"
    done = fajin_here("compile", scene, "-o", file)
    assert (done.returncode, done.stdout.startswith(f"wrote {file}: 1 articulation, 6 degrees of freedom")) == (0, True)
    logs = [tmp_path / "scene.npz", tmp_path / "log.npz"]
    done = fajin_here("simulate", scene, "--steps", 30, "--joints", logs[0], "-o", tmp_path / "motion.usda")
    assert done.returncode == 0, done.stderr
    done = run_without_usd("simulate", file, "--steps", 30, "--joints", logs[1])
    assert done.returncode == 0, done.stderr
    said = [np.load(log) for log in logs]
    assert set(said[0].files) == set(said[1].files)
    for name in said[0].files:
        np.testing.assert_array_equal(said[0][name], said[1][name])
    done = run_without_usd("simulate", file, "--steps", 30)
    assert done.returncode == 2
    assert "is compiled, so an output must be named; add --joints LOG" in done.stderr


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
    "missing": "must be a file that can be read",
    "text": "must be an .npz file",
    "one array": "must be an .npz file",
    "cut": "must be an .npz file",
    "another file": "must be a fajin model",
    "another version": "must be a model of this version of fajin; compile the scene again",
    "not whole": "must be an undamaged model",
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


ALTERED = {
    "negative": lambda array, at: put(array, at, -7),
    "huge": lambda array, at: put(array, at, 100_000_000),
    "another": lambda array, at: put(array, at, -2 * array.flat[at] - 3),
    "not a number": lambda array, at: put(array.astype(float), at, np.nan),
    "infinite": lambda array, at: put(array, at, np.inf) if array.dtype.kind == "f" else put(array, at, 2**31 - 1),
    "text": lambda array, at: array.astype(str),
    "single": lambda array, at: array.astype(np.float32),
    "cut": lambda array, at: array[:-1],
    "twice": lambda array, at: np.concatenate([array, array]),
    "flat": lambda array, at: array.reshape(-1, 1, 1),
    "empty": lambda array, at: array[:0],
}
"""Ways to spoil an array of numbers, at a place in it."""


def put(array: np.ndarray, at: int, value) -> np.ndarray:
    """A copy with another number in a place."""
    array = array.copy()
    array.flat[at] = value
    return array


@pytest.mark.parametrize(
    "name", ["tendon_finger", *(pytest.param(name, marks=pytest.mark.slow) for name in ("four_bar", "gripper_mimic"))]
)
def test_an_altered_model_is_refused(scenes, tmp_path, name):
    """Every table and parameter in one of these ways: kernels follow what they say, and would kill the process."""
    rng, file = np.random.default_rng(len(name)), tmp_path / "model.npz"
    fajin.compile(fajin.read(scenes / f"{name}.usda")).write(file)
    with np.load(file) as opened:
        arrays = {key: opened[key] for key in opened.files}
    spoilt = [key for key, array in arrays.items() if array.dtype.kind in "fi" and array.size]
    assert len(spoilt) > 50
    for key in spoilt:
        way = rng.choice(list(ALTERED))
        np.savez(file, **{**arrays, key: ALTERED[way](arrays[key], rng.integers(arrays[key].size))})
        with pytest.raises(fajin.InvalidScene, match=f"must be an undamaged model: {key} ") as error:
            fajin.Model.read(file)
        assert "\n" not in str(error.value)
    np.savez(file, **arrays)
    assert fajin.Model.read(file).link


def read_or_refused(file: Path) -> fajin.Model | str:
    """The model of a file, or why it is refused."""
    try:
        return fajin.Model.read(file)
    except fajin.InvalidScene as error:
        return str(error)


def test_a_model_whose_scene_is_altered_is_refused(scenes, tmp_path):
    """Its text cut, with letters exchanged, nested for ever, or of another robot."""
    rng, file = np.random.default_rng(0), tmp_path / "model.npz"
    fajin.compile(fajin.read(scenes / "ur10.usda")).write(file)
    with np.load(file) as opened:
        arrays = {key: opened[key] for key in opened.files}
    text = str(arrays["scene"])
    texts = ["", "[" * 100_000, "{}", "null", text[: len(text) // 2], to_json(fajin.read(scenes / "arm7.usda"))]
    for at in rng.integers(len(text), size=30):
        texts.append(text[:at] + str(rng.choice(list('09-e.,[]{}"aZ '))) + text[at + 1 :])
    for altered in texts:
        np.savez(file, **{**arrays, "scene": np.array(altered)})
        result = read_or_refused(file)
        if isinstance(result, str):
            assert "\n" not in result
            assert len(result) < 1000
        else:  # a name, or a number's last digits: the arrays are still those of the scene
            assert all(np.isfinite(rows).all() for rows in result.parameters.values())


@pytest.mark.parametrize("what", ["eight terabytes", "damaged", "encrypted"])
def test_a_damaged_archive_is_refused(scenes, tmp_path, what):
    """Before memory is taken for what it says, in one line."""
    file = tmp_path / "model.npz"
    fajin.compile(fajin.read(scenes / "pendulum.usda")).write(file)
    content = bytearray(file.read_bytes())
    if what == "eight terabytes":
        with zipfile.ZipFile(file, "w") as archive, archive.open("q.npy", "w") as member:
            header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
            np.lib.format.write_array_header_1_0(member, header)
    elif what == "damaged":
        content[len(content) // 3 : len(content) // 3 + 100] = bytes(100)
        file.write_bytes(content)
    else:  # the flag, in each entry of the directory
        with zipfile.ZipFile(file) as archive:
            places = [content.index(b"PK\x01\x02")] + [info.header_offset for info in archive.infolist()]
        content[places[0] + 8] |= 1
        for place in places[1:]:
            content[place + 6] |= 1
        file.write_bytes(content)
    with pytest.raises(fajin.InvalidScene, match=r"must be an .npz file \(") as error:
        fajin.Model.read(file)
    assert "\n" not in str(error.value)


def test_a_model_file_appears_whole_or_not_at_all(scenes, tmp_path):
    """A file in the place of a folder is named, and a name of another kind is refused."""
    (tmp_path / "file").touch()
    done = fajin_here("compile", scenes / "pendulum.usda", "-o", tmp_path / "file" / "model.npz")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    done = fajin_here("compile", scenes / "pendulum.usda", "-o", tmp_path / "model.usd")
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [tmp_path / "file"])
