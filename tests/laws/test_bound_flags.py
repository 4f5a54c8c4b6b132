"""Which bounds a joint is at: saturated, at a limit, on the edge of its envelope."""

import numpy as np
import pytest
from one_joint import simulate, slider
from planar_arm import arm, simulation

import fajin
from fajin.scene import Drive, Envelope, SolverType

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)


def history(sim, name: str, steps: int) -> np.ndarray:
    """The flag and what tells it, after each step: flag, q, q̇, effort."""
    told = []
    for _ in range(steps):
        sim.step()
        told.append((sim.read(name)[0, 0], sim.q[0, 0], sim.qd[0, 0], sim.applied_effort[0, 0]))
    return np.array(told)


@SOLVERS
def test_a_drive_is_saturated_while_it_wants_more_than_it_may_give(solver):
    """Far from its target it gives ±max_force, to the bit or nearly; near it, less."""
    drive = Drive(stiffness=400.0, damping=60.0, max_force=3.0, target_q=0.5)
    sim = simulate(slider(1.0, drive=drive), solver=solver)
    told = history(sim, "saturated", 400)
    assert told[0, 0] == 1.0
    assert {-1.0, 0.0, 1.0} == set(told[:, 0])
    assert told[-1, 0] == 0.0
    full = told[:, 0] != 0.0
    assert np.allclose(told[full, 3], 3.0 * told[full, 0], 1e-9)
    assert (np.abs(told[~full, 3]) < 3.0).all()


def test_no_bound_is_never_reached():
    """Neither a drive without a bound nor a joint without a drive is saturated."""
    sim = simulation(arm(drive=Drive(stiffness=1e6, target_q=1.0)))
    bare = simulation(arm())
    bare.effort = 5.0
    for each in (sim, bare):
        each.step()
        assert (each.saturated[:] == 0.0).all()


@SOLVERS
def test_a_joint_is_at_a_limit_that_pushes_it(solver):
    """1 at the upper, -1 at the lower, 0 between them."""
    sim = simulate(slider(1.0, lower=-0.1, upper=0.2), solver=solver)
    sim.effort = 4.0
    up = history(sim, "at_limit", 60)
    sim.effort = -4.0
    down = history(sim, "at_limit", 90)
    assert (up[0, 0], up[-1, 0], down[-1, 0]) == (0.0, 1.0, -1.0)
    assert (np.abs(up[up[:, 0] > 0.0, 1] - 0.2) < 1e-3).all()
    assert (down[down[:, 0] == 0.0, 1] < 0.2).any()
    assert sim.at_limit.shape == (1, 1)


def test_a_limit_that_pushes_is_met_wherever_the_joint_ends(robots):
    """In a body of many joints the last rows of a step may leave a joint short of the limit that stopped it."""
    sim = fajin.Simulation(fajin.read(robots / "newton_humanoid.usda"), device="cpu", threads=1, contacts=False)
    sim.stiffness = sim.damping = 0.0
    sim.effort = 20.0 * np.random.default_rng(0).normal(size=len(sim.dof))
    short = 0
    for _ in range(20):
        sim.step()
        flag, push = sim.at_limit[0], sim.limit_effort[0]
        inside = (sim.q[0] > sim.lower[0]) & (sim.q[0] < sim.upper[0])
        assert np.array_equal(flag[push != 0.0], -np.sign(push[push != 0.0]))
        assert (flag[inside & (push == 0.0)] == 0.0).all()
        assert (flag[~inside] != 0.0).all()
        short += (inside & (push != 0.0)).sum()
    assert short > 0


def test_a_joint_that_is_put_at_a_limit_is_there():
    """Before any step, too; without limits there is none."""
    sim = simulation(arm(lower=-1.0, upper=1.0), 3)
    sim.q[0], sim.q[1] = 1.0, -1.5
    assert np.array_equal(sim.at_limit[:, "elbow"], [1.0, -1.0, 0.0])
    free = simulation(arm())
    free.q = 1e6
    assert (free.at_limit[:] == 0.0).all()


@SOLVERS
@pytest.mark.parametrize(
    "envelope",
    [
        Envelope(max_actuator_velocity=1.5),
        Envelope(max_actuator_velocity=4.0, speed_effort_gradient=0.3),
        Envelope(velocity_dependent_resistance=2.0),
    ],
    ids=["speed", "gradient", "resistance"],
)
def test_a_motor_that_runs_up_is_on_the_edge_of_its_envelope(solver, envelope):
    """|τ| = τ_max − k |q̇|, or |q̇| = v_max − k' |τ|, to the speed of a step; resting on its target, it is within."""
    drive = Drive(stiffness=0.0, damping=1e5, max_force=5.0, target_qd=100.0, envelope=envelope)
    sim = simulate(slider(1.0, drive=drive), solver=solver)
    told = history(sim, "on_envelope", 100)
    assert (told[:, 0] == 1.0).all()
    sim.stiffness, sim.damping, sim.target_qd = 50.0, 30.0, 0.0
    sim.target_q = sim.q[:]
    slow = history(sim, "on_envelope", 400)
    assert slow[-1, 0] == 0.0
    assert np.abs(slow[-1, 2]) < 0.1


def test_flags_are_read_by_world_and_name_and_cannot_be_set():
    """As any quantity."""
    sim = simulation(arm(lower=-1.0, upper=1.0), 4)
    sim.q[2, "elbow"] = 1.0
    assert np.array_equal(sim.read("at_limit", worlds=[2, 3]), [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    out = np.empty((4, 3))
    assert np.array_equal(sim.read("at_limit", out=out), sim.at_limit)
    with pytest.raises(ValueError, match="saturated cannot be set: it follows from the last step"):
        sim.saturated = 1.0
