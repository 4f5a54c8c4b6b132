"""What commands write over a scene is written by a child process: USD opens no file in the process of the command."""

import os
import shutil

import numpy as np
import pytest
from paths import RECORDINGS
from pxr import Sdf, Usd

import fajin
from fajin.fit.identifiability import Identifiability
from fajin.fit.parameters import FitParameter
from fajin.fit.result import Fit, FittedValue

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
SPRINGS = RECORDINGS / "descriptions" / "springs"


@pytest.fixture
def no_usd_here(monkeypatch, sandboxed):
    """Let every opening of a file by USD fail in this process."""

    def refuse(path: object, *_):
        raise AssertionError(f"USD opened {path} in the process of the command")

    for owner, name in ((Usd.Stage, "Open"), (Sdf.Layer, "FindOrOpen"), (Sdf.Layer, "OpenAsAnonymous")):
        monkeypatch.setattr(owner, name, refuse)


@pytest.fixture
def arm(scenes, tmp_path):
    """A scene beside which layers are written."""
    return shutil.copy(scenes / "arm7.usda", tmp_path / "arm.usda")


@pytest.mark.usefixtures("no_usd_here")
def test_tune_writes_in_a_child(run, arm, tmp_path):
    """Gains are printed and written."""
    output = tmp_path / "new" / "tuned.usda"
    code, out, said = run("tune", arm, "--joint", "joint1", "-w", 20, "-z", 1, "-o", output)
    assert code == 0, said
    assert "joint1.drive:angular:physics:stiffness" in out
    assert "stiffness" in output.read_text()
    assert fajin.read(output).articulations[0].joints[0].axes[0].drive is not None


@pytest.mark.usefixtures("no_usd_here")
def test_motions_of_excite_are_written_in_a_child(arm, tmp_path):
    """Time samples of targets, and the time at which the layer ends."""
    from fajin.author.confined_edits import write_edits

    output = tmp_path / "moved.usda"
    times, values = [0.0, 0.5, 1.0], [0.0, 0.1, 0.2]
    samples = {"times": times, "values": values, "axis": None}
    (joint,) = [joint.path for joint in fajin.read(arm).articulations[0].joints if joint.path.endswith("joint1")]
    changes = write_edits(arm, output, [("target_samples", joint, samples), ("scene", "", {"duration": 1.0})], 1.0)
    assert changes[0].prim == joint
    assert "endTimeCode" in output.read_text()
    assert fajin.read(output).signals


@pytest.mark.usefixtures("no_usd_here")
def test_envelopes_are_written_in_a_child(run, arm, tmp_path):
    """Of all joints that a regular expression selects."""
    output = tmp_path / "motors.usda"
    motor = ("--torque-constant", "1 N·m/A", "--speed-constant", "7 rpm/V", "--voltage", "48 V")
    motor += ("--resistance", "0.7 Ω", "--max-current", "9 A")
    code, out, said = run("envelope", "from-datasheet", arm, *motor, "--author", "joint[12]", "-o", output)
    assert code == 0, said
    assert "2 envelopes" in out
    drives = [axis.drive for joint in fajin.read(output).articulations[0].joints for axis in joint.axes]
    assert sum(drive is not None and drive.envelope is not None for drive in drives) == 2


@pytest.mark.usefixtures("no_usd_here")
def test_drives_over_a_converted_robot_are_written_in_a_child(tmp_path):
    """Springs of MJCF; the result describes each drive."""
    from fajin.conversion.conversion import drive_over, read_conversion
    from fajin.conversion.layer_options import LayerOptions

    output = tmp_path / "hinge.usda"
    done = drive_over(SPRINGS / "hinge.converted.usda", output, LayerOptions((20.0, 1.0)))
    assert any(one.changes and one.motor and one.motor.stiffness > 0.0 for one in done["drives"])
    result = read_conversion("MJCF", output, tmp_path, done)
    assert any(axis.drive for robot in result.scene.articulations for joint in robot.joints for axis in joint.axes)


@pytest.mark.usefixtures("no_usd_here")
def test_a_fit_is_written_in_a_child(arm, tmp_path):
    """Its values and its record."""
    from fajin.fit.authoring import author_fit

    output = tmp_path / "fitted.usda"
    changes = author_fit(fit_of(fajin.read(arm)), arm, output)
    assert [change.si_after for change in changes if change.attribute.endswith("armature")] == [0.25]
    assert "fajinFit" in output.read_text()


def fit_of(scene: fajin.scene.Scene) -> Fit:
    """A fit of one armature."""
    model = fajin.compile(scene)
    parameter = FitParameter(f"{model.dof[0]}:armature", "armature", 0, 0.1, 1.0, 0.0, 1.0, "kg·m²")
    value = FittedValue(parameter, 0.25, 0.01, at_bound=False)
    nothing = Identifiability((value.name,), np.ones(1), (), (), ())
    return Fit(scene, (value,), np.eye(1), nothing, (), (), 1.0, 1, 1, {})


@pytest.mark.usefixtures("sandboxed")
def test_a_layer_of_the_api_is_opened_by_a_child_first(tmp_path):
    """A file that breaks a limit, or kills its reader, is one error here."""
    hostile = tmp_path / "bomb.usda"
    hostile.write_text("#usda 1.0\n" + "".join(f'def Xform "p{i}"\n{{\n}}\n' for i in range(100_000)))
    os.environ["FAJIN_LIMITS"] = "cpu=1"
    try:
        with (
            pytest.raises(fajin.InvalidScene, match="within 1 s of processor time"),
            fajin.author.layer(hostile, tmp_path / "edits.usda"),
        ):
            raise AssertionError("the layer was opened")
    finally:
        del os.environ["FAJIN_LIMITS"]
    assert not (tmp_path / "edits.usda").exists()
