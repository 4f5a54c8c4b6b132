"""Instances of bodies and joints are simulated; prototypes below an instancer are not prims of their own."""

import numpy as np
import pytest
from motions import apart, motion, roundoff
from pxr import Usd, UsdGeom
from usda import body, prim, stage

import fajin
from fajin.usd.write.animated_attributes import quaternion_of

COLLIDES = "PhysicsCollisionAPI"
MANY = """point3f[] positions = [(0, 0, 1), (2, 0, 1), (4, 0, 1)]
int[] protoIndices = [0, 1, 0]
rel prototypes = [</many/solid>, </many/look>]
"""
BALL = body("ball")
CRATE = body("solid", prim("Cube", "shape", "", COLLIDES))


def reports(scene, *names):
    return [report for report in scene.reports if report.code in names]


def test_instances_of_a_point_instancer_are_bodies(tmp_path):
    """They are named by prototype and number; prototypes below the instancer are not prims of their own."""
    scene = fajin.read(stage(tmp_path, BALL, prim("PointInstancer", "many", MANY + CRATE + prim("Cube", "look"))))
    assert [articulation.path for articulation in scene.articulations] == ["/ball", "/many/solid_0", "/many/solid_2"]
    assert [(collider.path, collider.body) for collider in scene.colliders] == [
        ("/many/solid_0/shape", "/many/solid_0"),
        ("/many/solid_2/shape", "/many/solid_2"),
    ]
    assert [a.links[0].pose[0] for a in scene.articulations[1:]] == [(0, 0, 1), (4, 0, 1)]
    assert reports(scene, "point-instancer") == []


def test_instances_have_the_velocities_of_their_instancer(tmp_path):
    """As in PhysX: world axes, degrees per second; those of the prototype do not count."""
    speeds = "vector3f[] velocities = [(1, 0, 0), (0, 0, 0), (0, 2, 0)]\n"
    spins = "vector3f[] angularVelocities = [(90, 0, 0), (0, 0, 0), (0, 0, 0)]\n"
    crate = body("solid", prim("Cube", "shape", "", COLLIDES)).replace(
        "{\n", "{\nvector3f physics:velocity = (9, 9, 9)\n", 1
    )
    many = prim("PointInstancer", "many", MANY + speeds + spins + crate + prim("Cube", "look"))
    first, last = (a.links[0] for a in fajin.read(stage(tmp_path, many)).articulations)
    assert (first.velocity, last.velocity) == ((1, 0, 0), (0, 2, 0))
    np.testing.assert_allclose(first.angular_velocity, (np.pi / 2.0, 0.0, 0.0), rtol=1e-6)


def test_an_inactive_instance_does_not_exist(tmp_path):
    many = prim("PointInstancer", "many", MANY + CRATE + prim("Cube", "look")).replace(
        'PointInstancer "many"', 'PointInstancer "many" (\ninactiveIds = [2]\n)', 1
    )
    scene = fajin.read(stage(tmp_path, BALL, many))
    assert [articulation.path for articulation in scene.articulations] == ["/ball", "/many/solid_0"]


def test_arrays_that_do_not_fit_together_are_reported(tmp_path):
    many = MANY.replace(", (4, 0, 1)]", "]")
    scene = fajin.read(stage(tmp_path, BALL, prim("PointInstancer", "many", many + CRATE + prim("Cube", "look"))))
    (report,) = reports(scene, "point-instancer")
    assert report.prim == "/many"
    assert "2 instances" in report.reason


def test_motion_is_written_to_the_instancer(tmp_path):
    """Positions and orientations follow the bodies, whatever the frames of instancer and prototype; others stay."""
    turned = 'float xformOp:rotateZ = 90\nuniform token[] xformOpOrder = ["xformOp:rotateZ"]\n'
    crate = CRATE.replace(
        "{\n", '{\ndouble3 xformOp:translate = (0, 0.3, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n', 1
    )
    many = prim("PointInstancer", "many", MANY + turned + crate + prim("Cube", "look"))
    recording = motion(fajin.read(stage(tmp_path, many)))
    fajin.write(recording, tmp_path / "moved.usda")
    moved = Usd.Stage.Open(str(tmp_path / "moved.usda"))
    instancer = UsdGeom.PointInstancer(moved.GetPrimAtPath("/many"))
    last = len(recording) - 1
    world = UsdGeom.XformCache(last).GetLocalToWorldTransform(instancer.GetPrim())
    places = [place * world for place in instancer.ComputeInstanceTransformsAtTime(last, last)]
    found = [(*place.ExtractTranslation(), *quaternion_of(place)) for place in (places[0], places[2])]
    assert apart(np.array(found)[None], recording.pose[last:, 0]) <= roundoff(recording)
    assert tuple(instancer.GetPositionsAttr().Get(last)[1]) == (2, 0, 1)


def test_an_instancer_of_what_is_only_drawn_is_not_reported(tmp_path):
    scene = fajin.read(stage(tmp_path, BALL, prim("PointInstancer", "many", MANY + prim("Cube", "look"))))
    assert reports(scene, "point-instancer") == []


def test_a_prototype_elsewhere_is_a_body_as_in_physx(tmp_path):
    many = prim("PointInstancer", "many", MANY.replace("/many/solid", "/solid"))
    scene = fajin.read(stage(tmp_path, BALL, CRATE, many))
    bodies = {articulation.path for articulation in scene.articulations}
    assert bodies == {"/ball", "/solid", "/many/solid_0", "/many/solid_2"}


