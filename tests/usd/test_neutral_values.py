"""Attributes that are not used are reported only where their values ask for something."""

import pytest
from usda import MASS, arm, stage

import fajin


@pytest.mark.parametrize(
    ("place", "name", "nothing", "something"),
    [
        ("elbow", "float physics:breakForce", "inf", "5"),
        ("elbow", "float physxJoint:maxJointVelocity", "inf", "5"),
        ("elbow", "float physxJoint:armature", "0", "5"),
        ("elbow", "float mjc:damping", "0", "5"),
        ("link", "vector3f physics:velocity", "(0, 0, 0)", "(0, 5, 0)"),
        ("link", "bool physics:startsAsleep", "false", "true"),
        ("link", "bool physxRigidBody:retainAccelerations", "false", "true"),
        ("robot", "float physics:mass", "0", "5"),
        ("robot", "float physics:density", "0", "5"),
    ],
)
def test_a_value_without_an_effect_is_not_reported(tmp_path, place, name, nothing, something):
    """That of a break force is infinity, that of a mass 0."""
    for value, reported in ((nothing, []), (something, [name.split()[1]])):
        said = {place: f"{name} = {value}\n"}
        robot = arm(said.get("elbow", ""), link=MASS + "\n" + said.get("link", ""), root=said.get("robot", ""))
        assert [report.attribute for report in fajin.read(stage(tmp_path, robot)).reports] == reported
