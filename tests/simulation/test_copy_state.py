"""A changed robot goes on where the old one stands."""

from dataclasses import replace

import numpy as np
import pytest
from planar_arm import arm, simulation
from random_tree import random_tree

from fajin.scene import Articulation, Drive, Joint, Link, Scene

DRIVE = Drive(stiffness=20.0, damping=2.0)
TOOL = "/arm/tool"


def edited(scene: Scene, joints: tuple[Joint, ...], links: tuple[Link, ...]) -> Scene:
    """The same robot of other links and joints."""
    return replace(scene, articulations=(replace(scene.articulations[0], joints=joints, links=links),))


def with_tool() -> Scene:
    """The arm with a link more, on a hinge at its tip."""
    scene = arm(drive=DRIVE)
    robot = scene.articulations[0]
    hinge = replace(robot.joints[0], path="/arm/wrist", body0="/arm/tip", body1=TOOL)
    return edited(scene, (*robot.joints, hinge), (*robot.links, replace(robot.links[1], path=TOOL)))


def under_way(scene: Scene, worlds: int = 3):
    """A simulation that moves, of which some things were set."""
    sim = simulation(scene, worlds)
    sim.target_q = np.arange(1.0, worlds + 1.0)[:, None]
    sim.stiffness[:, "elbow"] = 33.0
    sim.force[1, "lower"] = (1.0, 2.0, 3.0)
    sim.upper[:, "finger"] = 5.0
    sim.step(20)
    return sim


def test_a_tool_is_added():
    """State, targets, gains and forces of the arm are as they were; the tool is as its scene says."""
    old, new = under_way(arm(drive=DRIVE)), simulation(with_tool(), 3)
    left = new.copy_state_from(old)
    assert left.gone == ()
    assert left.new == ("/arm/wrist:rotZ", TOOL)
    for name in ("q", "qd", "applied_effort", "target_q", "stiffness", "damping", "upper", "force"):
        assert np.array_equal(new.read(name)[:, :3], old.read(name)[:, :3]), name
    assert np.array_equal(new.link_pose[:, :4], old.link_pose[:])
    assert not new.q[:, "wrist"].any()
    assert new.target_q[0, "wrist"] == 0.0
    assert new.stiffness[0, "wrist"] == 20.0
    assert new.steps == old.steps == 20


def test_a_tool_is_taken_away_again():
    """What belonged to it is named; the rest goes on."""
    old, new = under_way(with_tool()), simulation(arm(drive=DRIVE), 3)
    left = new.copy_state_from(old)
    assert left.gone == ("/arm/wrist:rotZ", TOOL)
    assert left.new == ()
    assert np.array_equal(new.q, old.q[:, :3])
    assert np.array_equal(new.qd, old.qd[:, :3])


def test_a_joint_that_is_renamed_keeps_its_state_if_told():
    """Otherwise it is another one."""
    scene = arm(drive=DRIVE)
    robot = scene.articulations[0]
    joints = tuple(replace(joint, path=joint.path.replace("elbow", "knee")) for joint in robot.joints)
    old, new = under_way(scene), simulation(edited(scene, joints, robot.links), 3)
    left = new.copy_state_from(old)
    assert left.gone == ("/arm/elbow:rotZ",)
    assert left.new == ("/arm/knee:rotZ",)
    assert not new.q[:, "knee"].any()
    left = new.copy_state_from(old, {"/arm/elbow": "/arm/knee"})
    assert left.gone == left.new == ()
    assert np.array_equal(new.q, old.q)
    assert (new.stiffness[:, "knee"] == 33.0).all()
    with pytest.raises(KeyError, match="'/arm/hip': must be a joint, link or articulation"):
        new.copy_state_from(old, {"/arm/elbow": "/arm/hip"})
    with pytest.raises(KeyError, match="'/arm/hip': must be a joint, link or articulation of the other"):
        new.copy_state_from(old, {"/arm/hip": "/arm/knee"})


def test_what_nobody_set_is_as_the_new_scene_says():
    """A gain of the new scene is not overwritten by one of the old scene."""
    old, new = under_way(arm(drive=DRIVE)), simulation(arm(drive=replace(DRIVE, stiffness=50.0, damping=7.0)), 3)
    new.copy_state_from(old)
    assert new.stiffness[0].tolist() == [50.0, 33.0, 50.0]
    assert new.damping[0].tolist() == [7.0, 7.0, 7.0]


@pytest.mark.parametrize("floating", [False, True])
def test_the_same_robot_goes_the_same_way(floating):
    """Roots and all, to rounding; in every world from one."""
    scene = random_tree(3, floating=floating)
    old, same = (simulation(scene, 1) for _ in range(2))
    rng = np.random.default_rng(0)
    old.q, old.qd = rng.uniform(-1, 1, (2, 1, len(old.dof)))
    old.root_pose[..., :3] = old.root_pose[..., :3] + 0.1
    old.step(20)
    new = simulation(scene, 4)
    assert new.copy_state_from(old) == same.copy_state_from(old)
    for sim in (old, new, same):
        sim.step(20)
    assert np.allclose(new.q, np.repeat(old.q[:], 4, 0), 0, 1e-9)
    assert np.allclose(new.link_pose, np.repeat(old.link_pose[:], 4, 0), 0, 1e-9)
    assert np.allclose(new.root_velocity, np.repeat(old.root_velocity[:], 4, 0), 0, 1e-9)


def test_a_base_that_is_fixed_now_has_no_velocity():
    """A free body that becomes a robot's base."""
    body = Articulation("/arm/base", (Link("/arm/base", velocity=(1.0, 0.0, 0.0)),), (), free=True)
    old = simulation(Scene("body", (body,)))
    old.step(3)
    new = simulation(arm())
    left = new.copy_state_from(old)
    assert left.gone == ("/arm/base",)  # the articulation; its link is there
    assert not new.root_velocity[:].any()


def test_worlds_that_do_not_match_are_refused():
    """With both numbers."""
    new = simulation(arm(), 3)
    with pytest.raises(ValueError, match=r"other\.worlds = 2: must be 3, or 1"):
        new.copy_state_from(simulation(arm(), 2))
