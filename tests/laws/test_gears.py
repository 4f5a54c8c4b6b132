"""Gear joints, and racks and pinions: speeds in ratio, momentum, and angles that do not drift."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene, SolverType

SPIN, INERTIA = 2.0, (3.0, 0.5)  # of the first body [rad/s]; of both about x [kg·m²]
EPS = np.finfo(float).eps


def body(path: str, inertia: float, **motion) -> Articulation:
    """A body on its hinge, or on its slider."""
    tensor = ((inertia, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return Articulation(path, (Link(path, inertia=tensor, angular_damping=0.0, **motion),), (), free=True)


def geared(ratio: float, slides: bool, solver: SolverType) -> fajin.Simulation:
    """Two bodies, one of which turns, and the row between them."""
    bodies = body("/a", INERTIA[0], angular_velocity=(SPIN, 0.0, 0.0)), body("/b", INERTIA[1])
    kind, token = (JointType.PRISMATIC, "transX") if slides else (JointType.REVOLUTE, "rotX")
    gear = Joint("/g", JointType.RACK_AND_PINION if slides else JointType.GEAR, "/a", "/b", gear_ratio=ratio)
    joints = (
        replace(gear, parts=("/h0", "/h1")),
        Joint("/h0", JointType.REVOLUTE, "", "/a", axes=(Axis("rotX"),)),
        Joint("/h1", kind, "", "/b", axes=(Axis(token),)),
    )
    scene = Scene("", bodies, gravity=(0.0, 0.0, 0.0), solver=solver, joints=joints)
    return fajin.Simulation(scene, precision="f64", device="cpu")


@pytest.mark.parametrize("solver", list(SolverType))
@pytest.mark.parametrize("ratio", [-3.0, 0.5])
def test_geared_bodies_turn_in_the_ratio(solver, ratio):
    """ω1 = −ratio ω0, and the impulses keep I0 ω0 − I1 ω1/ratio."""
    sim = geared(ratio, False, solver)
    sim.step(1)
    (first, second), momentum = sim.root_velocity[0, :, 3], INERTIA[0] * SPIN
    assert second == pytest.approx(-ratio * first, rel=1e-9)
    assert first * INERTIA[0] - second * ratio * INERTIA[1] == pytest.approx(momentum, rel=1e-9)


@pytest.mark.parametrize("solver", list(SolverType))
def test_a_rack_does_not_slip_on_its_pinion(solver):
    """ω0 = ratio v1, and so the angle is the ratio of the way, over turns."""
    ratio = 4.0
    sim = geared(ratio, True, solver)
    sim.step(1)
    assert sim.root_velocity[0, 0, 3] == pytest.approx(ratio * sim.root_velocity[0, 1, 0], rel=1e-9)
    first, turns = sim.link_pose[0, 1, 0], sim.root_velocity[0, 0, 3] * 299 / 60.0 / (2.0 * np.pi)
    sim.step(299)
    assert turns > 1.0
    way, (x, _, _, w) = sim.link_pose[0, 1, 0] - first, sim.link_pose[0, 0, 3:]
    slip = (2.0 * np.arctan2(x, w) - ratio * way + np.pi) % (2.0 * np.pi) - np.pi
    assert abs(slip) <= SPIN / 60.0  # of the first step, in which the pinion had turned before the row held it


ACROSS = (0.0, -(0.5**0.5), 0.0, 0.5**0.5)  # turns x to z


def rack_beside(side: float, begins: float, spin: float, solver: SolverType) -> fajin.Simulation:
    """A rack along z whose slider lies at `side` along y from the hinge, and begins at `begins` of its way."""
    bodies = body("/a", INERTIA[0], angular_velocity=(spin, 0.0, 0.0)), body("/b", INERTIA[1])
    along = ((0.0, side, 0.0), ACROSS)
    joints = (
        Joint("/g", JointType.RACK_AND_PINION, "/a", "/b", frame1=along, gear_ratio=RATIO, parts=("/h0", "/h1")),
        Joint("/h0", JointType.REVOLUTE, "", "/a", axes=(Axis("rotX"),)),
        Joint("/h1", JointType.PRISMATIC, "", "/b", ((0.0, side, -begins), ACROSS), along, axes=(Axis("transX"),)),
    )
    scene = Scene("", bodies, gravity=(0.0, 0.0, 0.0), solver=solver, joints=joints)
    return fajin.Simulation(scene, precision="f64", device="cpu")


RATIO = 4.0  # [rad/m]


@pytest.mark.parametrize("solver", list(SolverType))
@pytest.mark.parametrize("side", [0.3, -0.3])
def test_racks_on_both_sides_of_a_pinion_move_in_opposite_directions(solver, side):
    """ω0 = σ ratio v1, σ the side."""
    sim = rack_beside(side, 0.0, SPIN, solver)
    sim.step(1)
    along = np.sign(side) * RATIO * sim.root_velocity[0, 1, 2]
    assert sim.root_velocity[0, 0, 3] == pytest.approx(along, rel=1e-9)


@pytest.mark.parametrize("side", [0.3, -0.3])
def test_a_rack_that_does_not_begin_at_zero_is_moved_there(side):
    """The angle becomes σ ratio p1, p1 the way from the slider's zero, by impulses that keep I0 ω0 + σ v1/ratio."""
    begins = 0.05
    sim = rack_beside(side, begins, 0.0, SolverType.TGS)
    sim.step(200)
    (x, _, _, w), way = sim.link_pose[0, 0, 3:], begins / (1.0 + INERTIA[0] * RATIO**2)  # of a rack of 1 kg
    assert begins + sim.link_pose[0, 1, 2] == pytest.approx(way, rel=1e-6)
    assert 2.0 * np.arctan2(x, w) == pytest.approx(np.sign(side) * RATIO * way, rel=1e-6)
