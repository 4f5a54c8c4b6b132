"""Closed loops: what their joints do to the coordinates, and the forces that keep them closed, float64."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import relative
from motion_of_links import MOVE, set_along
from random_tree import random_tree

import fajin
from fajin import dynamics
from fajin.quaternion import multiply, rotate
from fajin.scene import IDENTITY, WORLD, Articulation, Axis, Joint, JointType, Link, Scene

pin = pytest.importorskip("pinocchio")
from pinocchio_dynamics import Equations  # noqa: E402

EPS = float(np.finfo(np.float64).eps)
KINDS = ("revolute", "limited", "prismatic", "spherical", "d6-three", "stacked")  # no locked rows in Pinocchio
SLIDING = ("fixed", "revolute", "limited", "prismatic", "d6-one", "stacked")  # where q̇ is the rate of q
JOINTS = {  # type, and the axes that move
    "fixed": (JointType.FIXED, ()),
    "revolute": (JointType.REVOLUTE, ("rotY",)),
    "prismatic": (JointType.PRISMATIC, ("transZ",)),
    "spherical": (JointType.SPHERICAL, ("rotX", "rotY", "rotZ")),
    "one swing locked": (JointType.D6, ("rotX", "rotY")),
    "twist locked": (JointType.D6, ("transX", "rotY", "rotZ")),
}
PLACE = ((0.3, -0.2, 0.5), (0.5, -0.5, 0.1, 0.7))
OPEN = (0.1, 0.05, -0.2), (np.sin(0.3) * 0.6, np.sin(0.3) * 0.8, 0.0, np.cos(0.3))
SEEDS = pytest.mark.parametrize("seed", range(5))
BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])


def world_pose(sim: fajin.Simulation, path: str) -> tuple:
    """Where a body is, and how it is turned."""
    if path == WORLD:
        return IDENTITY
    pose = sim.link_pose[0, path]
    return tuple(pose[:3].tolist()), tuple(pose[3:].tolist())


def looped(
    seed: int, kind: str, bases: tuple[bool, bool], kinds=KINDS, opened: bool = False
) -> tuple[fajin.Simulation, Joint]:
    """A random tree whose last link a joint ties, just as they are or a little off, to another one or to the world.

    bases: whether its base floats, and whether it is tied to the world.
    """
    floating, to_world = bases
    scene = random_tree(seed, kinds, floating)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    last = scene.articulations[0].links[-1].path
    ends = (WORLD if to_world else scene.articulations[0].links[1].path, last)
    turn = np.array(PLACE[1]) / np.linalg.norm(PLACE[1])
    frames = [relative(world_pose(sim, end), (PLACE[0], tuple(turn))) for end in ends]
    if opened:
        place, turned = frames[1]
        frames[1] = tuple(np.add(place, OPEN[0])), tuple(multiply(np.array(turned), np.array(OPEN[1])))
    type, axes = JOINTS[kind]
    loop = Joint("/loop", type, *ends, *frames, axes=tuple(map(Axis, axes)))
    return fajin.Simulation(replace(scene, joints=(loop,)), device="cpu", precision="f64", threads=1), loop


def keep_closed(sim: fajin.Simulation) -> None:
    """Take from the velocities what would open the loop."""
    J = dynamics.loop_coefficient_matrix(sim)[0].T
    speeds = sim.qd[0]
    if J.shape[1] > len(speeds):
        speeds = np.concatenate([sim.root_velocity[0, 0], speeds])
    speeds = speeds - np.linalg.pinv(J) @ (J @ speeds)
    sim.qd = speeds[-len(sim.dof) :]
    if J.shape[1] > len(sim.dof):
        sim.root_velocity = speeds[:6]


def moving_as(sim: fajin.Simulation):
    """The scene, its initial speeds those of the simulation."""
    (robot,) = sim.scene.articulations
    qd = dict(zip(sim.dof, sim.qd[0].tolist(), strict=True))
    joints = tuple(
        replace(joint, axes=tuple(replace(axis, qd=qd[f"{joint.path}:{axis.token}"]) for axis in joint.axes))
        for joint in robot.joints
    )
    velocity, spin = (tuple(part) for part in sim.root_velocity[0, 0].reshape(2, 3).tolist())
    root = replace(robot.links[0], velocity=velocity, angular_velocity=spin)
    return replace(sim.scene, articulations=(replace(robot, links=(root, *robot.links[1:]), joints=joints),))


def rows(sim: fajin.Simulation) -> np.ndarray:
    """J v: how fast the loop opens."""
    J = dynamics.loop_coefficient_matrix(sim)[0].T
    base = [] if J.shape[1] == len(sim.dof) else sim.root_velocity[0, 0]
    return J @ np.concatenate([base, sim.qd[0]])


@pytest.mark.parametrize("kind", JOINTS)
@SEEDS
def test_the_coefficient_matrix_has_a_column_for_every_locked_axis(kind, seed):
    """Its efforts are those of a unit of force or torque on body 1, and back on body 0, along the joint's axis."""
    sim, loop = looped(seed, kind, (seed % 2 == 1, seed % 3 == 0))
    free = {axis.token for axis in loop.axes}
    names = [f"{kind}{letter}" for kind in ("trans", "rot") for letter in "XYZ"]
    assert dynamics.loop_rows(sim) == tuple(f"/loop:{name}" for name in names if name not in free)
    position, turn = np.array(PLACE[0]), np.array(PLACE[1]) / np.linalg.norm(PLACE[1])
    found = dynamics.loop_coefficient_matrix(sim)[0]
    for column, name in enumerate(dynamics.loop_rows(sim)):
        along = rotate(turn, np.eye(3)["XYZ".index(name[-1])])
        wrench = np.zeros((1, len(dynamics.links(sim)), 6))
        for end, sign in ((loop.body0, -1.0), (loop.body1, 1.0)):
            if end != WORLD:
                at, com = dynamics.links(sim).index(end), sim.link_com_pose[0, end, :3]
                force = along if "trans" in name else np.zeros(3)
                torque = np.cross(position - com, force) if "trans" in name else along
                wrench[0, at] += sign * np.concatenate([force, torque])
        held = -dynamics.generalized_external_force(sim, force=wrench)[0]
        assert np.abs(found[:, column] - held).max() <= 64 * EPS * (1.0 + np.abs(held).max())


