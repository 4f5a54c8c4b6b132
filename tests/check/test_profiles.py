"""Requirements of SimReady profiles: a robot that conforms, and one line of it changed per requirement."""

import pytest
from usda import ROOT, body, joint, prim, stage

from fajin.check import check, fix

APIS = "PhysicsDriveAPI:angular PhysicsJointStateAPI:angular PhysxJointAxisAPI:angular IsaacJointAPI"
LINES = {
    "bound": "float drive:angular:physics:maxForce = 5",
    "gain": "float drive:angular:physics:stiffness = 10",
    "target": "float drive:angular:physics:targetPosition = 0",
    "state": "float state:angular:physics:position = 0",
    "speed": "float physxJointAxis:angular:maxJointVelocity = 90",
    "lower": "float physics:lowerLimit = -60",
    "upper": "float physics:upperLimit = 60",
}
RELATIONS = (
    "prepend rel isaac:physics:robotLinks = [</robot/base>, </robot/arm>]\n"
    "prepend rel isaac:physics:robotJoints = [</robot/elbow>]"
)


@pytest.fixture
def codes(tmp_path):
    """Codes of the requirements that a changed robot breaks."""

    def run(profile="robot-body-isaac", apis=APIS, relations=RELATIONS, more="", root=f"{ROOT} IsaacRobotAPI", **lines):
        text = "\n".join((LINES | lines).values())
        bodies = body("base", apis="IsaacLinkAPI"), body("arm")
        parts = (*bodies, joint("elbow", "PhysicsRevoluteJoint", "/robot/base", "/robot/arm", text, apis), more)
        scene = stage(tmp_path, prim("Xform", "robot", relations + "\n" + "\n".join(parts), root))
        head, _, tail = scene.read_text().partition("(\n")
        scene.write_text(f'{head}(\n    defaultPrim = "robot"\n{tail}')
        return sorted({f.code for f in check(scene, profile=profile) if f.rule.startswith("simready-")})

    return run


def test_a_robot_that_conforms_has_no_finding(codes):
    assert codes() == []
    assert codes("robot-body-neutral") == []


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"bound": ""}, ["DJ.001"]),
        ({"bound": "float drive:angular:physics:maxForce = inf"}, ["DJ.001"]),
        ({"target": "float drive:angular:physics:targetPosition = 0.1"}, ["DJ.001"]),
        ({"apis": APIS.replace("PhysicsJointStateAPI:angular ", "")}, ["DJ.002"]),
        ({"lower": "float physics:lowerLimit = -60\npoint3f physics:localPos0 = (1, 0, 0)"}, ["DJ.003"]),
        ({"apis": APIS.replace("PhysicsDriveAPI:angular ", "")}, ["DJ.004"]),
        ({"speed": ""}, ["DJ.005"]),
        ({"gain": "float drive:angular:physics:stiffness = 2e6"}, ["DJ.006"]),
        ({"gain": ""}, ["DJ.006"]),
        ({"apis": f"{APIS} PhysxMimicJointAPI:rotX"}, ["DJ.004", "DJ.007"]),
        ({"apis": APIS.replace(" IsaacJointAPI", "")}, ["DJ.008"]),
        (
            {"relations": RELATIONS.replace("prepend rel isaac:physics:robotLinks", "rel isaac:physics:robotLinks")},
            ["DJ.010"],
        ),
        ({"root": "IsaacRobotAPI"}, ["BA.001"]),
    ],
)
def test_each_requirement_notices_its_breach(codes, change, broken):
    assert codes(**change) == broken


def test_a_loop_must_be_excluded(codes):
    again = joint("again", "PhysicsSphericalJoint", "/robot/base", "/robot/arm", "", "")
    assert "DJ.011" in codes("robot-body-neutral", more=again)
    excluded = joint(
        "again", "PhysicsSphericalJoint", "/robot/base", "/robot/arm", "bool physics:excludeFromArticulation = 1"
    )
    assert codes("robot-body-neutral", more=excluded) == []


def test_the_neutral_profile_asks_for_less(codes):
    assert codes("robot-body-neutral", speed="", gain="", relations="") == []


def test_fixes_are_written(codes, tmp_path):
    codes(apis=APIS.replace("PhysicsJointStateAPI:angular ", ""))
    _, left = fix(tmp_path / "scene.usda", tmp_path / "fixed.usda", profile="robot-body-neutral")
    assert not [f for f in left if f.rule.startswith("simready-")]


def test_the_command(run, scenes):
    code, out, _ = run("check", scenes / "arm7.usda", "--profile", "robot-body-neutral")
    assert code == 2
    assert "error simready-DJ.002: A requirement of the SimReady profile." in out
    code, _, said = run("check", scenes / "arm7.usda", "--profile", "robot")
    assert code == 2
    assert "must be robot-body-neutral or robot-body-isaac" in said.replace("\n", " ")
