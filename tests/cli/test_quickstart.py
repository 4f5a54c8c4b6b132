"""The quickstart's commands run as printed, one after the other, and do what the page says."""

import json
import re
import shlex
from contextlib import suppress

import pytest
from commands import fajin_here
from paths import ROOT

import fajin

PAGE = (ROOT / "docs" / "quickstart.md").read_text()
COMMANDS = re.search(r"```\n(pip install.*?)```", PAGE, re.DOTALL)[1].splitlines()


@pytest.mark.slow
def test_eleven_commands_lead_from_installation_to_a_film_and_a_plot(tmp_path):
    for package in ("PIL", "imageio_ffmpeg", "matplotlib", "pyarrow"):
        with suppress(ImportError):
            __import__(package)
    assert len(COMMANDS) == 11
    assert COMMANDS[0].startswith("pip install 'fajin[")
    extras = set(re.search(r"\[(.*)\]", COMMANDS[0])[1].split(","))
    assert extras <= set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    for command in COMMANDS[1:]:
        program, *words = shlex.split(command)
        assert program == "fajin"
        if words[-1] == "arm.gif":
            pytest.importorskip("PIL")
        done = fajin_here(*words, cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        assert len(done.stderr.splitlines()) <= 5, done.stderr
        output = tmp_path / words[words.index("-o") + 1] if "-o" in words else None
        assert output is None or output.stat().st_size
    joints = fajin.read(tmp_path / "arm.usda").articulations[0].joints
    drives = {joint.path.rpartition("/")[2]: joint.axes[0].drive for joint in joints if joint.axes}
    assert drives["joint2"].stiffness == pytest.approx(300.0)
    assert drives["joint1"].stiffness != fajin.read(ROOT / "scenes/arm7.usda").articulations[0].joints[0].axes[0].drive
    assert json.loads((tmp_path / "sweep" / "manifest.json").read_text())["job"]["worlds"] == 300


def test_the_page_says_how_a_robot_begins():
    assert "fajin convert robot.urdf" in PAGE
    assert "--wave" in PAGE
