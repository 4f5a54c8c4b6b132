"""Files of `fajin simulate`: folders, the end of the motion, robots in other formats."""

import numpy as np
import pytest
from pxr import Usd

import fajin


def test_the_folder_of_an_output_is_made(workshop, run):
    code, out, _ = run("simulate", "arm.usda", "--steps", 2, "-o", "a/b/out.usda", "--joints", "c/log.csv")
    assert code == 0
    assert out.splitlines()[1] == "wrote a/b/out.usda, a/b/out.anim.usdc, c/log.csv"
    assert (workshop / "a/b/out.usda").is_file()


@pytest.mark.parametrize("log", [(), ("--joints", "log.npz")])
def test_the_last_frame_of_a_motion_is_its_end(workshop, run, log):
    """Also where the frames do not divide the steps: 0.1 s are 24 steps, 5 of which are a frame."""
    assert run("simulate", "arm.usda", "--seconds", "0.1", "--fps", 48, "-o", "out.usda", *log)[0] == 0
    stage = Usd.Stage.Open("out.usda")
    assert stage.GetEndTimeCode() / stage.GetTimeCodesPerSecond() == pytest.approx(0.1)
    sim = fajin.Simulation(fajin.read("arm.usda"))
    sim.step(24)
    joint = stage.GetPrimAtPath(sim.dof[1].partition(":")[0]).GetAttribute("state:angular:physics:position")
    assert joint.Get(stage.GetEndTimeCode()) == pytest.approx(np.degrees(sim.q[0, 1]), rel=1e-5)
    assert len(joint.GetTimeSamples()) == 6


def test_the_last_frame_of_a_recording_is_its_end(scenes):
    sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"))
    recording = sim.run(seconds=0.1, fps=48)
    assert recording.time == pytest.approx([*np.arange(5) / 48, 0.1])
    assert np.array_equal(recording.q[-1, 0], sim.q[0])


@pytest.mark.parametrize("name", ["robot.urdf", "robot.xml"])
def test_a_robot_to_be_converted_is_told(workshop, run, name):
    """By `simulate` and by all other commands that read a scene."""
    (workshop / name).write_text("<robot/>")
    code, _, said = run("simulate", name)
    assert (code, said.endswith(f"; convert it: fajin convert {name}\n")) == (2, True)


def test_a_scene_that_is_not_there_names_the_nearest(workshop, run):
    """A typo in a file's name."""
    code, _, said = run("simulate", "amr.usda")
    assert code == 2
    assert "amr.usda: must be an existing file" in said
    assert "did you mean 'arm.usda'?" in said