def test_the_shapes_of_an_instancer_are_not_those_of_the_body_above(tmp_path):
    shape = prim("Cube", "solid", "double size = 1", COLLIDES)
    many = prim("PointInstancer", "many", MANY.replace("/many/", "/crate/many/") + shape)
    scene = fajin.read(stage(tmp_path, prim("Xform", "crate", many, "PhysicsRigidBodyAPI")))
    assert scene.articulations[0].links[0].mass == 1.0
    assert len(reports(scene, "point-instancer")) == 1


ROPE = """int[] physics:protoIndices = [0]
rel physics:prototypes = </joints/hinge>
rel physics:body0s = </many>
rel physics:body1s = </many>
int[] physics:body0Indices = [0]
int[] physics:body1Indices = [2]
point3f[] physics:localPos0s = [(2, 0, 0)]
point3f[] physics:localPos1s = [(-2, 0, 0)]
quath[] physics:localRot0s = [(0, 1, 0, 0)]
quath[] physics:localRot1s = [(0, 1, 0, 0)]
"""


def test_joints_of_a_joint_instancer_join_instances(tmp_path):
    many = prim("PointInstancer", "many", MANY + CRATE + prim("Cube", "look"))
    rope = prim("PhysxPhysicsJointInstancer", "joints", ROPE + prim("PhysicsSphericalJoint", "hinge"))
    scene = fajin.read(stage(tmp_path, many, rope))
    (joint,) = scene.joints
    assert (joint.path, joint.body0, joint.body1) == ("/joints/hinge_0", "/many/solid_0", "/many/solid_2")
    assert (joint.frame0[0], joint.frame1[0]) == ((2, 0, 0), (-2, 0, 0))
    np.testing.assert_allclose([joint.frame0[1], joint.frame1[1]], [(1, 0, 0, 0)] * 2, atol=1e-6)
    assert reports(scene, "joint-instancer", "unknown-attribute") == []


def test_joints_of_arrays_that_do_not_fit_together_are_reported(tmp_path):
    """The prototype is not a joint, though it names no bodies, which is an error for a joint."""
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
    pgs = 'uniform token physxScene:solverType = "PGS"'
    other = prim("PhysicsScene", "second", pgs, "PhysxSceneAPI") if scenes == 2 else ""
    ball = BALL.replace("{\n", f"{{\nrel physics:simulationOwner = </{names[owner]}>\n", 1)
    scene = fajin.read(stage(tmp_path, ball, other))
    assert {report.code for report in reports(scene, "second-scene", "physics-scene-owner")} == code


@pytest.mark.parametrize("kind", ["int protoIndices = 1", 'string protoIndices = "0"'])
def test_numbers_of_another_type_are_reported(kind, tmp_path):
    """Of point instancers and joint instancers, which have no instances then."""
    many = MANY.replace("int[] protoIndices = [0, 1, 0]", kind)
    rope = ROPE.replace("int[] physics:protoIndices = [0]", kind.replace("proto", "physics:proto"))
    prims = BALL, prim("PointInstancer", "many", many + CRATE + prim("Cube", "look"))
    scene = fajin.read(stage(tmp_path, *prims, prim("PhysxPhysicsJointInstancer", "rope", rope)))
    assert [articulation.path for articulation in scene.articulations] == ["/ball"]
    found = {(report.prim, report.attribute) for report in reports(scene, "wrong-type")}
    assert found == {("/many", "protoIndices"), ("/rope", "physics:protoIndices")}


def test_velocities_of_another_type_do_not_count(tmp_path):
    many = prim("PointInstancer", "many", MANY + 'string velocities = "fast"\n' + CRATE + prim("Cube", "look"))
    scene = fajin.read(stage(tmp_path, BALL, many))
    assert [a.links[0].velocity for a in scene.articulations[1:]] == [(0, 0, 0), (0, 0, 0)]


@pytest.mark.parametrize("kind", ["quath[] orientations", "quatf[] orientationsf"])
def test_an_orientation_that_is_not_a_unit_vector_does_not_shear(tmp_path, kind):
    """Those of half precision never are. The body has the rotation of USD's transform, and its motion begins there."""
    lines = f"{kind} = [(1, 0, 0, 0), (1, 0, 0, 0), (0.9, 0.1, 0.2, 0.1)]\n"
    lines += "float3[] scales = [(1, 1, 1), (1, 1, 1), (1, 2, 3)]\n"
    path = stage(tmp_path, prim("PointInstancer", "many", MANY + lines + CRATE + prim("Cube", "look")))
    scene = fajin.read(path)
    opened = Usd.Stage.Open(str(path))
    instancer = UsdGeom.PointInstancer(opened.GetPrimAtPath("/many"))
    expected = quaternion_of(instancer.ComputeInstanceTransformsAtTime(0, 0)[2].RemoveScaleShear())
    assert scene.articulations[1].links[0].pose[1] == pytest.approx(expected, abs=1e-9)
    assert scene.colliders[1].half_extents == pytest.approx((1.0, 2.0, 3.0), rel=0.05)  # the quaternion is 0.93 long
    fajin.write(motion(scene), tmp_path / "moved.usda")
    again = fajin.read(tmp_path / "moved.usda").articulations[1].links[0]
    begun = motion(scene).pose[0, 0, 1, 3:]
    assert abs(np.array(again.pose[1]) @ begun) == pytest.approx(1.0, abs=2.0**-10)
