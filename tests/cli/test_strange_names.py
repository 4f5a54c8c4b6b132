"""Names that are not UTF-8, folders, pipes and links in a circle, as inputs and outputs of commands: one line each."""

import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs names of bytes")
LATIN = os.fsdecode(b"caf\xe9")

COMMANDS = {
    "simulate -o": ("simulate", "SCENE", "--steps", 1, "-o", "NAME.usda"),
    "simulate --joints": ("simulate", "SCENE", "--steps", 1, "-o", "out.usda", "--joints", "NAME.npz"),
    "simulate --controls": ("simulate", "SCENE", "--steps", 1, "-o", "out.usda", "--controls", "NAME.json"),
    "compile -o": ("compile", "SCENE", "-o", "NAME.npz"),
    "author -o": ("author", "scene", "SCENE", "--dt", "0.01", "-o", "NAME.usda"),
    "check --fix": ("check", "SCENE", "--fix", "-o", "NAME.usda"),
    "tune -o": ("tune", "SCENE", "--joint", ".*", "-w", 5, "-z", 1, "-o", "NAME.usda"),
    "inspect": ("inspect", "NAME.usda"),
    "inspect model": ("inspect", "NAME.npz"),
    "batch --table": ("batch", "SCENE", "--seconds", 0.01, "--table", "NAME.csv", "-o", "jobs"),
    "batch -o": ("batch", "SCENE", "--seconds", 0.01, "-o", "NAME"),
    "view -o": ("view", "SCENE", "-o", "NAME.html"),
    "render -o": ("render", "SCENE", "-o", "NAME.png"),
    "plot": ("plot", "NAME.npz"),
    "envelope": ("envelope", "fit", "NAME.csv"),
    "convert": ("convert", "NAME.urdf"),
    "excite -o": ("excite", "SCENE", "armature", "-o", "NAME.npz"),
    "fit --log": ("fit", "SCENE", "NAME.csv", "armature"),
}
KINDS = {
    "latin": lambda path: None,
    "folder": Path.mkdir,
    "pipe": lambda path: os.mkfifo(path),
    "circle": lambda path: path.symlink_to(path),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_strange_names_are_done_or_refused_in_one_line(run, scenes, tmp_path, monkeypatch, command, kind):
    """A command ends, without a traceback; what is written lies beside nothing half."""
    monkeypatch.chdir(tmp_path)
    name = LATIN if kind == "latin" else "odd"
    words = [str(word).replace("SCENE", str(scenes / "pendulum.usda")) for word in COMMANDS[command]]
    (place,) = [tmp_path / word.replace("NAME", name) for word in words if "NAME" in word]
    KINDS[kind](place)
    sys.stderr.reconfigure(errors="backslashreplace")  # as outside of tests
    code, _, said = run(*[word.replace("NAME", name) for word in words])
    assert code in (0, 2), said
    assert "Traceback" not in said
    if code == 2:
        assert said.count("\n") == 1, said
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith(".")]
