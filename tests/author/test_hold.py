"""Drives that hold a robot: the least stiffness of its joints, and gains of which the solver delivers it."""

from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np
import pytest

import fajin
from fajin.model.mass_matrix import effective_inertia
from fajin.scene import WORLD, Articulation, Axis, Collider, Drive, DriveType, Joint, JointType, Link, Scene, ShapeKind
from fajin.stance.carry import carriage
from fajin.stance.delivery import BUDGET, MARGIN, planted_gains
from fajin.stance.hold import hold, missing_stiffness

MASS, HEIGHT, FOOT, GRAVITY = 40.0, 0.9, 0.12, 9.81
LEAN = 0.002  # [rad] at the start
TURN = (0.0, 0.0, 0.0, 1.0)
DIFFERENCES = 1e-7  # relative error of central differences of slopes


def pendulum(height: float = HEIGHT, axes: str = "Y") -> Scene:
    """A body on two feet, each with an ankle at the height of its sole."""
    still = tuple(tuple(0.02 * row) for row in np.eye(3))
    links = [Link("/p", pose=((0.0, 0.0, 0.05), TURN), mass=MASS, com=(0.0, 0.0, height), inertia=still)]
    joints, colliders = (
        [],
        [Collider("/ground", WORLD, ShapeKind.PLANE, ((0.0, 0.0, 0.0), (0.0, -sqrt(0.5), 0.0, sqrt(0.5))))],
    )
    for side in (-1.0, 1.0):
        path = f"/p/foot{int(side)}"
        links.append(
            Link(
                path,
                pose=((0.0, 0.2 * side, 0.05), TURN),
                mass=0.5,
                inertia=tuple(tuple(2e-3 * row) for row in np.eye(3)),
            )
        )
        place = (0.0, 0.2 * side, 0.0), TURN
        joints.append(Joint(f"{path}/ankle", JointType.REVOLUTE, "/p", path, place, axis=axes,
                            axes=(Axis(f"rot{axes}", -pi, pi),)))  # fmt: skip
        colliders.append(
            Collider(f"{path}/sole", path, ShapeKind.BOX, ((0.0, 0.0, -0.025), TURN), half_extents=(FOOT, 0.08, 0.025))
        )
    return Scene("pendulum", (Articulation("/p", tuple(links), tuple(joints)),), colliders=tuple(colliders))


def held(scene: Scene, motion: tuple[float, float] = (20.0, 1.0)):
    """Return the hold of the robot in its initial pose."""
    return hold(carriage(scene, scene.articulations[0], False), effective_inertia(scene), motion, scene.dt)


@pytest.mark.parametrize("height", [0.3, HEIGHT, 2.0])
def test_ankles_hold_a_pendulum_if_they_are_stiffer_than_its_weight_times_its_height(height):
    """ω² (I₁ + I₂) = m g h at the least frequency."""
    scene = pendulum(height)
    found = carriage(scene, scene.articulations[0], False).holdings
    assert len(found) == 2
    assert sum(one.inertia * one.least**2 for one in found.values()) == pytest.approx(
        MASS * GRAVITY * height, rel=DIFFERENCES
    )


def test_a_pendulum_below_its_ankles_needs_no_stiffness():
    scene = pendulum(-0.02)
    assert all(one.least == 0.0 for one in carriage(scene, scene.articulations[0], False).holdings.values())


def test_feet_that_lean_in_the_file_stand_on_their_soles():
    """The sole is found as the facet that is nearest to level, and levelled."""
    scene = pendulum()
    robot = scene.articulations[0]
    joints = [replace(one, axes=(replace(one.axes[0], q=0.2),)) for one in robot.joints]
    robot = replace(robot, joints=tuple(joints))
    carried = carriage(replace(scene, articulations=(robot,)), robot, True)
    assert carried.reason == ""
    assert carried.q == pytest.approx((0.0, 0.0), abs=0.02)


@pytest.mark.parametrize("along", [0.0, 0.5])
def test_the_place_of_an_ankle_along_its_axis_does_not_matter(along):
    """An axis passes above a sole, whose frame may lie beside it."""
    scene = pendulum()
    robot = scene.articulations[0]
    away = (0.0, along, 0.0), TURN
    joints = []
    for joint in robot.joints:
        place = tuple(np.add(joint.frame0[0], away[0]).tolist()), TURN
        joints.append(replace(joint, frame0=place, frame1=away, axes=(replace(joint.axes[0], q=0.2),)))
    robot = replace(robot, joints=tuple(joints))
    carried = carriage(replace(scene, articulations=(robot,)), robot, True)
    assert carried.reason == ""
    assert all(foot.normal is not None for foot in carried.supports)


