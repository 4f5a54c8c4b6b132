"""Newton's actuators: authored per radian with their schemas, and converted to drives and back."""

from math import pi

import pytest
from pxr import Usd
from usda import arm, stage

import fajin
from fajin import author

DRIVEN = """float drive:angular:physics:stiffness = 2
    float drive:angular:physics:damping = 0.5
    float drive:angular:physics:maxForce = 7
    float drive:angular:physics:targetPosition = 30"""
API = "PhysicsDriveAPI:angular"


def elbow(path) -> fajin.scene.Drive | None:
    """The drive of the last joint."""
    return fajin.read(path).articulations[0].joints[-1].axes[0].drive


@pytest.fixture
def edit(tmp_path):
    """Edit the elbow of an arm, step by step, in one layer; return the layer."""

    def run(*steps, lines: str = "", apis: str = "", **metadata):
        scene = stage(tmp_path, arm(lines, apis), **metadata)
        for step in steps:
            with author.layer(scene, tmp_path / "edits.usda") as edited:
                assert step(edited.GetPrimAtPath("/robot/elbow"))
        return tmp_path / "edits.usda"

    return run


def test_gains_are_per_radian_in_units_of_the_stage(edit):
    """1 N·m is 1e7 g·cm²/s²."""
    metadata = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
    values = {"stiffness": 2.0, "damping": 0.5, "max_force": 3.0, "saturation_effort": 4.0, "no_load_speed": 5.0}
    layer = edit(lambda joint: author.actuator(joint, **values, delay=2), metadata=metadata)
    opened = Usd.Stage.Open(str(layer))
    prim = opened.GetPrimAtPath("/robot/elbow_actuator")
    names = ("kp", "kd", "maxEffort", "saturationEffort", "velocityLimit", "delaySteps")
    found = [prim.GetAttribute(f"newton:{name}").Get() for name in names]
    assert found == pytest.approx([2e7, 5e6, 3e7, 4e7, 5.0, 2])
    assert prim.GetTypeName() == "NewtonActuator"
    apis = ("PDControl", "MaxEffortClamping", "DCMotorClamping", "ActuatorDelay")
    assert set(prim.GetAppliedSchemas()) >= {f"Newton{api}API" for api in apis}


def test_an_integral_gain_makes_the_control_pid(edit):
    """An actuator has one law of control: the schema of the other goes."""
    layer = edit(
        lambda joint: author.actuator(joint, stiffness=2.0), lambda joint: author.actuator(joint, integral_gain=1.0)
    )
    opened = Usd.Stage.Open(str(layer))
    prim = opened.GetPrimAtPath("/robot/elbow_actuator")
    applied = prim.GetPrimTypeInfo().GetAppliedAPISchemas()
    assert "NewtonPIDControlAPI" in applied
    assert "NewtonPDControlAPI" not in applied


def test_what_is_authored_is_read(edit):
    layer = edit(lambda joint: author.actuator(joint, stiffness=2.0, damping=0.5, max_force=3.0))
    drive = elbow(layer)
    assert (drive.stiffness, drive.damping, drive.max_force) == (2.0, 0.5, 3.0)


def test_a_drive_and_its_actuator_are_the_same_scene(edit, tmp_path):
    """There and back: gains, bound and target to single precision."""
    before = elbow(stage(tmp_path, arm(DRIVEN, API)))
    there = elbow(edit(author.actuator_from_drive, lines=DRIVEN, apis=API))
    back = elbow(edit(author.drive_from_actuator, lines=DRIVEN, apis=API))
    for drive in (there, back):
        for name in ("stiffness", "damping", "max_force", "target_q", "target_qd"):
            assert getattr(drive, name) == pytest.approx(getattr(before, name), rel=2.0**-23), name
    assert [report.code for report in fajin.read(tmp_path / "edits.usda").reports] == []


def test_what_no_drive_equals_is_not_converted(edit):
    with pytest.raises(fajin.InvalidScene, match="not with a delay; keep it"):
        edit(lambda joint: author.actuator(joint, stiffness=2.0, delay=1), author.drive_from_actuator)


@pytest.mark.parametrize("lines", ["", f'{DRIVEN}\nuniform token drive:angular:physics:type = "acceleration"'])
def test_only_a_force_drive_becomes_an_actuator(edit, lines):
    """An acceleration drive's gains are not efforts."""
    with pytest.raises(fajin.InvalidScene, match="must be an axis with a force drive"):
        edit(author.actuator_from_drive, lines=lines, apis=API if lines else "")


def test_a_spherical_joint_has_no_actuator(tmp_path):
    scene = stage(tmp_path, arm(kind="PhysicsSphericalJoint"))
    with (
        pytest.raises(fajin.InvalidScene, match="must be a revolute or prismatic joint"),
        author.layer(scene, tmp_path / "edits.usda") as edited,
    ):
        author.actuator(edited.GetPrimAtPath("/robot/elbow"), stiffness=1.0)


def test_the_command(run, scenes, tmp_path):
    words = ("author", "actuator", scenes / "pendulum.usda", "--joint", "hinge", "-o", tmp_path / "edits.usda")
    code, out, _ = run(*words, "--stiffness", "10", "--max-force", "3")
    assert (code, out.splitlines()[-1]) == (0, f"wrote {tmp_path / 'edits.usda'}: 5 changes")
    assert elbow(tmp_path / "edits.usda").max_force == 3.0
    code, _, said = run(*words, "--to-drive", "--stiffness", 3)
    assert code == 2
    assert "must be exactly one of them" in said


def test_every_value_has_an_option(run, scenes, tmp_path):
    """Amounts with their units; the points of a bound by position are pairs."""
    layer = tmp_path / "edits.usda"
    options = {
        "--stiffness": 10, "--damping": 1, "--integral-gain": 2, "--integral-max": 0.5, "--constant-effort": "-1",
        "--max-force": 9, "--saturation-effort": 8, "--max-motor-effort": 7, "--no-load-speed": "60rpm",
        "--bounds": "-90deg:3, 0:6Nm", "--delay": 4,
    }  # fmt: skip
    words = [word for name, value in options.items() for word in (name, str(value))]
    code, _, said = run("author", "actuator", scenes / "pendulum.usda", "--joint", "hinge", "-o", layer, *words)
    assert (code, said) == (0, "")
    drive = elbow(layer)
    points = drive.actuator.bound_positions, (3.0, 6.0)
    law = fajin.scene.Actuator(2.0, 0.5, -1.0, 8.0, 7.0, pytest.approx(2.0 * pi), 4, *points)
    assert (drive.stiffness, drive.damping, drive.max_force, drive.actuator) == (10.0, 1.0, 9.0, law)
    assert drive.actuator.bound_positions == pytest.approx((-pi / 2.0, 0.0))


@pytest.mark.parametrize("points", ["3", "0:1:2", "0:fast", "x:1"])
def test_points_of_a_bound_are_pairs(run, scenes, tmp_path, points):
    words = ("author", "actuator", scenes / "pendulum.usda", "--joint", "hinge", "-o", tmp_path / "e.usda")
    code, _, said = run(*words, "--bounds", points)
    assert (code, said.count("\n")) == (2, 1)
    assert "--bounds" in said
