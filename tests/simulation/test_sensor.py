"""Force sensors in links: what a joint transmits, seen from a frame of one's own; its part of forces and of rows."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import FREE
from planar_arm import simulation
from random_tree import edited, random_tree

import fajin
from fajin.quaternion import conjugate, rotate
from fajin.scene import Articulation, Axis, Drive, Joint, JointType, Link, Scene, SolverType

EPS = float(np.finfo(np.float64).eps)
TURN = np.array((0.1, -0.5, 0.7, 0.5)) / np.linalg.norm((0.1, -0.5, 0.7, 0.5))
PLACE = (0.2, -0.1, 0.3)
G = 9.81


def held(worlds: int = 1) -> fajin.Simulation:
    """A bar of 2 kg, its centre of mass 0.4 m out, on a hinge about y that a stiff drive holds level; x is along it."""
    drive = Drive(stiffness=1e9, damping=1e5)
    hinge = Joint("/r/hinge", JointType.REVOLUTE, "/r/base", "/r/bar", axis="Y", axes=(Axis("rotY", drive=drive),))
    bar = Link("/r/bar", mass=2.0, com=(0.4, 0.0, 0.0), **FREE)
    robot = Articulation("/r", (Link("/r/base"), bar), (hinge,), fixed_base=True)
    scene = Scene("held", (robot,), (0.0, 0.0, -G), solver=SolverType.PGS)
    return simulation(scene, worlds)


@pytest.fixture(scope="module")
def level() -> fajin.Simulation:
    """The bar after it has come to rest."""
    sim = held(3)
    sim.step(400)
    assert np.abs(sim.qdd[:]).max() < 1e-6
    return sim


def test_a_sensor_carries_the_weight_behind_it(level):
    """F = m g, and about a point x out its moment −m g (0.4 − x) about y."""
    for x in (0.0, 0.4, 1.0):
        read = fajin.Sensor(level, "bar", (x, 0.0, 0.0)).read()
        assert read.shape == (3, 6)
        assert np.allclose(read, (0.0, 0.0, 2 * G, 0.0, -2 * G * (0.4 - x), 0.0), 0, 1e-6)


def test_a_sensor_at_the_joint_reads_what_the_joint_transmits(level):
    """In the frame of the joint the two are one."""
    at_joint = fajin.Sensor(level, "/r/bar").read()
    assert np.allclose(at_joint, level.link_incoming_force[:, "bar"], 0, 64 * EPS * 2 * G)


def moving(seed: int) -> fajin.Simulation:
    """A random tree on drives, two steps on its way."""
    drive = Drive(stiffness=20.0, damping=1.0, target_q=0.3)
    tree = edited(random_tree(seed, floating=seed % 2 == 1), axes=lambda axis: replace(axis, drive=drive))
    return simulation(replace(tree, solver=SolverType(seed // 2 % 2)), 2)


@pytest.mark.parametrize("seed", range(4))
def test_another_pose_turns_force_and_torque_and_moves_the_torque(seed):
    """F' = Rᵀ F, T' = Rᵀ (T − r × F); world axes turn it back by the link's orientation."""
    sim = moving(seed)
    plain, posed = fajin.Sensor(sim, -1), fajin.Sensor(sim, -1, PLACE, TURN)
    world = fajin.Sensor(sim, -1, PLACE, TURN, world_axes=True)
    sim.step(2)
    force, torque = np.split(plain.read(), 2, axis=1)
    expected = np.concatenate([force, torque - np.cross(PLACE, force)], 1).reshape(2, 2, 3)
    size = 64 * EPS * np.abs(expected).max()
    assert np.allclose(posed.read().reshape(2, 2, 3), rotate(conjugate(TURN), expected), 0, size)
    turned = sim.link_pose[:, -1, None, 3:]
    assert np.allclose(world.read().reshape(2, 2, 3), rotate(turned, expected), 0, size)
    assert np.array_equal(posed.read([1]), posed.read()[1:])


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_of_forces_and_rows_add_up(seed):
    """That of forces is what a robot without any row reads in the same state; that of rows is the rest."""
    sim, limp = moving(seed), moving(seed)
    limp.stiffness = limp.damping = 0.0
    for robot in (sim, limp):
        robot.effort = np.random.default_rng(seed).normal(size=len(robot.dof))
    whole = fajin.Sensor(sim, -1, PLACE, TURN, world_axes=True)
    forces = fajin.Sensor(sim, -1, PLACE, TURN, constraint_solver=False, world_axes=True)
    rows = fajin.Sensor(sim, -1, PLACE, TURN, forward_dynamics=False, world_axes=True)
    free = fajin.Sensor(limp, -1, PLACE, TURN, world_axes=True)
    sim.dt = limp.dt = 1e-9  # so that the link, in which the sensor sits, is in one place in both
    sim.step()
    limp.step()
    size = np.abs(whole.read()).max() + np.abs(free.read()).max()
    assert np.abs(rows.read()).max() > 0.1
    assert np.allclose(forces.read() + rows.read(), whole.read(), 0, 64 * EPS * size)
    assert np.allclose(forces.read(), free.read(), 0, 1e-6 * size)


def test_the_root_has_no_parent():
    """Nothing is transmitted to it."""
    sim = moving(1)
    sim.step()
    assert (fajin.Sensor(sim, 0).read() == 0.0).all()


def test_what_a_sensor_cannot_be_is_refused(level):
    """Each in one line that says what is expected."""
    with pytest.raises(KeyError, match="no link 'arm'; did you mean 'bar'"):
        fajin.Sensor(level, "arm")
    with pytest.raises(ValueError, match=r"orientation = .*must be a quaternion"):
        fajin.Sensor(level, "bar", orientation=(0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"position = .*must be three numbers"):
        fajin.Sensor(level, "bar", (0.0, 1.0))
    with pytest.raises(ValueError, match="keep one of them"):
        fajin.Sensor(level, "bar", forward_dynamics=False, constraint_solver=False)
    late = fajin.Sensor(level, "bar", forward_dynamics=False)
    with pytest.raises(ValueError, match="must be created before the step"):
        late.read()