def test_joints_in_series_share_the_lean():
    """Stiffnesses k₁ and k₂ of hinges at one place hold what 1/(1/k₁ + 1/k₂) holds."""
    scene = pendulum()
    robot = scene.articulations[0]
    extra = Link("/p/body", pose=robot.links[0].pose, mass=MASS, com=(0.0, 0.0, HEIGHT), inertia=robot.links[0].inertia)
    base = replace(
        robot.links[0], mass=1e-9, com=(0.0, 0.0, 0.0), inertia=tuple(tuple(1e-9 * row) for row in np.eye(3))
    )
    hinge = Joint("/p/hip", JointType.REVOLUTE, "/p/body", "/p", axis="Y", axes=(Axis("rotY", -pi, pi),))
    robot = replace(robot, links=(extra, base, *robot.links[1:]), joints=(hinge, *robot.joints))
    carried = carriage(replace(scene, articulations=(robot,)), robot, False)
    stiffness = np.array([carried.holdings[name].inertia for name in carried.tree.names])
    hip = next(i for i, name in enumerate(carried.tree.names) if "hip" in name)
    series = 1.0 / (1.0 / stiffness[hip] + 1.0 / (stiffness.sum() - stiffness[hip]))
    assert carried.stability
    assert carried.stability.least_frequency(stiffness) ** 2 * series == pytest.approx(
        MASS * GRAVITY * HEIGHT, rel=1e-5
    )


def test_planted_gains_deliver_their_stiffness_and_damping():
    """κ = k/s and β = d/s with s = 1 + δ (d + δ k)/I₀, within the budget."""
    moved, free, delta = 8.0, 0.002, 1.0 / 60.0 / 32.0
    gains = planted_gains((moved, free), (20.0, 1.0), 3.0, delta)
    s = 1.0 + delta * (gains.damping + delta * gains.stiffness) / free
    assert gains.stiffness / s == pytest.approx(gains.delivered, rel=1e-12)
    assert gains.delivered == pytest.approx(moved * (MARGIN * 3.0) ** 2, rel=1e-12)
    assert s == pytest.approx(1.0 / (1.0 - BUDGET), rel=1e-12)


def test_soft_drives_miss_a_factor():
    """m g h over the delivered stiffness of both ankles; infinite without drives."""
    scene = pendulum()
    found = held(scene)
    stiffness, damping, name = 100.0, 1.0, next(iter(found.gains))
    s = 1.0 + scene.dt / found.iterations * (damping + scene.dt / found.iterations * stiffness) / found.free[name]
    factor = missing_stiffness(found, dict.fromkeys(found.gains, (stiffness, damping)))
    assert factor == pytest.approx(MASS * GRAVITY * HEIGHT / (2.0 * stiffness / s), rel=DIFFERENCES)
    assert missing_stiffness(found, {}) == inf


def test_a_heavy_foot_gets_the_wanted_motion():
    gains = planted_gains((1.0, inf), (20.0, 0.7), 3.0, 1e-3)
    assert (gains.stiffness, gains.damping) == pytest.approx((400.0, 28.0))


def test_a_light_foot_gets_more_iterations():
    scene = pendulum()
    robot = scene.articulations[0]
    tiny = {"mass": 0.05, "inertia": tuple(tuple(2e-5 * row) for row in np.eye(3))}
    links = [robot.links[0], *(replace(link, **tiny) for link in robot.links[1:])]
    light = replace(scene, articulations=(replace(robot, links=tuple(links)),))
    assert held(scene).iterations == 32
    assert held(light).iterations > 32


@pytest.mark.parametrize("beyond", [0.01, 0.0])
def test_a_target_stays_within_limits(beyond):
    """The effort that holds a joint near its limit comes from the limit, too."""
    scene = pendulum()
    robot = scene.articulations[0]
    links = [replace(robot.links[0], com=(0.05, 0.0, HEIGHT)), *robot.links[1:]]
    free = held(replace(scene, articulations=(replace(robot, links=tuple(links)),)))
    targets = [free.law(name)[2] / free.law(name)[0] for name in free.gains]
    side = np.sign(targets[0])
    bounds = sorted((-side * pi, side * beyond * abs(targets[0])))
    joints = tuple(replace(j, axes=(Axis("rotY", *bounds),)) for j in robot.joints)
    near = held(replace(scene, articulations=(replace(robot, links=tuple(links), joints=joints),)))
    for name in near.gains:
        stiffness, _, effort = near.law(name)
        assert effort / stiffness == pytest.approx(beyond * targets[0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "stands"), [(0.95, False), (1.05, True)])
def test_a_pendulum_stands_in_the_simulation_if_the_law_says_so(part, stands):
    """With delivered stiffnesses of `part` m g h; it begins LEAN out of balance and falls, or returns."""
    scene = pendulum()
    robot = scene.articulations[0]
    free = effective_inertia(scene)
    joints = []
    wanted = part * MASS * GRAVITY * HEIGHT / 2.0
    for joint in robot.joints:
        law = planted_gains((wanted, free[f"{joint.path}:rotY"]), (1.0, 1.0), 1.0 / MARGIN, scene.dt / 32.0)
        assert law.delivered == pytest.approx(wanted)
        drive = Drive(DriveType.FORCE, law.stiffness, law.damping, target_q=LEAN)
        joints.append(replace(joint, axes=(replace(joint.axes[0], drive=drive),)))
    scene = replace(scene, articulations=(replace(robot, joints=tuple(joints)),), sleeping=False)
    sim = fajin.Simulation(scene, precision="f64", device="cpu", threads=1)
    sim.step(round(10.0 / scene.dt))
    leans = 2.0 * abs(np.asarray(sim.root_pose)[0, 0, 4])
    assert bool(leans < 0.1) is stands
