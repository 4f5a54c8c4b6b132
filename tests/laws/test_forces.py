"""External forces on links, and what holds each joint: laws of momentum over one step, float64."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import body, twists
from one_joint import simulate, slider

import fajin
from fajin.quaternion import rotate
from fajin.scene import Articulation, Drive, Friction, Mimic, Scene, SolverType

EPS = float(np.finfo(np.float64).eps)
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
H = 0.01  # [s]


def thrown(seed: int, solver: SolverType, free: bool, worlds: int = 1) -> tuple[fajin.Simulation, object]:
    """A body of random shape and pose, at rest without gravity."""
    link = body("/b", np.random.default_rng(seed), velocity=(0.0,) * 3, angular_velocity=(0.0,) * 3)
    scene = Scene("", (Articulation("/b", (link,), (), False, 4, 1, free),), (0.0, 0.0, 0.0), H, solver)
    return fajin.Simulation(scene, worlds, "cpu", "f64", 1), link


@SOLVERS
@pytest.mark.parametrize("free", [True, False], ids=["free", "articulation"])
@pytest.mark.parametrize("turns", [0.0, 1.0], ids=["world", "link"])
@pytest.mark.parametrize("seed", range(3))
def test_a_force_at_a_point_gives_its_impulse_and_moment(solver, free, turns, seed):
    """M Δv = F h, I Δω = (t + R p × F) h; F and t along the axes of the world, or of the link."""
    sim, link = thrown(seed, solver, free)
    rng = np.random.default_rng(seed + 10)
    force, torque, point = rng.normal(size=(3, 3))
    sim.force[:, "b"], sim.torque[:, "b"], sim.force_position[:, "b"], sim.force_is_local[:, "b"] = (
        force,
        torque,
        point,
        turns,
    )
    sim.step()
    turn = np.array(link.pose[1])
    if turns:
        force, torque = rotate(turn, force), rotate(turn, torque)
    R = rotate(turn, np.eye(3)).T
    spin = np.linalg.solve(R @ np.array(link.inertia) @ R.T, torque + np.cross(rotate(turn, point), force)) * H
    expected = np.concatenate([spin, force * H / link.mass])
    assert np.abs(twists(sim)[0] - expected).max() <= 64 * EPS * np.abs(expected).max()


@SOLVERS
def test_a_force_lasts_until_it_is_overwritten_and_stays_in_its_world(solver):
    """v = F t / m in the world that has it; none in the others, none after it is taken away."""
    sim, link = thrown(0, solver, True, 3)
    sim.force[1] = [[2.0, 0.0, 0.0]]
    sim.step(10)
    sim.force = 0.0
    sim.step(10)
    speed = sim.root_velocity[:, 0, 0]
    assert speed[1] == pytest.approx(2.0 * 10 * H / link.mass, rel=32 * EPS)
    assert (speed[[0, 2]] == 0.0).all()


@SOLVERS
def test_a_force_on_a_link_is_an_effort_on_its_joint(solver):
    """Along a slider the two are one: m q̈ = F · axis."""
    forced, driven = simulate(slider(2.0), solver=solver), simulate(slider(2.0), solver=solver)
    forced.force[:, "link"] = (5.0, -7.0, 3.0)
    driven.effort = 3.0
    for sim in (forced, driven):
        sim.step(5)
    assert forced.qd[0, 0] == pytest.approx(driven.qd[0, 0], rel=64 * EPS)
    assert forced.qd[0, 0] == pytest.approx(3.0 / 2.0 * 5 * H, rel=64 * EPS)


ROWS = {
    "friction": {"friction": Friction(static=2.0, dynamic=1.5, viscous=0.2)},
    "limits": {"lower": -0.05, "upper": 0.02},
    "speed limit": {"max_velocity": 0.4},
    "drive": {"drive": Drive(stiffness=300.0, damping=5.0, target_q=0.1)},
}
ROWS["all"] = {name: value for row in list(ROWS.values()) for name, value in row.items()}
SOURCES = ("applied_effort", "limit_effort", "friction_effort", "velocity_limit_effort", "mimic_effort")


@SOLVERS
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_the_efforts_of_its_rows_move_a_joint(solver, rows):
    """m q̈ = m g + Σ of the efforts, in every step; only rows that are there have any."""
    mass, gravity = 2.0, -9.81
    sim = simulate(slider(mass, q=0.01, qd=-0.5, **rows), solver=solver, gravity=(0.0, 0.0, gravity))
    met = dict.fromkeys(SOURCES, 0.0)
    for _ in range(40):
        sim.step()
        efforts = {name: getattr(sim, name)[0, 0] for name in SOURCES}
        met = {name: max(met[name], abs(effort)) for name, effort in efforts.items()}
        size = mass * abs(gravity) + sum(map(abs, efforts.values()))
        assert abs(mass * sim.qdd[0, 0] - mass * gravity - sum(efforts.values())) <= 256 * EPS * (size + mass / H)
    fields = {"applied_effort": "drive", "limit_effort": "lower", "friction_effort": "friction"}
    fields |= {"velocity_limit_effort": "max_velocity", "mimic_effort": "mimic"}
    assert {name for name in SOURCES if met[name] > 0.0} == {name for name in SOURCES if fields[name] in rows}


@SOLVERS
def test_a_hard_mimic_joint_presses_both_its_joints(solver):
    """λ on the follower, G λ on the reference: masses m and M under an effort τ move as (M + m G²) q̈ = τ."""
    gearing, effort = -2.0, 3.0
    leader, follower = slider(1.0).joints[0], slider(4.0)
    second = replace(
        follower.joints[0],
        path="/m/second",
        body1="/m/other",
        axes=(replace(follower.joints[0].axes[0], mimic=Mimic(((f"{leader.path}:transZ", gearing),))),),
    )
    links = (*slider(1.0).links, replace(follower.links[1], path="/m/other"))
    machine = Articulation("/m", links, (leader, second), fixed_base=True, position_iterations=1)
    sim = simulate(machine, solver=solver)
    sim.effort[:, "joint"] = effort
    sim.step()
    on_leader, on_follower = (sim.mimic_effort[0, sim.dof.index(f"{p}:transZ")] for p in ("/m/joint", "/m/second"))
    assert on_leader == pytest.approx(gearing * on_follower, rel=64 * EPS)
    # q̇_f = −G q̇_r, so (M + m G²) q̈_r = τ, and what the leader lacks of τ is what the mimic joint takes.
    assert effort + on_leader == pytest.approx(effort * 1.0 / (1.0 + 4.0 * gearing**2), rel=1e-9)
