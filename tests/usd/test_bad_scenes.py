"""What cannot be simulated is refused in one line that names prim, attribute, value, rule and mend."""

from pathlib import Path

import pytest
from refusals import contains, refusal
from usda import MASS, METRES, ROOT, arm, body, joint, prim, stage

import fajin

HINGE = "PhysicsRevoluteJoint"
DRIVE = "PhysicsDriveAPI:angular"


def test_a_missing_file_is_named(tmp_path):
    assert contains(refusal(tmp_path / "none.usda"), "none.usda", "must be an existing file")


def test_a_folder_is_no_file(tmp_path):
    assert contains(refusal(tmp_path), "must be an existing file")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"hello\n", b"#usda 1.0\ndef Xform {", b"\x00" * 64])
@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz", ".txt"])
def test_a_file_that_is_not_usd_is_named(tmp_path, capfd, content, suffix):
    path = tmp_path / f"scene{suffix}"
    path.write_bytes(content)
    assert contains(refusal(path), path.name)
    assert capfd.readouterr() == ("", "")


def test_an_empty_stage_holds_no_prim(tmp_path):
    path = tmp_path / "empty.usda"
    path.write_text("#usda 1.0\n")
    assert contains(refusal(path), "empty.usda", "must be a stage with an active prim")


def test_a_stage_in_which_nothing_moves_is_reported(tmp_path):
    """It is read: a scene for queries, or one whose bodies come later."""
    scene = fajin.read(stage(tmp_path, body("floor", MASS + "\nbool physics:kinematicEnabled = 1")))
    (report,) = (report for report in scene.reports if report.code == "nothing-moves")
    assert scene.articulations == ()
    assert contains(str(report), "nothing moves", "PhysicsRigidBodyAPI", "kinematic")


def test_a_robot_in_a_missing_layer_names_the_layer(tmp_path):
    scene = fajin.read(stage(tmp_path, metadata="subLayers = [@./robot.usda@]\n    " + METRES))
    (report,) = (report for report in scene.reports if report.code == "nothing-moves")
    assert contains(str(report), "robot.usda", "PhysicsRigidBodyAPI")


@pytest.mark.parametrize("end", [0, 1])
def test_a_joint_to_nowhere_names_its_end(tmp_path, end):
    ends = ["/robot/base", "/robot/link"]
    ends[end] = "/robot/gone"
    line = refusal(stage(tmp_path, arm(extra=joint("bad", HINGE, *ends))))
    assert contains(line, f"/robot/bad.physics:body{end}", "/robot/gone", "must be a prim", "name a rigid body")


def test_a_joint_to_an_inactive_body_goes_nowhere(tmp_path):
    asleep = 'def Xform "off" (\n    active = false\n)\n{\n}\n' + joint("bad", HINGE, "/robot/base", "/robot/off")
    assert contains(refusal(stage(tmp_path, arm(extra=asleep))), "/robot/bad.physics:body1", "/robot/off")


def test_a_joint_without_bodies_joins_nothing(tmp_path):
    line = refusal(stage(tmp_path, arm(extra=joint("bad", HINGE, "", ""))))
    assert contains(line, "/robot/bad", "physics:body0", "not both empty", "name at least one")


def test_a_joint_of_a_body_with_itself_is_refused(tmp_path):
    line = refusal(stage(tmp_path, arm(extra=joint("bad", HINGE, "/robot/link", "/robot/link"))))
    assert contains(line, "/robot/bad.physics:body1", "/robot/link", "must be another body")


@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
@pytest.mark.parametrize("name", ["mass", "density"])
def test_a_mass_is_finite_and_not_negative(tmp_path, name, value):
    line = refusal(stage(tmp_path, arm(link=f"float physics:{name} = {value}")))
    assert contains(line, f"/robot/link.physics:{name}", value, "finite and 0 or more", "author")


@pytest.mark.parametrize("value", ["(nan, 1, 1)", "(inf, 1, 1)", "(1, 1, -inf)"])
def test_an_inertia_is_finite(tmp_path, value):
    line = refusal(stage(tmp_path, arm(link=f"float physics:mass = 1\nfloat3 physics:diagonalInertia = {value}")))
    assert contains(line, "/robot/link.physics:diagonalInertia", "finite")


@pytest.mark.parametrize("name", ["physics:localRot0", "physics:localRot1"])
def test_a_zero_quaternion_is_no_rotation(tmp_path, name):
    line = refusal(stage(tmp_path, arm(f"quatf {name} = (0, 0, 0, 0)")))
    assert contains(line, f"/robot/elbow.{name}", "quaternion", "(1, 0, 0, 0)")