@BASES
@SEEDS
def test_link_accelerations_are_those_of_pinocchio(seed, floating):
    """J q̈ + J̇ q̇ of every centre of mass, as points accelerate."""
    scene = random_tree(seed, floating=floating)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    qdd = np.random.default_rng(seed).normal(size=(1, len(dynamics.coordinates(sim))))
    drift = dynamics.link_acceleration(sim)
    J = dynamics.jacobian(sim)[0]
    found = dynamics.link_acceleration(sim, qdd=qdd)
    moving = len(J) // 6
    expected = (J @ qdd[0]).reshape(moving, 6) + drift[0, -moving:]
    assert np.abs(found[0, -moving:] - expected).max() <= 1e-12 * np.abs(expected).max()
    equations = Equations(scene, sim.dof)
    assert np.abs(drift[0] - equations.drifts(dynamics.links(sim))).max() <= 1e-11 * np.abs(drift).max()


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("seed", range(3))
@BASES
def test_forces_of_the_rows_keep_a_loop_closed(kind, seed, floating):
    """d/dt (J v) = 0 along the motion that M q̈ = τ − c + g + Jᵀ λ gives; also where it gapes."""
    sim, _ = looped(seed, kind, (floating, seed == 2), SLIDING, seed == 1)
    keep_closed(sim)
    effort = np.random.default_rng(seed).normal(size=(1, len(sim.dof)))
    force, closed = dynamics.loop_force(sim, effort=effort)
    assert closed.all()
    J = dynamics.loop_coefficient_matrix(sim)[0].T
    held = np.concatenate([np.zeros(J.shape[1] - len(sim.dof)), effort[0]]) + J.T @ force[0]
    qdd = dynamics.joint_acceleration(sim, effort=held[None])[0]
    start, opening = sim.save(), []
    base = sim.root_velocity[0, 0]
    for t in (-MOVE, MOVE):
        set_along(sim, start, t, floating)
        sim.qd = sim.qd[0] + t * qdd[-len(sim.dof) :]
        if floating:
            sim.root_velocity = base + t * qdd[:6]
        opening.append(rows(sim))
    scale = (1.0 + np.abs(dynamics.link_acceleration(sim)).max() + np.abs(qdd).max()) ** 2
    assert np.abs(opening[1] - opening[0]).max() / (2 * MOVE) <= 1e4 * (MOVE**2 + EPS / MOVE) * scale


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
@BASES
@SEEDS
def test_closed_loops_move_as_in_pinocchio(kind, seed, floating):
    """The accelerations of its constrained dynamics, within 1e-9."""
    sim, loop = looped(seed, kind, (floating, False))
    keep_closed(sim)
    effort = np.random.default_rng(seed).normal(size=(1, len(sim.dof)))
    force, closed = dynamics.loop_force(sim, effort=effort)
    assert closed.all()
    J = dynamics.loop_coefficient_matrix(sim)[0].T
    held = np.concatenate([np.zeros(J.shape[1] - len(sim.dof)), effort[0]]) + J.T @ force[0]
    qdd = dynamics.joint_acceleration(sim, effort=held[None])[0]
    expected = Equations(moving_as(sim), sim.dof).constrained(loop, effort[0])
    assert np.abs(qdd - expected).max() <= 1e-9 * np.abs(expected).max()


