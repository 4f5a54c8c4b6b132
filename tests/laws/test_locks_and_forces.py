"""Locked axes of free bodies, and forces that the scene authors."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.scene import Articulation, ExternalForce, Link, Scene, SolverType

INERTIA = ((0.3, 0.05, 0.0), (0.05, 0.2, 0.02), (0.0, 0.02, 0.4))
EPS = np.finfo(float).eps


def flight(link: Link, solver: SolverType = SolverType.TGS, steps: int = 20, **changes) -> fajin.Simulation:
    """A free body that flew some steps."""
    scene = Scene("", (Articulation("/b", (link,), (), free=True),), solver=solver, **changes)
    sim = fajin.Simulation(scene, precision="f64", device="cpu")
    sim.step(steps)
    return sim


def body(**changes) -> Link:
    """A body without drag that turns and flies."""
    calm = {"angular_damping": 0.0, "velocity": (1.0, 2.0, 3.0), "angular_velocity": (0.5, 0.7, 0.9)}
    return Link("/b", mass=2.0, inertia=INERTIA, **calm | changes)


@pytest.mark.parametrize("solver", list(SolverType))
@pytest.mark.parametrize("axis", range(3))
def test_a_body_does_not_move_along_a_locked_axis(solver, axis):
    """Neither by its velocity nor by gravity or a force; along the other axes it moves as if it were not locked."""
    pushed = body(external_force=ExternalForce((3.0, 4.0, 5.0)))
    locked, free = flight(replace(pushed, locked_axes=1 << axis), solver), flight(pushed, solver)
    others = [i for i in range(3) if i != axis]
    assert locked.link_pose[0, 0, axis] == 0.0
    assert np.array_equal(locked.link_pose[0, 0, others], free.link_pose[0, 0, others])


def test_locked_rotations_cut_the_momentum_in_halves_of_the_inertia():
    """I^½ ω has no component along a locked axis; an upright body therefore does not turn about it."""
    h, spin = 1.0 / 60.0, np.array((0.5, 0.7, 0.9))
    link = body(locked_axes=8, gyroscopic=False)
    values, axes = np.linalg.eigh(INERTIA)
    root = axes @ np.diag(np.sqrt(values)) @ axes.T
    start = spin * (0.0, 1.0, 1.0)
    expected = np.linalg.solve(root, root @ start * (0.0, 1.0, 1.0))
    np.testing.assert_allclose(flight(link, steps=1).root_velocity[0, 0, 3:], expected, rtol=100 * EPS, atol=100 * EPS)
    assert abs(expected[0]) > h * spin[0]


@pytest.mark.parametrize("mass", [0.5, 8.0])
def test_an_acceleration_does_not_depend_on_mass_and_inertia(mass):
    """v = (a + g) t and, about one axis of a body that turns slowly, ω = α t."""
    force = ExternalForce((1.0, 0.0, 2.0), (0.0, 0.0, 0.3), acceleration=True)
    link = Link("/b", mass=mass, angular_damping=0.0, external_force=force)
    velocity = flight(link, steps=30).root_velocity[0, 0]
    expected = np.array((1.0, 0.0, 2.0 - 9.81, 0.0, 0.0, 0.3)) * 0.5
    np.testing.assert_allclose(velocity, expected, rtol=1e4 * EPS, atol=1e4 * EPS)


def test_a_force_in_the_world_frame_has_a_lever():
    """F at r gives ω = I⁻¹ (r × F) h in the first step."""
    force = ExternalForce((0.0, 3.0, 2.0), (0.1, 0.0, 0.0), (0.2, 0.1, 0.0))
    link = Link("/b", mass=2.0, inertia=INERTIA, angular_damping=0.0, gyroscopic=False, external_force=force)
    torque = np.cross((0.2, 0.1, 0.0), (0.0, 3.0, 2.0)) + np.array((0.1, 0.0, 0.0))
    expected = np.linalg.solve(INERTIA, torque) / 60.0
    sim = flight(link, SolverType.PGS, steps=1)
    np.testing.assert_allclose(sim.root_velocity[0, 0, 3:], expected, rtol=1e3 * EPS)
