"""`fajin train` and `fajin play`, and the Python of the page on learning."""

import csv
import re

import pytest

pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
pytest.importorskip("onnxruntime")
from paths import ROOT

MOON = """#usda 1.0
(
    defaultPrim = "cartpole"
    metersPerUnit = 1
    subLayers = [@{}@]
    upAxis = "Z"
)
over "scene" {{
    float physics:gravityMagnitude = 1.6
}}
"""
GO2 = ROOT / "engine" / "envs" / "policies" / "go2.onnx"


@pytest.mark.slow
def test_a_trained_cartpole_balances(run, tmp_path):
    """At the end of 240 iterations, 0.5 million control steps, hardly an episode ends before its time of 5 s."""
    code, out, err = run("train", "Cartpole-v0", "-o", tmp_path / "cart", "--threads", "1")
    assert (code, err) == (0, "")
    assert "240 of 240" in out
    with (tmp_path / "cart" / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 240
    assert float(rows[-1]["episode_s"]) > 4.7
    code, out, err = run("play", tmp_path / "cart" / "policy.onnx", "--worlds", "20", "--seconds", "4")
    assert (code, err) == (0, "")
    assert "20 of 20" in out


@pytest.mark.slow
def test_training_repeats_to_the_bit(run, tmp_path):
    """One seed and one thread give one policy, and another one on another scene."""
    words = ("--worlds", "16", "--iterations", "2", "--threads", "1")
    for name in "ab":
        assert run("train", "Cartpole-v0", "-o", tmp_path / name, *words)[0] == 0
    assert (tmp_path / "a" / "policy.onnx").read_bytes() == (tmp_path / "b" / "policy.onnx").read_bytes()
    scene = tmp_path / "moon.usda"
    scene.write_text(MOON.format(ROOT / "engine" / "envs" / "scenes" / "cartpole.usda"))
    assert run("train", "Cartpole-v0", "-o", tmp_path / "c", "--scene", scene, *words)[0] == 0
    assert (tmp_path / "a" / "policy.onnx").read_bytes() != (tmp_path / "c" / "policy.onnx").read_bytes()


def test_an_interpreter_that_prints_much_is_refused_in_one_line(run, tmp_path):
    """PhysX writes megabytes of warnings: they may not fill a pipe that is not read."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nyes warning | head -c 300000 >&2\necho no ovphysx here >&2\nexit 1\n")
    python.chmod(0o755)
    code, _, err = run("play", GO2, "--seconds", "0.1", "--engine", "physx", "--python", python)
    assert code == 2
    assert "must be an interpreter that has ovphysx; no ovphysx here" in err
    assert err.count("\n") == 1


def test_a_policy_plays_and_its_motion_is_written(run, tmp_path):
    code, out, err = run("play", GO2, "--worlds", "2", "--seconds", "0.4", "-o", tmp_path / "go2.anim.usda")
    assert (code, err) == (0, "")
    assert "2 of 2" in out
    assert (tmp_path / "go2.anim.usda").stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["play", "none.onnx"], "none.onnx: must be an ONNX file; there is none"),
        (["play", GO2, "Cartpole-v0"], "must be slider, those of the scene"),
        (["play", GO2, "--engine", "bullet"], "--engine = 'bullet': must be fajin or physx"),
        (
            ["play", GO2, "--engine", "physx", "--python", "nowhere"],
            "python = nowhere: must be an interpreter that has",
        ),
        (["play", GO2, "--command", "fast"], "--command fast: must be as 0.5,0,0"),
        (["train", "Cartpol-v0", "-o", "x"], "did you mean 'Cartpole-v0'"),
        (["train", "Cartpole-v0", "--scene", "none.usda", "-o", "x"], "none.usda: must be"),
    ],
)
def test_wrong_words_give_one_line(run, tmp_path, monkeypatch, words, line):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert line in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_python_of_the_page_on_learning_runs():
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "learning.md").read_text(), re.DOTALL)
    assert len(snippets) == 2
    exec("\n".join(snippets), {"__name__": "__main__"})