def test_a_planar_four_bar_is_closed_by_the_least_forces(golden):
    """Rows that say the same are no obstacle: J q̈ + J̇ q̇ = 0, and λ has nothing that they cannot feel."""
    scene = fajin.read(golden / "scenes" / "x12_fourbar_tgs16.usda")
    sim = fajin.Simulation(scene, 3, device="cpu", precision="f64", threads=1)
    sim.step(20)
    effort = np.random.default_rng(0).normal(size=(3, len(sim.dof)))
    force, closed = dynamics.loop_force(sim, effort=effort)
    assert force.shape == (3, len(dynamics.loop_rows(sim)))
    assert closed.all()
    J = dynamics.loop_coefficient_matrix(sim).swapaxes(1, 2)
    assert np.linalg.matrix_rank(J[0], 1e-6) < J.shape[1]
    held = effort + (J.swapaxes(1, 2) @ force[:, :, None])[:, :, 0]
    qdd = dynamics.joint_acceleration(sim, effort=held)
    moved = (J @ qdd[:, :, None])[:, :, 0] - (J @ dynamics.joint_acceleration(sim, effort=effort)[:, :, None])[:, :, 0]
    null = np.eye(J.shape[1]) - J[0] @ np.linalg.pinv(J[0], 1e-6)
    assert np.abs(moved).max() > 1e-3
    assert np.abs(null @ force[0]).max() <= 1e-6 * np.abs(force).max()


def test_rows_that_cannot_be_met_are_told():
    """A point of a wheel that turns cannot stand still: what pulls it inwards is no effort."""
    spin = Axis("rotZ", qd=2.0)
    hinge = Joint("/r/hinge", JointType.REVOLUTE, "/r/base", "/r/wheel", axis="Z", axes=(spin,))
    robot = Articulation("/r", (Link("/r/base"), Link("/r/wheel")), (hinge,), fixed_base=True)
    pin_at = Joint("/pin", JointType.SPHERICAL, WORLD, "/r/wheel", ((1.0, 0.0, 0.0), IDENTITY[1]))
    pinned = replace(pin_at, frame1=pin_at.frame0, axes=tuple(map(Axis, ("rotX", "rotY", "rotZ"))))
    sim = fajin.Simulation(Scene("", (robot,), joints=(pinned,)), 2, "cpu", "f64", 1)
    sim.qd[1] = 0.0
    _, closed = dynamics.loop_force(sim)
    assert closed.tolist() == [False, True]


def test_a_robot_without_loops_has_no_rows():
    """And nothing to keep closed."""
    sim = fajin.Simulation(random_tree(0), 2, device="cpu", precision="f64", threads=1)
    assert dynamics.loop_rows(sim) == ()
    assert dynamics.loop_coefficient_matrix(sim).shape == (2, len(sim.dof), 0)
    force, closed = dynamics.loop_force(sim)
    assert force.shape == (2, 0)
    assert closed.all()
