"""Bodies of no articulation are free: which these are, and what the file says of them."""

from math import inf, pi

import pytest
from usda import MASS, arm, body, joint, stage

import fajin

BALL = "PhysxRigidBodyAPI"


def free(scene) -> list[str]:
    """Paths of the free bodies."""
    return [a.path for a in scene.articulations if a.free]


def test_a_body_without_joints_is_free(tmp_path):
    """Alone in a stage, with PhysX's values where the file says nothing."""
    (ball,) = fajin.read(stage(tmp_path, body("ball"))).articulations
    (link,) = ball.links
    assert (ball.path, ball.free, ball.fixed_base, ball.joints) == ("/ball", True, False, ())
    assert (ball.position_iterations, ball.velocity_iterations) == (16, 1)
    assert (link.linear_damping, link.angular_damping, link.max_linear_velocity) == (0.0, 0.05, inf)
    assert (link.max_angular_velocity, link.gyroscopic, link.velocity) == (100.0, True, (0.0, 0.0, 0.0))


def test_a_free_body_is_read_in_its_units(tmp_path):
    """Centre of mass and velocity in stage lengths, angular velocity in degrees; the world's axes, not the body's."""
    lines = f"""{MASS}
        double3 xformOp:translate = (100, 0, 50)
        double3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        vector3f physics:velocity = (100, 0, -200)
        vector3f physics:angularVelocity = (0, 90, 0)
        float physxRigidBody:linearDamping = 0.5
        float physxRigidBody:maxLinearVelocity = 300
        float physxRigidBody:maxAngularVelocity = 180
        bool physxRigidBody:disableGravity = 1
        bool physxRigidBody:enableGyroscopicForces = 0
        int physxRigidBody:solverPositionIterationCount = 8
        int physxRigidBody:solverVelocityIterationCount = 2"""
    scene = fajin.read(stage(tmp_path, body("ball", lines, BALL), metadata='metersPerUnit = 0.01\n    upAxis = "Z"'))
    (ball,) = scene.articulations
    (link,) = ball.links
    assert (ball.position_iterations, ball.velocity_iterations) == (8, 2)
    assert link.pose[0] == pytest.approx((1.0, 0.0, 0.5))
    assert link.com == pytest.approx((0.002, 0.004, 0.006))
    assert link.inertia[0][0] == pytest.approx(0.1e-4)
    assert link.velocity == pytest.approx((1.0, 0.0, -2.0))
    assert link.angular_velocity == pytest.approx((0.0, pi / 2, 0.0))
    assert (link.linear_damping, link.max_linear_velocity) == (0.5, pytest.approx(3.0))
    assert link.max_angular_velocity == pytest.approx(pi)
    assert (link.disable_gravity, link.gyroscopic) == (True, False)
    assert not [report for report in scene.reports if report.prim == "/ball"]


def test_the_scene_bounds_the_iterations(tmp_path):
    """As those of an articulation."""
    lines = "int physxScene:minPositionIterationCount = 20\nint physxScene:maxVelocityIterationCount = 0"
    (ball,) = fajin.read(stage(tmp_path, body("ball"), scene=lines)).articulations
    assert (ball.position_iterations, ball.velocity_iterations) == (20, 0)


def test_the_links_of_a_robot_that_is_switched_off_are_free_bodies(tmp_path):
    """As in PhysX, which holds them together with constraints; the joint that held the base is one of them."""
    robot = arm(root="bool physxArticulation:articulationEnabled = 0\n")
    scene = fajin.read(stage(tmp_path, robot, body("ball")))
    assert free(scene) == ["/robot/base", "/robot/link", "/ball"]
    assert [j.path for j in scene.joints] == ["/robot/anchor", "/robot/elbow"]


def test_free_bodies_come_after_the_robots_in_the_order_of_the_stage(tmp_path):
    """Beside a robot, inside its prim and inside a link; a body of the robot is none."""
    link = MASS + "\n" + body("inner")
    scene = fajin.read(stage(tmp_path, body("first"), arm(link=link, extra=body("tool"))))
    assert [a.path for a in scene.articulations] == ["/robot", "/first", "/robot/link/inner", "/robot/tool"]
    assert free(scene) == ["/first", "/robot/link/inner", "/robot/tool"]


@pytest.mark.parametrize(
    ("kind", "lines", "held"),
    [
        ("PhysicsFixedJoint", "", True),
        ("PhysicsDistanceJoint", "float physics:maxDistance = 1", True),
        ("PhysicsRevoluteJoint", "bool physics:excludeFromArticulation = 1", True),
        ("PhysicsRevoluteJoint", "bool physics:jointEnabled = 0", False),
    ],
)
def test_a_body_that_only_joints_hold_is_free(tmp_path, kind, lines, held):
    """Joints outside articulations constrain bodies, they do not make links of them; a disabled one is none."""
    scene = fajin.read(stage(tmp_path, arm(), body("ball"), joint("hold", kind, "/ball", "", lines)))
    assert free(scene) == ["/ball"]
    assert [j.path for j in scene.joints] == ["/hold"] * held


def test_a_body_that_does_not_move_is_not_free(tmp_path):
    """Kinematic, disabled, or an articulation of one link."""
    parts = (
        body("floor", MASS + "\nbool physics:kinematicEnabled = 1"),
        body("off", MASS + "\nbool physics:rigidBodyEnabled = 0"),
        body("robot", apis="PhysicsArticulationRootAPI"),
    )
    scene = fajin.read(stage(tmp_path, *parts))
    assert [(a.path, a.free) for a in scene.articulations] == [("/robot", False)]
