"""Mimic joints that fight each other or a speed limit stay healthy: energy does not grow, errors end, limits hold."""

from dataclasses import replace

import numpy as np
import pytest
from mimic_joints import LENGTH, SOLVERS, SPEED, STIFFNESS, TARGET, TURN, H, body, errors, finger, follow, simulate

from fajin.scene import Articulation, Axis, Drive, Link, SolverType

GEARINGS = (1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.0)


@SOLVERS
@pytest.mark.parametrize(("n", "velocity"), [(1, 0), (2, 0), (4, 0), (4, 1), (32, 1)])
@pytest.mark.parametrize("max_velocity", [np.inf, 1.0])
def test_one_master_leads_seven_followers(solver, n, velocity, max_velocity):
    """All arrive on C = 0, move as fast as they say and come to rest, also if one may not be as fast as the others."""
    lead = Axis("rotZ", -2.0, 2.0, drive=Drive(stiffness=100.0, damping=10.0, target_q=0.8))
    axes = [Axis("rotZ", -2.0, 2.0, mimic=follow(gearing, reference="/m/j0:rotZ")) for gearing in GEARINGS]
    axes[0] = replace(axes[0], max_velocity=max_velocity)
    parts = [body(0, TURN, 0.1, lead), *(body(i, TURN, 0.05 * i, axis) for i, axis in enumerate(axes, 1))]
    bodies, joints = zip(*parts, strict=True)
    hand = Articulation("/m", (Link("/m/base"), *bodies), joints, fixed_base=True)
    recording = (sim := simulate(hand, solver, n, velocity)).run(seconds=5.0)
    c = np.array([errors(sim, q) for q in recording.q[:, 0]])
    assert c.shape == (501, 7)
    substep = H / n if solver == SolverType.TGS else H
    within = 8 * substep * 2.0 * np.abs(recording.qd[:, 0, 0]).max()  # seven rows pull on the lead, one after the other
    assert np.abs(c).max() < within
    assert np.abs(c[-1]).max() < 1e-4
    assert np.abs(recording.qd[-1, 0]).max() < 1e-2
    assert np.abs(recording.q[-1, 0] - 0.8 * np.array((1.0, *np.negative(GEARINGS)))).max() < 2e-3
    travelled = sim.dt * recording.qd[1:, 0].sum(0)
    assert np.abs(travelled - recording.q[-1, 0]).max() < within
    assert np.abs(recording.qd[:, 0, 1]).max() <= 1.01 * max_velocity


def energy(q: np.ndarray, qd: np.ndarray, masses: tuple[float, ...]) -> np.ndarray:
    """Of the rods' motion and the drive's spring, (T,) [J]."""
    angle, spin = np.cumsum(q, 1), np.cumsum(qd, 1)
    tip, total = np.zeros((len(q), 2)), STIFFNESS * (q[:, 0] - TARGET) ** 2 / 2
    for i, mass in enumerate(masses):
        along = LENGTH * spin[:, i, None] * np.stack([-np.sin(angle[:, i]), np.cos(angle[:, i])], -1)
        moving = tip + along / 2
        total = total + mass * ((moving**2).sum(1) / 2 + (LENGTH * spin[:, i]) ** 2 / 24)
        tip = tip + along
    return total


@SOLVERS
@pytest.mark.parametrize(("n", "velocity"), [(4, 1), (4, 0), (16, 1)])
@pytest.mark.parametrize("first_limit", [SPEED, np.inf])
@pytest.mark.parametrize("masses", [(0.1, 0.1), (0.1, 1.0), (1.0, 0.1), (0.1, 0.1, 0.1)])
def test_a_finger_bends_however_slow_its_followers(masses, first_limit, n, velocity, solver):
    """No speed of the tip above its limit, q = q* in the end, and no energy but the spring's and what is lost again.

    With limits on all axes most of these gain energy in PhysX without end. Without one on the first, a single follower
    cannot run away: PhysX gains five times the spring's energy, loses it and arrives, and so does this.
    """
    sim = simulate(finger(masses, first_limit), solver, n, velocity, dt=1 / 120)
    recording = sim.run(seconds=4.0)
    c = np.array([errors(sim, q) for q in recording.q[:, 0]])
    total = energy(recording.q[:, 0], recording.qd[:, 0], masses)
    gain = 1.5 if first_limit == SPEED or len(masses) > 2 else 6.0
    assert total.max() <= total[0] * gain
    assert total[-1] <= total[0] * 1e-9
    assert np.abs(recording.qd[:, 0, -1]).max() <= SPEED * (1.0 + 0.01)
    assert np.abs(c).max() < (2.0 if gain < 2.0 else 4.0) * TARGET
    assert np.abs(c[-1]).max() < 1e-6
    assert np.abs(recording.q[-1, 0] - TARGET).max() < 1e-5
