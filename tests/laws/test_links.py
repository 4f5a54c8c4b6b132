"""How links move: poses, velocities and accelerations by the state, and as recorded from PhysX (ovphysx 0.7)."""

from dataclasses import replace

import numpy as np
import pytest
from motion_of_links import MOVE, set_along
from planar_arm import arm, simulation
from random_tree import edited, random_tree

import fajin
from fajin.quaternion import multiply, rotate
from fajin.scene import Drive, SolverType

EPS = np.finfo(np.float64).eps
EPS32 = np.finfo(np.float32).eps
DIFFERENCE = 1e3 * (MOVE**2 + EPS / MOVE)
SLIDING = ("fixed", "revolute", "limited", "prismatic", "d6-one", "stacked")  # where q̇ is the rate of q
SEEDS = pytest.mark.parametrize("seed", range(6))


def turned(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Small rotation vector between quaternions, (..., 3)."""
    change = multiply(after, before * (-1.0, -1.0, -1.0, 1.0))
    return 2.0 * change[..., :3] * np.sign(change[..., 3:])


@SEEDS
@pytest.mark.parametrize("floating", [False, True])
def test_the_velocity_of_a_link_is_the_rate_of_its_pose(seed, floating):
    """v = dx/dt of the centre of mass, R' = ω × R."""
    sim = simulation(random_tree(seed, SLIDING, floating))
    start, poses = sim.save(), []
    velocity = sim.link_velocity[0]
    for t in (-MOVE, MOVE):
        set_along(sim, start, t, floating)
        poses.append(sim.link_com_pose[0])
    speed = (poses[1][:, :3] - poses[0][:, :3]) / (2 * MOVE)
    spin = turned(poses[0][:, 3:], poses[1][:, 3:]) / (2 * MOVE)
    scale = 1.0 + np.abs(velocity).max() ** 3
    assert np.abs(velocity).max() > 0.1
    assert np.allclose(velocity, np.concatenate([speed, spin], -1), 0, DIFFERENCE * scale)


@SEEDS
def test_the_acceleration_of_a_link_is_the_rate_of_its_velocity(seed):
    """a = dv/dt where the step started, with the q̈ that it gave: the acceleration of a point, not a spatial one."""
    sim = simulation(random_tree(seed, SLIDING))
    start = sim.save()
    sim.step()
    qdd, acceleration = sim.qdd[:], sim.link_acceleration[0]
    velocities = []
    for t in (-MOVE, MOVE):
        set_along(sim, start, t)
        sim.qd = sim.qd[:] + t * qdd
        velocities.append(sim.link_velocity[0])
    scale = 1.0 + np.abs(acceleration).max() ** 2
    assert np.abs(acceleration).max() > 1.0
    assert np.allclose(acceleration, (velocities[1] - velocities[0]) / (2 * MOVE), 0, DIFFERENCE * scale)


@SEEDS
@pytest.mark.parametrize("solver", list(SolverType))
def test_a_joint_acceleration_is_the_change_of_speed_in_the_last_step(seed, solver):
    """q̈ h = q̇_end − q̇_start, also of the last of several steps in one launch."""
    scene = edited(random_tree(seed, floating=True), solver=solver)
    at_once, alone = simulation(scene), simulation(scene)
    at_once.step(5)
    alone.step(4)
    before = alone.qd[:]
    alone.step()
    scale = EPS * (1.0 + np.abs(alone.qdd[:]).max())
    assert np.allclose(alone.qdd[:] * alone.dt, alone.qd[:] - before, 0, 4 * scale)
    assert np.array_equal(alone.qdd, at_once.qdd)
    assert np.array_equal(alone.link_acceleration, at_once.link_acceleration)


@SEEDS
def test_a_root_accelerates_as_its_velocity_changes(seed):
    """a → (V_end − V_start) / h as h → 0; the velocity that keeps the momentum of a whole step is no acceleration."""
    sim = simulation(random_tree(seed, floating=True), dt=1e-5)
    before = sim.root_velocity[:]
    sim.step()
    rate = (sim.root_velocity[:] - before) / sim.dt
    assert np.abs(rate).max() > 1.0
    assert np.allclose(sim.root_acceleration, rate, 0, 10 * sim.dt * (1.0 + np.abs(rate).max()) ** 2)
    assert np.array_equal(sim.root_acceleration, sim.link_acceleration[:, :1])


@pytest.mark.parametrize("free", [False, True])
def test_a_body_falls_with_gravity(free):
    """a = g, and no joint acceleration."""
    scene = random_tree(0, (), floating=True)
    (body,) = scene.articulations
    sim = simulation(replace(scene, articulations=(replace(body, free=free),)), 3)
    sim.step(2)
    assert np.allclose(sim.link_acceleration[:, 0, :3], scene.gravity, 0, 64 * EPS / sim.dt)
    assert sim.qdd.shape == (3, 0)


def test_a_prim_and_its_centre_of_mass_lie_com_apart():
    """x_com = x + R com, in the same axes."""
    scene = random_tree(2, floating=True)
    sim = simulation(scene, 2)
    sim.step(3)
    prim, com = sim.link_pose[:], sim.link_com_pose[:]
    lever = np.array([{link.path: link.com for link in scene.articulations[0].links}[path] for path in sim.link])
    assert np.abs(lever).max() > 0.01
    assert np.array_equal(prim[..., 3:], com[..., 3:])
    assert np.allclose(com[..., :3], prim[..., :3] + rotate(prim[..., 3:], lever), 0, 16 * EPS)
    assert np.allclose(prim, sim.run(steps=0).pose[0, 0], 0, 16 * EPS)


@pytest.mark.parametrize("name", ["f05_branch", "f05_branch_floating"])
def test_links_accelerate_as_in_physx(golden, name):
    """Classical accelerations as recorded; velocities too where the base floats, else as the joints say at the end."""
    recorded = np.load(golden / "links.npz")
    names, unit = [str(n) for n in recorded[f"{name}/link"]], 20
    sim = fajin.Simulation(fajin.read(golden / "scenes" / f"{name}.usda"), device="cpu", threads=1, dt=1 / 60)
    (order,) = sim.indexing.values()
    assert [path.rpartition("/")[2] for path in order.link] == names
    joints = [str(n).partition(":")[0] for n in recorded[f"{name}/dof"]]
    assert [full.partition(":")[0].rpartition("/")[2] for full in order.dof] == joints
    for k in range(20):
        sim.step()
        pose, velocity, acceleration = (recorded[f"{name}/{what}"][k] for what in ("pose", "vel", "acc"))
        bound = unit * EPS32 * (1.0 + np.abs(velocity).max())
        assert np.allclose(sim.link_pose[0, order.links], pose, 0, bound)
        assert np.allclose(sim.link_acceleration[0, order.links], acceleration, 0, 4 * bound / sim.dt)
        omega, alpha = (np.abs(values[:, 3:]).max() for values in (velocity, acceleration))
        error = bound if "floating" in name else bound + sim.dt**2 * omega * (omega**2 + alpha)
        assert np.allclose(sim.link_velocity[0, order.links], velocity, 0, error)


@SEEDS
def test_a_robot_moves_with_its_root(seed):
    """root_pose moves every link rigidly: T X_l = X_l'; joints keep their positions. Odd seeds hang on the world."""
    sim = simulation(random_tree(seed), 2)
    q, before, root = sim.q[:], sim.link_pose[:], sim.root_pose[1, 0]
    turn = np.array((0.1, -0.5, 0.3, 0.8))
    turn /= np.linalg.norm(turn)
    there = np.concatenate([(1.0, 2.0, -3.0), multiply(turn, root[3:])])
    sim.root_pose[1, "tree"] = there
    after = sim.link_pose[:]
    expected = there[:3] + rotate(turn, before[1, :, :3] - root[:3])
    assert np.allclose(after[1, :, :3], expected, 0, 64 * EPS)
    assert np.abs(turned(multiply(turn, before[1, :, 3:]), after[1, :, 3:])).max() < 64 * EPS
    assert np.array_equal(after[0], before[0])
    assert np.array_equal(sim.q, q)


def test_a_root_moves_as_it_is_told():
    """root_velocity is that of the root link; only a floating base has any."""
    sim = simulation(random_tree(1, floating=True), 2)
    sim.root_velocity[1] = np.arange(6.0)
    assert np.array_equal(sim.root_velocity[1, 0], np.arange(6.0))
    assert np.array_equal(sim.link_velocity[1, 0], np.arange(6.0))
    fixed = simulation(arm())
    fixed.root_velocity = 0.0
    with pytest.raises(ValueError, match="root_velocity of /arm: must be 0 because its base is fixed"):
        fixed.root_velocity = 1.0
    with pytest.raises(ValueError, match=r"root_pose\[0, .arm.\] = .*quaternion.*length 1"):
        fixed.root_pose = 0.0


def test_links_follow_joints_that_are_set():
    """Reading needs no step, and a speed that is set moves nothing."""
    sim = simulation(arm(drive=Drive()))
    before = sim.link_pose[:]
    sim.q[:, "shoulder"] = np.pi / 2
    assert np.allclose(sim.link_pose[0, "lower", :3], (0.0, 1.0, 0.0), 0, 8 * EPS)
    sim.q[:, "shoulder"] = 0.0
    sim.qd = 1.0
    assert np.array_equal(sim.link_pose, before)
    assert np.allclose(sim.link_velocity[0, "upper"], (0.0, 0.5, 0.0, 0.0, 0.0, 1.0), 0, 8 * EPS)
