"""Commands that edit a scene do so in a child process with limits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def fajin(*words: object, **environment: str) -> subprocess.CompletedProcess:
    """A command in a process of its own, with limits."""
    env = {name: value for name, value in os.environ.items() if name != "FAJIN_LIMITS"} | environment
    return subprocess.run([sys.executable, "-m", "fajin", *map(str, words)], capture_output=True, text=True, env=env)


def drive(scene: Path, *words: object, **environment: str) -> subprocess.CompletedProcess:
    """Author a drive."""
    return fajin("author", "drive", scene, "--joint", "hinge", "--kp", "1", *words, **environment)


@pytest.mark.slow
def test_edits_are_written_by_a_child(scenes, tmp_path):
    """A layer, once more into it, and the scene itself; exit codes and lines are the child's."""
    scene = tmp_path / "a.usda"
    scene.write_bytes((scenes / "pendulum.usda").read_bytes())
    for words in ((), (), ("-o", tmp_path / "deep" / "er" / "b.usda"), ("--in-place",)):
        done = drive(scene, *words)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert "wrote" in done.stdout
    done = drive(scene, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    done = fajin("author", "drive", scene, "--joint", "nothing", "--kp", "1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.slow
def test_a_file_that_kills_the_child_is_one_line(tmp_path):
    """Or that breaks a limit, or leads out of the root."""
    scene = tmp_path / "a.usda"
    scene.write_text("#usda 1.0\n" + "".join(f'def Xform "p{i}"\n{{\n}}\n' for i in range(100_000)))
    done = drive(scene, FAJIN_LIMITS="cpu=1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "within 1 s of processor time" in done.stderr
    done = fajin("check", scene, "--fix", "-o", tmp_path / "fixed.usda", FAJIN_LIMITS="cpu=1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "within 1 s of processor time" in done.stderr
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.usda").write_text("#usda 1.0\n(\n    subLayers = [@../a.usda@]\n)\n")
    done = drive(tmp_path / "below" / "b.usda", FAJIN_LIMITS=f"root={tmp_path / 'below'}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "layers below" in done.stderr
