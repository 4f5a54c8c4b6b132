"""Sessions of the add-on in Blender as a Python module.

They run where this Python has `bpy`, or with the Pythons of FAJIN_BPY, separated as PATH is. `blender_sweep.py` runs
shorter ones on all scenes.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from paths import ROOT
from usda import arm, stage

SESSION = Path(__file__).with_name("blender_session.py")
HERE = [sys.executable] if find_spec("bpy") else []
PYTHONS = os.environ["FAJIN_BPY"].split(os.pathsep) if "FAJIN_BPY" in os.environ else HERE
SCENES = ("arm7", "gripper_mimic", "ur10")
CLOSE = 2e-6  # [m] single precision of matrices in scenes of some metres


@pytest.fixture(scope="session")
def archive(tmp_path_factory) -> Path:
    """The archive that the command builds."""
    path = tmp_path_factory.mktemp("archive") / "fajin_blender.zip"
    build = [sys.executable, str(ROOT / "tools" / "blender" / "build.py"), str(path)]
    subprocess.run(build, check=True, capture_output=True)
    return path


def turning(report: dict) -> list[list[str]]:
    """What the panel draws of each rotation."""
    return [labels for dof, labels in zip(report["dofs"], report["labels"], strict=True) if ":rot" in dof]


@pytest.fixture
def session(archive, scenes, tmp_path):
    """Run a session in a Blender; return its report. A Blender that hangs at its end runs out of time."""

    def run(python: str, scene: str | Path, *options: str) -> dict:
        if isinstance(scene, str):
            scene = Path(shutil.copytree(scenes, tmp_path / "scenes")) / f"{scene}.usda"
        command = [python, str(SESSION), str(archive), f"{sys.executable} -m fajin.tools", str(scene)]
        done = subprocess.run([*command, *options], check=True, capture_output=True, text=True, timeout=600)
        return json.loads(done.stdout.splitlines()[-1])

    return run


needs_blender = pytest.mark.skipif(not PYTHONS, reason="needs bpy: set FAJIN_BPY to Pythons that have it")


SUMMARY = "7 degrees of freedom, as arm7.edits.usda edits them"
COMMANDS = {"fajin.check", "fajin.live", "fajin.simulate", "fajin.film", "fajin.reload"}


def check_motion(report: dict) -> None:
    """The archive installs; an edit becomes a layer and moves the robot; the scene stays; poses are the file's."""
    assert "no robot is open; open one" in report["early"]
    assert not COMMANDS & set(report["empty"])
    assert report["open"] == ["FINISHED"]
    assert report["clean"]
    assert (report["rate"], report["frames"]) == ([60.0, 60.0], [0, 300, 0, 300])
    assert max(report["worst"], report["turned"]) <= CLOSE
    assert report["missing_links"] == []
    assert report["compared"] >= 6
    assert report["markers"] == 3 * len(report["dofs"])
    assert report["write"][0] == "FINISHED"
    assert report["written"] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert (len(report["dirty"]), report["still_dirty"]) == (1, False)
    assert report["reload"][2] == report["dirty"]
    assert report["moved"] > 1e-3
    assert "write to keep them" in report["tune"]
    assert report["tuned_dirty"] == report["dirty"]
    assert len(report["labels"]) == len(report["dofs"])
    assert all({"Limits", "Friction", "Armature [kg·m²]"} < set(labels) for labels in turning(report))
    assert {"fajin.write", "fajin.revert", "fajin.tune"} | COMMANDS < set(report["offered"])
    assert all("must be finite and 0 or more" in line for line in report["unsound"])
    assert "are not written; write or revert them first" in report["left"][0]
    assert (report["left"][1], report["reverted"][1]) == (-1.0, False)
    assert report["reverted"][0].startswith("reverted ")
    assert (report["untouched"], report["gone"]) == (True, True)


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("python", PYTHONS)
def test_a_session_in_blender(python, name, session):
    check_motion(session(python, name))


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_bodies_without_joints_are_simulated(python, session):
    """The panel then has no values, and all else."""
    report = session(python, "stack_of_five")
    assert (report["dofs"], report["simulate"], report["worst"] <= CLOSE) == ([], ["FINISHED", "5 objects move"], True)
    assert set(report["offered"]) > COMMANDS
    assert not {"fajin.write", "fajin.tune"} & set(report["offered"])


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_a_session_in_centimetres_with_y_up(python, session, tmp_path):
    """The importer turns and scales; links of a motion, and of one that runs, lie where they are in metres and z up."""
    metadata = 'metersPerUnit = 0.01\n    upAxis = "Y"\n    defaultPrim = "robot"'
    place = "point3f physics:localPos0 = (30, 20, 10)\npoint3f physics:localPos1 = (0, 40, 0)"
    gains = "float drive:angular:physics:stiffness = 20000\nfloat drive:angular:physics:damping = 4000"
    lines = f"float physics:lowerLimit = -60\nfloat physics:upperLimit = 60\n{gains}\n{place}"
    folder = tmp_path / "own"
    folder.mkdir()
    report = session(python, stage(folder, arm(lines, "PhysicsDriveAPI:angular"), metadata=metadata), "--whole")
    check_motion(report)
    assert report["live"] <= CLOSE


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_a_whole_session_in_blender(python, session):
    """Objects follow a running simulation, a film is rendered, and each fault is a line that loses nothing."""
    report = session(python, "arm7", "--whole")
    check_motion(report)
    assert report["pressed"] == ["7 objects move; wrote arm7.edits.usda: 1 change", pytest.approx(0.0, abs=1e-6)]
    assert report["opened_again"] == [f"{SUMMARY}; its objects are here already", 0]
    assert report["undone"][0] == "7 objects move"
    assert report["undone"][1] != 7
    assert any(label.startswith("simulating … ") for label in report["working"][0])
    assert report["working"][1]
    assert all("simulating is in progress; wait for it, or cancel it" in line for line in report["working"][2:])
    assert report["cancelled"][0].startswith(("cancelled", "7 objects move; cancelled"))
    assert report["cancelled"][1]
    assert report["again"] == report["simulate"]
    assert report["live"] <= CLOSE
    assert report["slider"] <= CLOSE
    assert report["live_links"] == [8, 8, "8 of 8 links have an object"]
    assert "joint1: 1.05 rad" in report["live_labels"]
    assert (report["restored"], report["live_ended"] is not None) == (0.0, True)
    assert report["film"][0] == "wrote arm7.blender.mp4"
    assert report["film"][1] > 1000
    assert report["second"] == report["simulate"]
    assert "must be an existing file" in report["lost"]
    assert report["kept"]
    assert "fajin does not start" in report["missing"]
    assert "is not a regular file" in report["blocked"][0]
    assert report["blocked"][1:] == [True, 0.5]
    assert "must be one of the scene's" in report["vanished"][0]
    assert report["vanished"][1]
    assert f"no longer in the scene, with their edits: {report['vanished'][2]}" in report["reread"][1]
    assert report["twice"][0].startswith("a second copy of this add-on, bl_ext.second.fajin")
    assert report["taken_over"] == ["bl_ext.second.fajin.panel", True]
