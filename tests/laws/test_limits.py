"""What bounds a joint: position limits, friction, speed limit. Closed forms, soft rows included.

`LEAK` = cfm/(r + cfm) is the share of a speed error that one visit of a slider's row leaves; a wheel's rows leave none.
"""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from one_joint import FREE, simulate, slider, wheel
from one_joint import SLIDER_LEAK as LEAK

import fajin
from fajin.scene import Articulation, Axis, Friction, Joint, JointType, Link, SolverType

EPS = np.finfo(np.float64).eps
H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
ITERATIONS = pytest.mark.parametrize("iterations", [1, 4, 16])
MACHINES = pytest.mark.parametrize("machine", [slider, wheel])
SIDES = pytest.mark.parametrize("side", [1.0, -1.0], ids=["upper", "lower"])


def start(machine, solver: SolverType, iterations: int = 4, velocity_iterations: int = 0) -> fajin.Simulation:
    """The machine with so many iterations; PGS makes one velocity iteration at least."""
    machine = replace(machine, position_iterations=iterations, velocity_iterations=velocity_iterations)
    return simulate(machine, solver=solver, dt=H)


def leak(machine, visits: int) -> float:
    """Share of a speed error that so many visits of a row leave."""
    return LEAK**visits if machine is slider else 0.0


@SOLVERS
@ITERATIONS
@MACHINES
@SIDES
@pytest.mark.parametrize("speed", [10.0, 10.5, 19.0])
def test_a_limit_is_reached_exactly(machine, solver, iterations, side, speed):
    """A gap that would close within δ closes to round-off of δ v; of v δ - gap a soft row leaves its leak.

    The gap of 0.1 is wider than δ v under TGS, so a later substep meets it.
    """
    gap = 0.1
    sim = start(machine(lower=-gap, upper=gap, qd=side * speed), solver, iterations)
    substeps = iterations if solver == SolverType.TGS else 1
    visits = 1 if solver == SolverType.TGS else iterations
    sim.step(1)
    past = side * sim.q[0, 0] - gap
    excess = speed * H - gap
    assert past <= leak(machine, visits) * speed * H / substeps + EPS * 4 * speed * H * substeps
    if substeps == 1:
        assert abs(past - leak(machine, visits) * excess) <= 4 * EPS * speed * H


@SOLVERS
@SIDES
def test_a_limit_stays_reached_and_lets_go_freely(solver, side):
    """Pressed against its limit a joint rests there; pulled away it moves as if there were none."""
    effort, limit = 3.0, 0.05
    sim = start(wheel(lower=-limit, upper=limit), solver)
    sim.effort = side * effort
    sim.step(100)
    settled = EPS * 100 * limit
    assert abs(sim.q[0, 0] - side * limit) <= settled
    assert abs(sim.qd[0, 0]) <= settled / H
    sim.effort = -side * effort
    sim.step(1)
    assert abs(sim.qd[0, 0] + side * effort * H) <= settled / H


@SOLVERS
@ITERATIONS
@MACHINES
@SIDES
def test_a_violated_limit_comes_back_by_its_bias(machine, solver, iterations, side):
    """Violation ← (1 - b) violation: b = 0.8 a step under PGS, min(0.9, 2/√n) a substep under TGS.

    A soft row has its fixed point after many visits, and makes s b of b in its first.
    """
    limit, violation = 0.2, 0.1
    sim = start(machine(lower=-limit, upper=limit, q=side * (limit + violation)), solver, iterations)
    sim.step(1)
    left = (side * sim.q[0, 0] - limit) / violation
    if solver == SolverType.PGS:
        assert abs(left - (1.0 - 0.8 * (1.0 - leak(machine, iterations)))) <= 8 * EPS * (limit + violation) / violation
    else:
        bias, speed, gap = min(0.9, 2.0 / sqrt(iterations)), 0.0, 1.0
        for _ in range(iterations):
            speed += (1.0 - leak(machine, 1)) * (-bias * max(gap, 0.0) - speed)
            gap += speed
        assert abs(left - gap) <= 8 * EPS * iterations * (limit + violation) / violation


@SOLVERS
@SIDES
def test_a_limit_that_came_back_does_not_bounce(solver, side):
    """The speed that a bias gives is taken back by the velocity iterations."""
    sim = start(wheel(lower=-0.2, upper=0.2, q=side * 0.3), solver, velocity_iterations=1)
    sim.step(1)
    assert abs(sim.q[0, 0]) < 0.3
    assert abs(sim.qd[0, 0]) <= 8 * EPS * 0.1 / H


@pytest.mark.parametrize("limits", [{"lower": -0.1}, {"upper": 0.1}, {}], ids=["lower", "upper", "none"])
def test_a_joint_is_limited_on_both_sides_or_not_at_all(limits):
    """As in PhysX, a joint with one limit moves freely."""
    sim = start(slider(qd=1.0, **limits), SolverType.PGS)
    sim.step(100)
    assert abs(sim.q[0, 0] - 100 * H) <= EPS * 100


