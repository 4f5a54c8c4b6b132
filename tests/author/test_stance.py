"""Robots that stand: supports, static equilibrium, gains that carry, and poses to stand in."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from standing_robots import MASS, SIDE, TALL, UP, spider, table

import fajin
from fajin.scene import Axis, Collider, Joint, JointType, Link, ShapeKind
from fajin.scene.overrides import with_base
from fajin.stance.carry import carriage
from fajin.stance.equilibrium import contact_forces
from fajin.stance.extents import shapes_of
from fajin.stance.ground import up_of
from fajin.stance.polygon import margin
from fajin.stance.tree import Tree


def test_forces_carry_the_weight_where_the_centre_of_mass_is():
    """Their sum is the weight, their moment about the centre of mass vanishes, and none pulls."""
    points = np.array([(1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 0.0, 0.0)])
    com = np.array((0.25, 0.1, 1.0))
    forces = contact_forces(points, com, 10.0, UP)
    eps = 1e-12
    assert forces.sum() == pytest.approx(10.0, rel=eps)
    assert (forces @ (points - com))[:2] == pytest.approx((0.0, 0.0), abs=10.0 * eps)
    assert forces.min() > 0.0


@pytest.mark.parametrize(("x", "inside"), [(0.0, 1.0), (0.75, 0.25), (1.5, -0.5)])
def test_the_margin_is_the_distance_from_the_border(x, inside):
    """Of a square of side 2, to the resolution of directions of one degree."""
    points = np.array([(1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (-1.0, -1.0, 0.0)])
    assert margin(points, np.array((x, 0.0, 3.0)), UP) == pytest.approx(inside, rel=1e-3)


def test_a_leg_carries_its_share_of_the_rest():
    """I = I_leg + (1/4) I_rest about the hinge of each of four equal legs."""
    scene = table()
    carried = carriage(scene, scene.articulations[0], stand=False)
    tree = Tree(scene.articulations[0])
    placed = tree.place(tree.q)
    assert len(carried.supports) == 4
    for dof, name in enumerate(tree.names):
        own = 0.1 + 0.5 * TALL**2
        rest = tree.inertia_about(placed, dof, ~tree.moves[:, dof])
        assert carried.holdings[name].inertia == pytest.approx(own + rest / 4.0, rel=1e-9)
        assert carried.holdings[name].role == "leg"


@pytest.mark.parametrize(
    ("axis", "kind", "wheels"),
    [
        (Axis("rotY"), ShapeKind.CYLINDER, 4),
        (Axis("rotY"), ShapeKind.SPHERE, 4),
        (Axis("rotY", -3.0, 3.0), ShapeKind.CYLINDER, 0),
        (Axis("rotY"), ShapeKind.CONE, 4),
        (Axis("rotY"), ShapeKind.BOX, 0),
    ],
)
def test_a_wheel_is_round_about_a_joint_without_limits(axis, kind, wheels):
    """Its drive moves the robot: I = I_wheel + r² m / 4 with four of them."""
    scene = table(axis, kind)
    scene = replace(
        scene, colliders=tuple(replace(c, half_extents=c.half_extents if "box" in c.path else (0.05, 0.01, 0.02))
                               for c in scene.colliders))  # fmt: skip
    carried = carriage(scene, scene.articulations[0], stand=False)
    found = [holding for holding in carried.holdings.values() if holding.role == "wheel"]
    assert len(found) == wheels
    own = 0.1 + 0.5 * TALL**2
    assert [h.inertia for h in found] == pytest.approx([own + 0.05**2 * (MASS + 2.0) / 4.0] * wheels, rel=0.05)


@pytest.mark.parametrize(("height", "shift", "wheels"), [(0.05, 0.0, 4), (0.05, 0.05, 0), (0.03, 0.0, 0)])
def test_a_square_box_about_a_joint_without_limits_is_a_wheel(height, shift, wheels):
    """Descriptions have boxes in the place of wheels. One to the side of the axis is a crank."""
    scene, size = table(Axis("rotY"), ShapeKind.BOX), (0.01, 0.05, height)  # x of the shape along the axis
    legs = [replace(c, half_extents=size, pose=((shift, 0.0, 0.0), c.pose[1])) for c in scene.colliders]
    scene = replace(scene, colliders=(scene.colliders[0], *legs[1:]))
    carried = carriage(scene, scene.articulations[0], stand=False)
    assert [support.wheel for support in carried.supports if support.wheel] == pytest.approx([0.05] * wheels)
    assert not any(support.slides for support in carried.supports if wheels)


def test_a_turret_is_not_a_wheel():
    """Round about an upright axis."""
    scene = table(Axis("rotZ"), ShapeKind.SPHERE, "Z")
    assert not any(h.role == "wheel" for h in carriage(scene, scene.articulations[0], False).holdings.values())


def test_a_quadruped_finds_a_pose_to_stand_in():
    """Feet on one level, the centre of mass above them, joints within limits; efforts hold that pose."""
    scene = with_base(fajin.read("scenes/go2_standing.usda"), False)
    robot = next(one for one in scene.articulations if not one.free)
    joints = tuple(replace(j, axes=tuple(replace(a, q=0.0) for a in j.axes)) for j in robot.joints)
    robot = replace(robot, joints=joints)
    carried = carriage(scene, robot, stand=True)
    assert carried.reason == ""
    placed = carried.tree.place(carried.q)
    lows = [foot.lowest(placed, UP)[1].min() for foot in carried.supports]
    assert len(lows) == 4
    assert np.ptp(lows) < 3e-3
    soles = np.concatenate([foot.sole(placed, UP) for foot in carried.supports])
    assert margin(soles, carried.tree.com(placed), UP) > 0.05
    for q, axis in zip(carried.q, carried.tree.axes, strict=True):
        assert axis.lower <= q <= axis.upper
    assert shapes_of(carried.tree, scene.colliders)
    assert up_of(scene) == pytest.approx(UP)


def test_two_wheels_do_not_balance():
    scene = table(Axis("rotY"), ShapeKind.CYLINDER)
    robot = scene.articulations[0]
    two = replace(robot, links=(*robot.links[:1], *robot.links[1:3]), joints=robot.joints[:2])
    scene = replace(scene, articulations=(two,), colliders=scene.colliders[:3])
    assert "controller" in carriage(scene, two, stand=True).reason
    assert two.joints[0].axes[0].upper == inf


def test_legs_that_bend_in_different_planes_stand():
    """Each leg bends about the direction that its own axes share."""
    scene = spider()
    carried = carriage(scene, scene.articulations[0], stand=True)
    assert carried.reason == ""
    lows = [foot.lowest(carried.tree.place(carried.q), UP)[1].min() for foot in carried.supports]
    assert len(lows) == 4
    assert np.ptp(lows) < 3e-3


def test_a_caster_carries_a_robot_on_two_wheels():
    """What slides on the ground beside the wheels belongs to the polygon of supports."""
    scene = table(Axis("rotY"), ShapeKind.CYLINDER)
    robot = scene.articulations[0]
    robot = replace(robot, links=(*robot.links[:1], *robot.links[1:3]), joints=robot.joints[:2])
    skid = Collider("/t/skid", "/t", ShapeKind.SPHERE, ((-SIDE, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), radius=0.05)
    scene = replace(scene, articulations=(robot,), colliders=(*scene.colliders[:3], skid))
    carried = carriage(scene, robot, stand=True)
    assert carried.reason == ""
    assert sorted(support.slides for support in carried.supports) == [False, False, True]


def test_what_steers_a_wheel_turns_the_wheel_alone():
    """A fork on an upright axis: the ground bears the weight, and the rest of the robot does not turn with it."""
    scene = table(Axis("rotY"), ShapeKind.SPHERE)
    robot = scene.articulations[0]
    tensor = tuple(tuple(0.01 * row) for row in np.eye(3))
    still = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    fork = Link("/t/fork", mass=0.2, inertia=tensor)
    steer = Joint("/t/steer", JointType.REVOLUTE, "/t", "/t/fork", robot.joints[0].frame0, still, axis="Z",
                  axes=(Axis("rotZ", -0.5, 0.5),))  # fmt: skip
    rolls = replace(robot.joints[0], body0="/t/fork", frame0=still)
    robot = replace(robot, links=(*robot.links, fork), joints=(steer, rolls, *robot.joints[1:]))
    carried = carriage(replace(scene, articulations=(robot,)), robot, stand=True)
    assert carried.reason == ""
    held = carried.holdings["/t/steer:rotZ"]
    assert held.role == ""
    assert held.effort == pytest.approx(0.0, abs=1e-9)
    assert held.inertia == pytest.approx(0.01 + 0.1, rel=1e-9)
    assert [one.role for name, one in carried.holdings.items() if "hinge" in name] == ["wheel"] * 4
