"""Instancers are not simulated, which is reported; their prototypes are not prims of their own."""

import pytest
from usda import body, prim, stage

import fajin

COLLIDES = "PhysicsCollisionAPI"
MANY = """point3f[] positions = [(0, 0, 1), (2, 0, 1), (4, 0, 1)]
int[] protoIndices = [0, 1, 0]
rel prototypes = [</many/solid>, </many/look>]
"""
BALL = body("ball")
CRATE = body("solid", prim("Cube", "shape", "", COLLIDES))


def reports(scene, *names):
    return [report for report in scene.reports if report.code in names]


def test_prototypes_of_a_point_instancer_do_not_move(tmp_path):
    """The report has the number of instances with bodies or colliders."""
    scene = fajin.read(stage(tmp_path, BALL, prim("PointInstancer", "many", MANY + CRATE + prim("Cube", "look"))))
    assert [articulation.path for articulation in scene.articulations] == ["/ball"]
    assert scene.colliders == ()
    (report,) = reports(scene, "point-instancer")
    assert report.prim == "/many"
    assert "2 instances" in report.reason


def test_an_instancer_of_what_is_only_drawn_is_not_reported(tmp_path):
    scene = fajin.read(stage(tmp_path, BALL, prim("PointInstancer", "many", MANY + prim("Cube", "look"))))
    assert reports(scene, "point-instancer") == []


def test_a_prototype_elsewhere_is_a_body_as_in_physx(tmp_path):
    many = prim("PointInstancer", "many", MANY.replace("/many/solid", "/solid"))
    scene = fajin.read(stage(tmp_path, BALL, CRATE, many))
    assert {articulation.path for articulation in scene.articulations} == {"/ball", "/solid"}
    assert len(reports(scene, "point-instancer")) == 1


def test_the_shapes_of_an_instancer_are_not_those_of_the_body_above(tmp_path):
    shape = prim("Cube", "solid", "double size = 1", COLLIDES)
    many = prim("PointInstancer", "many", MANY.replace("/many/", "/crate/many/") + shape)
    scene = fajin.read(stage(tmp_path, prim("Xform", "crate", many, "PhysicsRigidBodyAPI")))
    assert scene.articulations[0].links[0].mass == 1.0
    assert len(reports(scene, "point-instancer")) == 1


def test_the_prototype_of_a_joint_instancer_is_not_a_joint(tmp_path):
    """It names no bodies, which is an error for a joint."""
    lines = "int[] physics:protoIndices = [0, 0]\nrel physics:body0s = </many>\n"
    many = prim("PhysxPhysicsJointInstancer", "joints", lines + prim("PhysicsJoint", "prototype"))
    scene = fajin.read(stage(tmp_path, BALL, many))
    (report,) = reports(scene, "joint-instancer", "unknown-attribute")
    assert (report.code, report.prim) == ("joint-instancer", "/joints")
    assert "2 instances" in report.reason


@pytest.mark.parametrize(
    ("scenes", "owner", "code"),
    [(1, 0, set()), (2, 0, {"second-scene"}), (2, 1, {"second-scene", "physics-scene-owner"})],
)
def test_all_bodies_move_in_the_first_scene(tmp_path, scenes, owner, code):
    """The owner of a body is reported if it is another scene."""
    names = ["physics", "second"]
    other = prim("PhysicsScene", "second") if scenes == 2 else ""
    ball = BALL.replace("{\n", f"{{\nrel physics:simulationOwner = </{names[owner]}>\n", 1)
    scene = fajin.read(stage(tmp_path, ball, other))
    assert {report.code for report in reports(scene, "second-scene", "physics-scene-owner")} == code