@SOLVERS
@MACHINES
@pytest.mark.parametrize("effort", [0.5, 0.999, -0.999])
def test_friction_holds_below_the_static_effort(machine, solver, effort):
    """Q̇ = 0; a soft row creeps, under TGS by leak/(1 - leak) τ δ / m."""
    friction = Friction(static=1.0, dynamic=0.6, viscous=0.2)
    iterations = 16 if solver == SolverType.PGS else 4
    sim = start(machine(friction=friction), solver, iterations)
    sim.effort = effort
    sim.step(100)
    creep = leak(machine, 1) / (1.0 - leak(machine, 1)) * effort * H / 4 if solver == SolverType.TGS else 0.0
    assert abs(sim.qd[0, 0] - creep) <= EPS * 100 * H
    assert abs(sim.q[0, 0] - 100 * H * creep) <= H * abs(creep) + EPS * 100 * H


@SOLVERS
@pytest.mark.parametrize("effort", [1.001, 2.0, -2.0])
def test_friction_slips_above_the_static_effort(solver, effort):
    """M q̇ = (τ - dynamic) t without viscous friction."""
    sim = start(wheel(2.0, friction=Friction(static=1.0, dynamic=0.6)), solver)
    sim.effort = effort
    sim.step(100)
    assert abs(sim.qd[0, 0] - np.sign(effort) * (abs(effort) - 0.6) / 2.0 * 100 * H) <= EPS * 400 * abs(effort)


@SOLVERS
def test_a_sliding_joint_stops_and_stays(solver):
    """It stops after m v / dynamic seconds, and stays where it is."""
    sim = start(wheel(qd=1.0, friction=Friction(static=1.0, dynamic=0.5)), solver)
    sim.step(150)
    speed = 1.0 - 0.5 * 150 * H
    assert abs(sim.qd[0, 0] - speed) <= EPS * 600
    sim.step(100)
    assert sim.qd[0, 0] == 0.0
    where = sim.q[0, 0]
    sim.step(10)
    assert sim.q[0, 0] == where


@SOLVERS
def test_viscous_friction_ends_at_its_terminal_speed(solver):
    """Q̇ = (τ - dynamic)/viscous; under TGS friction looks at the speed before it acts, τ δ / m ahead."""
    friction, effort = Friction(static=0.5, dynamic=0.5, viscous=4.0), 3.0
    iterations = 16 if solver == SolverType.PGS else 4
    sim = start(wheel(friction=friction), solver, iterations)
    sim.effort = effort
    steps = 1200
    sim.step(steps)
    terminal = (effort - friction.dynamic) / friction.viscous
    if solver == SolverType.TGS:
        terminal -= effort * H / iterations
    unsettled = (1.0 + friction.viscous * H) ** -steps + (friction.viscous * H) ** iterations * (
        solver == SolverType.PGS
    )
    assert abs(sim.qd[0, 0] - terminal) <= terminal * (unsettled + EPS * steps * iterations)


@SOLVERS
@MACHINES
@pytest.mark.parametrize("speed", [7.0, -7.0])
def test_a_joint_is_held_to_its_speed_limit(machine, solver, speed):
    """|q̇| ← max_velocity at every visit, but for the leak; a speed below is left alone."""
    limit = 2.0
    sim = start(machine(qd=speed), solver, iterations=2)
    sim.max_velocity = limit  # a revolute joint's is also bound before the step
    if machine is wheel:
        expected = limit
    else:
        visits = 3 if solver == SolverType.PGS else 2
        expected = limit + leak(machine, visits) * (abs(speed) - limit)
    sim.step()
    assert abs(sim.qd[0, 0] - np.sign(speed) * expected) <= 8 * EPS * abs(speed)
    slow = start(machine(qd=1.9, max_velocity=limit), solver)
    slow.step()
    assert slow.qd[0, 0] == 1.9


@MACHINES
def test_an_effort_cannot_lift_a_speed_above_its_limit(machine):
    """Under TGS: q̇ - max_velocity = leak/(1 - leak) τ δ / m at rest of the two."""
    limit, effort, iterations = 2.0, 300.0, 4
    sim = start(machine(max_velocity=limit), SolverType.TGS, iterations)
    sim.effort = effort
    sim.step(100)
    over = leak(machine, 1) / (1.0 - leak(machine, 1)) * effort * H / iterations
    assert abs(sim.qd[0, 0] - limit - over) <= EPS * 400 * limit


@SOLVERS
def test_a_fast_revolute_joint_slows_all_joints_alike(solver):
    """Before a step all speeds of an articulation shrink by one ratio, so that none is above its limit."""
    links = Link("/m/base"), Link("/m/a", **FREE), Link("/m/b", **FREE)
    joints = tuple(
        Joint(f"/m/j{x}", JointType.REVOLUTE, "/m/base", f"/m/{x}", axes=(Axis("rotZ", qd=qd, max_velocity=limit),))
        for x, qd, limit in (("a", 8.0, 2.0), ("b", 3.0, np.inf))
    )
    sim = start(Articulation("/m", links, joints, fixed_base=True), solver)
    sim.step()
    assert np.allclose(sim.qd[0], (2.0, 0.75), 0, 8 * EPS)
