"""Robots that do not stand as their file has them: another axis up, free knees, legs stretched sideways."""

from dataclasses import replace

import numpy as np
import pytest
from standing_robots import UP, spider, table

from fajin.quaternion import rotate
from fajin.scene import Articulation, Axis, ShapeKind
from fajin.stance.carry import carriage
from fajin.stance.extents import shapes_of
from fajin.stance.reach import raised
from fajin.stance.tree import Tree
from fajin.stance.turn import upright

HALF = 0.5**0.5
LAID = {"Y": (-HALF, 0.0, 0.0, HALF), "-Y": (HALF, 0.0, 0.0, HALF), "X": (0.0, HALF, 0.0, HALF)}
"""Rotations after which the up axis of a file points along an axis of the world."""


def test_a_leg_whose_knee_turns_without_limits_ends_in_a_foot():
    """It lies to one side of the joint's axis, where a wheel and a spoked wheel surround it."""
    scene = table()
    robot = scene.articulations[0]
    free = tuple(replace(joint, axes=(Axis("rotY"),)) for joint in robot.joints)
    carried = carriage(scene, replace(robot, joints=free), stand=True)
    assert [(one.wheel, one.slides) for one in carried.supports] == [(0.0, False)] * 4


@pytest.mark.parametrize("turn", LAID.values(), ids=LAID)
def test_a_robot_whose_file_has_another_axis_up_is_turned(turn):
    """So that it stands on its feet."""
    scene = table()
    robot = with_turn(scene.articulations[0], turn)
    carried = carriage(scene, robot, stand=True)
    assert carried.reason
    found = upright(scene, carried)
    assert found is not None
    np.testing.assert_allclose(rotate(found, UP), UP, atol=1e-6)
    assert carriage(scene, with_turn(robot, tuple(found)), stand=True).stands


def test_a_robot_that_stands_or_balances_is_not_turned():
    """On feet, or on two wheels, which fall over on their side, too."""
    scene = table()
    assert upright(scene, carriage(scene, scene.articulations[0], stand=True)) is None
    scene = table(Axis("rotY"), ShapeKind.CYLINDER)
    robot = scene.articulations[0]
    two = replace(robot, links=(*robot.links[:1], *robot.links[1:3]), joints=robot.joints[:2])
    carried = carriage(replace(scene, articulations=(two,), colliders=scene.colliders[:3]), two, stand=True)
    assert carried.reason
    assert upright(scene, carried) is None


def with_turn(robot: Articulation, turn: tuple) -> Articulation:
    """A robot with a rotation of its base."""
    return replace(robot, links=(replace(robot.links[0], pose=((0.0, 0.0, 0.0), turn)), *robot.links[1:]))


@pytest.mark.parametrize(("legs", "stands"), [(4, True), (2, False)])
def test_a_robot_that_lies_with_its_legs_stretched_sideways_is_raised_on_them(legs, stands):
    """On three limbs or more; two are arms, and the robot stays on its underside."""
    scene = spider()
    robot = scene.articulations[0]
    flat = [replace(joint, axes=(replace(joint.axes[0], q=-1.57 if "hip" in joint.path else 0.0),))
            for joint in robot.joints][: 2 * legs]  # fmt: skip
    robot = replace(robot, links=robot.links[: 1 + 2 * legs], joints=tuple(flat))
    scene = replace(scene, colliders=scene.colliders[: 1 + legs])
    assert [one.slides for one in carriage(scene, robot, stand=False).supports] == [True]
    carried = carriage(scene, robot, stand=True)
    assert carried.reason == ""
    assert [one.slides for one in carried.supports] == ([False] * legs if stands else [True])
    if stands:
        lows = [foot.lowest(carried.tree.place(carried.q), UP)[1].min() for foot in carried.supports]
        assert np.ptp(lows) < 3e-3
        assert carried.tree.place(carried.q).positions[0] @ UP - min(lows) > 0.4


def reached(scene, *, hip: float = -1.57, knee: float = 1.9, legs: int = 4):
    """Tree of a robot with so many of its legs, positions and feet when they are raised from these positions."""
    robot = scene.articulations[0]
    robot = replace(robot, links=robot.links[: 1 + 2 * legs], joints=robot.joints[: 2 * legs])
    tree = Tree(robot)
    q = np.array([hip if "hip" in joint.path else knee for joint in robot.joints])
    return tree, raised(tree, shapes_of(tree, scene.colliders), q, UP)


def test_ends_of_legs_reach_as_low_as_they_are_long():
    """Folded legs are stretched: two sweeps by thirds of a radian leave an eighth of their length at most."""
    tree, found = reached(spider())
    assert found is not None
    q, feet = found
    lows = np.array([foot.lowest(tree.place(q), UP)[1].min() for foot in feet])
    hips, length = 1.0, 0.3 + 0.3 + 0.03
    assert len(feet) == 4
    assert (hips - lows <= length + 1e-9).all()
    assert (hips - lows > 0.875 * length).all()


@pytest.mark.parametrize(("legs", "found"), [(2, False), (3, True)])
def test_two_limbs_are_arms(legs, found):
    assert (reached(spider(), legs=legs)[1] is not None) is found


def test_wheels_are_no_feet():
    scene = table(Axis("rotY"), ShapeKind.CYLINDER)
    tree = Tree(scene.articulations[0])
    assert raised(tree, shapes_of(tree, scene.colliders), np.zeros(4), UP) is None
