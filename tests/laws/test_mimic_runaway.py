"""Mimic joints ask for whatever mends their error, and for less only where speed limits made the error run away."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from mimic_joints import EPS, SLIDE, SOLVERS, SPEED, H, errors, finger, follow, pair, simulate

import fajin
from fajin.scene import Articulation, Scene, SolverType


def limited(machine: Articulation, max_velocity: float) -> Articulation:
    """The pair with a speed limit on its follower."""
    first, second = machine.joints
    slow = replace(first, axes=(replace(first.axes[0], max_velocity=max_velocity),))
    return replace(machine, joints=(slow, second))


@SOLVERS
@pytest.mark.parametrize("max_velocity", [10.0, 0.5, 0.01])
def test_a_limit_takes_nothing_from_the_other_axis(max_velocity, solver):
    """W_AB = 0: B gets G λ/m_B of the whole error, A what its limit leaves, also at a thousand times the limit."""
    masses, gearing, start = (2.0, 0.5), -1.7, 0.3
    sim = simulate(limited(pair(follow(gearing), masses, (SLIDE, SLIDE), q=(start, 0.0)), max_velocity), solver)
    share = 0.8 if solver == SolverType.PGS else min(0.9, 2.0 / sqrt(1))
    sim.step()
    impulse = -share * start / H / (1.0 / masses[0] + gearing**2 / masses[1])
    moved = dict(zip(sim.dof, sim.q[0], strict=True))
    other = next(name for name in moved if "j1" in name)
    assert abs(moved[other] - H * gearing * impulse / masses[1]) <= 16 * EPS


def runaway(sim) -> float:
    """The number that the state keeps of the only mimic joint."""
    return float(sim.save().rows["RUNAWAY"][0, 0])


def rods(worlds: int = 1, precision: str = "f64") -> fajin.Simulation:
    """Two rods whose error runs away in PhysX."""
    machine = replace(finger((0.1, 0.1), SPEED), position_iterations=4, velocity_iterations=1)
    scene = Scene("machine", (machine,), (0.0, 0.0, 0.0), 1 / 120, SolverType.TGS)
    return fajin.Simulation(scene, worlds=worlds, device="cpu", precision=precision)


def test_an_error_that_runs_away_is_caught_and_let_go():
    """s grows while an axis is beyond its limit, stays until the error is small, and is 0 in the end."""
    sim, course, size = rods(), [], []
    for _ in range(480):
        sim.step()
        course.append(runaway(sim))
        size.append(abs(errors(sim)[0]))
    course = np.array(course)
    caught = np.flatnonzero(course == course.max())
    assert 0 < course[caught[0] - 1] < course.max()
    assert course[caught[-1] + 1] < course.max()
    assert course[-1] == 0.0
    assert size[-1] < 1e-6


def test_what_ran_away_goes_on_from_a_snapshot():
    """To the bit, from a step at which the error runs away."""
    sim = rods()
    while not runaway(sim):
        sim.step()
    sim.step(2)
    kept, other = sim.save(), rods()
    other.load(kept)
    for each in (sim, other):
        each.step(100)
    np.testing.assert_array_equal(other.q[0], sim.q[0])
    np.testing.assert_array_equal(other.qd[0], sim.qd[0])
    assert runaway(sim) == runaway(other)


def test_worlds_run_away_each_alone():
    """Each as in a batch of its own, to the bit, whatever the others beside it do."""
    many = rods(5, "f32")
    q, target = many.q, many.target_q
    q[1, 1], q[2, 1], target[3, 0], target[4, 0] = 0.01, 0.3, 0.05, 0.4
    many.q, many.target_q = q, target
    start = many.save()
    many.step(240)
    seen = set()
    for world in range(5):
        alone = rods(1, "f32")
        alone.load(start[[world]])
        alone.step(240)
        np.testing.assert_array_equal(alone.q[0], many.q[world])
        np.testing.assert_array_equal(alone.qd[0], many.qd[world])
        seen.add(tuple(many.q[world]))
    assert len(seen) == 5