@pytest.mark.parametrize(
    ("kind", "op", "value"),
    [
        ("quatf", "orient", "(0, 0, 0, 0)"),
        ("double3", "scale", "(1, 0, 1)"),
        ("double3", "scale", "(3e-319, 1, 1)"),
        ("double3", "scale", "(1, 1e300, 1)"),
        ("double3", "translate", "(nan, 0, 0)"),
        ("double3", "translate", "(0, inf, 0)"),
    ],
)
@pytest.mark.parametrize("above", [False, True])
def test_a_body_stands_somewhere(tmp_path, kind, op, value, above):
    """The transform of a body and of what is above it can be undone."""
    lines = f'{kind} xformOp:{op} = {value}\n    uniform token[] xformOpOrder = ["xformOp:{op}"]\n'
    scene = arm(root=lines) if above else arm(link=MASS + "\n" + lines)
    line = refusal(stage(tmp_path, scene))
    assert contains(line, f"/robot{'' if above else '/link'}.xformOp:{op}", "author")


@pytest.mark.parametrize("value", ["-1", "nan"])
@pytest.mark.parametrize("name", ["stiffness", "damping", "maxForce"])
def test_gains_and_efforts_are_not_negative(tmp_path, name, value):
    line = refusal(stage(tmp_path, arm(f"float drive:angular:physics:{name} = {value}", DRIVE)))
    assert contains(line, f"/robot/elbow.drive:angular:physics:{name}", value, "0 or more")


@pytest.mark.parametrize("name", ["targetPosition", "targetVelocity"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_targets_are_finite(tmp_path, name, value):
    line = refusal(stage(tmp_path, arm(f"float drive:angular:physics:{name} = {value}", DRIVE)))
    assert contains(line, f"/robot/elbow.drive:angular:physics:{name}", value, "finite")


@pytest.mark.parametrize(
    ("line", "apis"),
    [
        ("float physxJointAxis:angular:armature = -1", "PhysxJointAxisAPI:angular"),
        ("float physxJointAxis:angular:staticFrictionEffort = -1", "PhysxJointAxisAPI:angular"),
        ("float physxJointAxis:angular:maxJointVelocity = -1", "PhysxJointAxisAPI:angular"),
        ("float newton:damping = -1", "NewtonJointAPI"),
        ("float newton:armature = nan", "NewtonJointAPI"),
        ("float state:angular:physics:position = nan", "PhysicsJointStateAPI:angular"),
        ("float physics:lowerLimit = nan", ""),
        ('uniform token physics:axis = "W"', ""),
        ('uniform token drive:angular:physics:type = "velocity"', DRIVE),
    ],
)
def test_every_row_of_the_table_has_its_rule(tmp_path, line, apis):
    name = line.split()[-3]
    assert contains(refusal(stage(tmp_path, arm(line, apis))), f"/robot/elbow.{name}", "must be", "author")


def test_a_value_of_another_type_is_dropped_and_reported(tmp_path):
    (report,) = (r for r in fajin.read(stage(tmp_path, arm(link='string physics:mass = "heavy"'))).reports if r.value)
    assert contains(str(report), "/robot/link.physics:mass", "heavy", "must be")


def test_samples_follow_the_same_rules(tmp_path):
    lines = "float drive:angular:physics:stiffness.timeSamples = {\n    0: 1,\n    10: -3,\n}"
    line = refusal(stage(tmp_path, arm(lines, DRIVE)))
    assert contains(line, "/robot/elbow.drive:angular:physics:stiffness", "time code 10", "-3", "0 or more")


@pytest.mark.parametrize("name", ["metersPerUnit", "kilogramsPerUnit", "timeCodesPerSecond"])
@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_units_are_positive(tmp_path, name, value):
    metadata = f'{name} = {value}\n    upAxis = "Z"'
    assert contains(refusal(stage(tmp_path, arm(), metadata=metadata)), f"/.{name}", "positive")


@pytest.mark.parametrize(
    "line",
    [
        "uint physxScene:timeStepsPerSecond = 0",
        'uniform token physxScene:solverType = "SAP"',
        "float physics:gravityMagnitude = nan",
        "vector3f physics:gravityDirection = (0, 0, nan)",
    ],
)
def test_the_physics_scene_has_its_rules(tmp_path, line):
    assert contains(
        refusal(stage(tmp_path, arm(), scene=line)), "/physics.", line.split()[-3] if "(" not in line else "Dir"
    )


def test_nothing_is_written(tmp_path):
    path = stage(tmp_path, arm(link="float physics:mass = nan"))
    refusal(path)
    assert [item.name for item in Path(tmp_path).iterdir()] == [path.name]


def test_a_scene_of_these_texts_is_sound(tmp_path):
    """The scenes above are bad for the reason that is tested."""
    scene = fajin.read(stage(tmp_path, arm(), prim("Scope", "more")))
    assert [link.path for link in scene.articulations[0].links] == ["/robot/base", "/robot/link"]
    assert ROOT in arm()
