"""Misspelt attributes, schemas and prim types are reported with the name that was probably meant."""

import pytest
from usda import MASS, arm, body, joint, prim, stage

import fajin

HINGE = "PhysicsRevoluteJoint"


def only(path, code: str):
    """The one diagnostic of a code."""
    (report,) = [report for report in fajin.read(path).reports if report.code == code]
    return report


@pytest.mark.parametrize(
    ("place", "line", "schema", "meant"),
    [
        ("scene", "uint physxScene:timeStepPerSecond = 240", "", "physxScene:timeStepsPerSecond"),
        (
            "elbow",
            "float physxDrivePerformanceEnvelope:angular:maxActuatorSpeed = 100",
            "PhysxDrivePerformanceEnvelopeAPI:angular PhysicsDriveAPI:angular",
            "physxDrivePerformanceEnvelope:angular:maxActuatorVelocity",
        ),
        (
            "elbow",
            "float drive:angular:physics:stifness = 1",
            "PhysicsDriveAPI:angular",
            "drive:angular:physics:stiffness",
        ),
        ("elbow", "float physics:lowerlimit = 1", "", "physics:lowerLimit"),
        ("elbow", "point3f physics:localPose1 = (0, 0, 0)", "", "physics:localPos1"),
        ("link", "float physics:masss = 1", "", "physics:mass"),
        ("link", "int physxRigidBody:lockedPosAxes = 4", "", "physxRigidBody:lockedPosAxis"),
        (
            "link",
            "vector3f physxSurfaceVelocity:surfaceVelocty = (1, 0, 0)",
            "",
            "physxSurfaceVelocity:surfaceVelocity",
        ),
        ("link", "float newton:contactMargn = 1", "", "newton:contactMargin"),
    ],
)
def test_a_misspelt_attribute_is_unknown_and_gets_a_suggestion(tmp_path, place, line, schema, meant):
    """No pattern swallows it."""
    robot = arm(line * (place == "elbow"), schema, link=MASS + f"\n{line}" * (place == "link"))
    report = only(stage(tmp_path, robot, scene=line * (place == "scene")), "unknown-attribute")
    assert report.attribute == line.split(" = ")[0].split()[-1]
    assert report.fix == f"did you mean {meant}?"


def test_an_attribute_unlike_any_other_gets_no_suggestion(tmp_path):
    report = only(stage(tmp_path, arm("float physxNonsense:x = 1")), "unknown-attribute")
    assert report.fix == "correct the name"


@pytest.mark.parametrize(
    ("schema", "meant"),
    [
        ("PhysicDriveAPI:angular", "PhysicsDriveAPI:angular"),
        ("PhysxJointAxsAPI:angular", "PhysxJointAxisAPI:angular"),
        ("PhysicsColliderAPI", "PhysicsCollisionAPI"),
        ("NewtonMimikAPI", "NewtonMimicAPI"),
    ],
)
def test_a_misspelt_schema_is_reported(tmp_path, schema, meant):
    report = only(stage(tmp_path, arm("", schema)), "unknown-schema")
    assert (report.prim, report.attribute, report.fix) == ("/robot/elbow", schema, f"did you mean {meant}?")


@pytest.mark.parametrize("schema", ["IsaacRobotAPI", "MaterialBindingAPI", "MjcJointAPI", "PhysxJointAPI"])
def test_schemas_of_others_are_not_misspelt(tmp_path, schema):
    reports = fajin.read(stage(tmp_path, arm("", schema))).reports
    assert not [report for report in reports if report.code.startswith("unknown")]


def test_a_misspelt_type_is_reported_once(tmp_path):
    """And not as a joint that is not simulated yet; what is authored on it has no effect."""
    wrong = joint("wrist", "PhysicsRevolutJoint", "/robot/link", "/robot/hand", "float physics:lowerLimit = -1")
    (report,) = fajin.read(stage(tmp_path, arm(extra=wrong + body("hand")))).reports
    assert (report.code, report.prim, report.fix) == ("unknown-type", "/robot/wrist", f"did you mean {HINGE}?")


PAIR = "rel physics:filteredPairs = <{}>"
OTHER = prim("Cube", "b", "", "PhysicsRigidBodyAPI PhysicsCollisionAPI")


def shapes(target: str, schema: str) -> str:
    """Two bodies of which the first filters a target."""
    return prim("Cube", "a", PAIR.format(target), f"PhysicsRigidBodyAPI PhysicsCollisionAPI {schema}") + OTHER


def test_a_filter_without_its_schema_does_not_filter(tmp_path):
    """As in PhysX; with it the pair does not collide."""
    path = stage(tmp_path, shapes("/b", ""))
    assert only(path, "schema-not-applied").related == "PhysicsFilteredPairsAPI"
    assert fajin.read(path).filtered_pairs == ()
    assert fajin.read(stage(tmp_path, shapes("/b", "PhysicsFilteredPairsAPI"))).filtered_pairs == (("/a", "/b"),)


def test_a_filter_must_name_a_prim_that_exists(tmp_path):
    report = only(stage(tmp_path, shapes("/lost", "PhysicsFilteredPairsAPI")), "target-missing")
    assert (report.prim, report.attribute, report.related) == ("/a", "physics:filteredPairs", "/lost")
