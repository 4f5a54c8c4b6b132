"""The commands of "Your own robot in ten minutes" run as printed, and the robot stands."""

import re
import shlex
import shutil

import numpy as np
import pytest
from commands import fajin_here
from paths import ROOT

import fajin

COMMANDS = re.search(r"```\n(fajin convert.*?)```", (ROOT / "docs" / "own-robot.md").read_text(), re.DOTALL)[1]
TILT = 0.05  # [rad] of a trunk that stands


@pytest.mark.slow
def test_a_robot_goes_from_its_description_to_a_sweep(tmp_path):
    shutil.copy(ROOT / "docs" / "pup.urdf", tmp_path)
    for command in COMMANDS.splitlines():
        _, *words = shlex.split(command)
        done = fajin_here(*words, cwd=tmp_path)
        if words[0] == "convert" and "converter" in done.stderr and done.returncode:
            pytest.skip(done.stderr)
        assert done.returncode == 0, (command, done.stderr)
    scene = fajin.read(tmp_path / "pup.usda")
    height = scene.articulations[0].links[0].pose[0][2]
    sim = fajin.Simulation(scene, device="cpu", sleeping=False)
    sim.step(120)
    pose = np.asarray(sim.root_pose)[0, 0]
    assert np.linalg.norm(pose[3:5]) < TILT / 2.0
    assert pose[2] > 0.9 * height
    assert (tmp_path / "pup.png").stat().st_size
