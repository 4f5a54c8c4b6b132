"""The worked examples of PhysX's guide to articulations, with its own numbers."""

from math import cos, pi

import numpy as np
import pytest
from one_joint import FREE

import fajin
from fajin import dynamics
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene

MASS, LENGTH, GRAVITY = 1.0, 1.0, 10.0  # [kg], [m] from the pivot to the centre of mass, [m/s²]
AT_COM = MASS * LENGTH**2 / 3.0
AT_PIVOT = AT_COM + MASS * LENGTH**2
EXACT = pytest.approx


def pendulum(q: float, up: bool = True) -> fajin.Simulation:
    """A link on a hinge about z; at q = 0 it points along +y (up) or −y, gravity along −y."""
    return arm((Axis("rotZ", q=q),), 1.0 if up else -1.0)


def arm(axes: tuple[Axis, ...], up: float = 1.0) -> fajin.Simulation:
    """Such links in a row."""
    moment = tuple(map(tuple, (AT_COM * np.eye(3)).tolist()))
    links = [Link("/arm/base")]
    joints = []
    for i, axis in enumerate(axes):
        links.append(Link(f"/arm/link{i}", mass=MASS, com=(0.0, up * LENGTH, 0.0), inertia=moment, **FREE))
        end = (0.0, up * 2.0 * LENGTH * (i > 0), 0.0), (0.0, 0.0, 0.0, 1.0)
        joint = Joint(f"/arm/joint{i}", JointType.REVOLUTE, links[-2].path, links[-1].path, frame0=end, axes=(axis,))
        joints.append(joint)
    robot = Articulation("/arm", tuple(links), tuple(joints), fixed_base=True)
    scene = Scene("guide", (robot,), gravity=(0.0, -GRAVITY, 0.0))
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


def test_holding_torque_of_a_pendulum():
    """10 N·m hold it level, and after a step with it the speed is zero."""
    sim = pendulum(pi / 2, up=False)
    torque = dynamics.gravity_compensation(sim)
    assert torque == EXACT(np.array([[10.0]]))
    sim.effort = torque
    sim.step()
    assert sim.qd[0, 0] == EXACT(0.0, abs=1e-12)


def test_torques_that_keep_a_double_pendulum_turning():
    """The first link turns at 1 rad/s with the second across it: both speeds stay, once gravity is held, too."""
    sim = arm((Axis("rotZ", qd=1.0), Axis("rotZ", q=pi / 2)))
    centrifugal = dynamics.coriolis_compensation(sim)
    assert centrifugal[0, 1] == EXACT(MASS * 2.0 * LENGTH * LENGTH)  # at the first joint's radius, at this lever
    sim.effort = centrifugal + dynamics.gravity_compensation(sim)
    sim.step()
    assert sim.qd[0] == EXACT(np.array([1.0, 0.0]), abs=1e-12)


def test_counter_torque_of_an_external_force():
    """cos(q) · lever · force − torque."""
    sim = pendulum(pi / 4)
    force = np.zeros((1, 2, 6))
    force[0, dynamics.links(sim).index("/arm/link0")] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    found = dynamics.generalized_external_force(sim, force=force)
    assert found == EXACT(np.array([[cos(pi / 4) * LENGTH * 1.0 - 1.0]]))


def test_accelerations_of_a_pendulum():
    """Gravity gives 7.5 rad/s², and the opposite torque takes it away."""
    sim = pendulum(pi / 2)
    torque = GRAVITY * MASS * LENGTH
    free = dynamics.joint_acceleration(sim, effort=np.array([[0.0]]))
    assert free == EXACT(np.array([[torque / AT_PIVOT]]))
    assert torque / AT_PIVOT == EXACT(7.5)
    assert dynamics.joint_acceleration(sim, effort=np.array([[-torque]])) == EXACT(np.zeros((1, 1)), abs=1e-14)


@pytest.mark.parametrize("physx", [False, True])
def test_torque_of_an_acceleration(physx):
    """1 rad/s² takes the inertia about the pivot."""
    found = dynamics.joint_force(pendulum(0.3), qdd=np.array([[1.0]]), physx=physx)
    assert found == EXACT(np.array([[AT_PIVOT]]))


def test_jacobian_of_a_pendulum():
    """Six rows for its one moving link: vy = −lever, ωz = 1, nothing else."""
    found = dynamics.jacobian(pendulum(pi / 2))
    assert found.shape == (1, 6, 1)
    assert found[0, :, 0] == EXACT(np.array([0.0, -LENGTH, 0.0, 0.0, 0.0, 1.0]), abs=1e-15)
