"""What a motion keeps: momentum and the path of the centre of mass to round-off, energy to the order of the step."""

from dataclasses import replace

import numpy as np
import pytest
from motion_of_links import links
from one_joint import FREE, simulate, slider, wheel
from random_tree import TOKENS, edited, random_tree

import fajin
from fajin.scene import Articulation, Axis, Drive, Friction, Joint, JointType, Link, Scene, SolverType

EPS = np.finfo(np.float64).eps
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
SEEDS = pytest.mark.parametrize("seed", range(3))
STEPS = 40
KINDS = tuple(TOKENS)


def floating(seed: int, solver: SolverType, gravity: tuple = (0.0,) * 3, **axis) -> fajin.Simulation:
    """A random tree afloat, every axis with the given fields."""
    scene = edited(random_tree(seed, KINDS, floating=True), axes=lambda a: replace(a, **axis))
    scene = replace(scene, gravity=gravity, solver=solver)
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


def round_off(sim: fajin.Simulation) -> float:
    """Of sums over all links, accumulated over the steps."""
    return EPS * STEPS * len(sim.link)


@SOLVERS
@SEEDS
@pytest.mark.parametrize(
    "axis",
    [
        {},
        {"drive": Drive(stiffness=50.0, damping=1.0, max_force=5.0, target_q=0.5)},
        {"friction": Friction(1.0, 0.8, 0.1), "lower": -1.0, "upper": 1.0, "armature": 0.1},
    ],
    ids=["free", "driven", "rubbing"],
)
def test_a_floating_tree_keeps_its_momentum(seed, solver, axis):
    """P and |H| are constant, whatever acts between the links."""
    sim = floating(seed, solver, **axis)
    moving = links(sim)
    size = moving.mass @ np.abs(moving.velocity).sum(1)
    P, H = moving.momentum
    sim.step(STEPS)
    after_P, after_H = links(sim).momentum
    assert np.abs(after_P - P).max() <= round_off(sim) * size
    assert abs(np.linalg.norm(after_H) / np.linalg.norm(H) - 1.0) <= round_off(sim)


@SOLVERS
@SEEDS
def test_the_centre_of_mass_moves_on_a_line(seed, solver):
    """c_n = c_0 + n h P/m without gravity."""
    sim = floating(seed, solver)
    start = links(sim)
    sim.step(STEPS)
    path = STEPS * sim.dt * start.momentum[0] / start.mass.sum()
    assert np.abs(links(sim).centre - start.centre - path).max() <= round_off(sim) * np.abs(path).max()


@SOLVERS
@SEEDS
def test_the_centre_of_mass_falls_on_a_parabola(seed, solver):
    """c_n = c_0 + n h P/m + g h² Σ_i (i + 1/2 + 1/2k) over n steps of k substeps that gravity acts in (1 under PGS)."""
    gravity = np.array((1.0, -2.0, -9.81))
    sim = floating(seed, solver, tuple(gravity))
    start = links(sim)
    sim.step(STEPS)
    substeps = sim.scene.articulations[0].position_iterations if solver == SolverType.TGS else 1
    fallen = gravity * sim.dt**2 * sum(i + 0.5 + 0.5 / substeps for i in range(STEPS))
    path = STEPS * sim.dt * start.momentum[0] / start.mass.sum() + fallen
    assert np.abs(links(sim).centre - start.centre - path).max() <= round_off(sim) * np.abs(path).max()


@SEEDS
def test_the_angular_momentum_keeps_its_direction_to_the_order_of_the_step(seed):
    """|H(T) - H(0)| = c h + O(h²): each halving of h halves it, the better the smaller h is."""
    errors = []
    for halvings in range(7, 10):
        sim = fajin.Simulation(floating_scene(seed), device="cpu", precision="f64", threads=1, dt=0.5**halvings)
        H = links(sim).momentum[1]
        sim.step(2 ** (halvings - 2))
        errors.append(links(sim).momentum[1] - H)
    assert_first_order(np.array(errors))


def floating_scene(seed: int) -> Scene:
    """A random tree afloat without gravity."""
    return replace(random_tree(seed, KINDS, floating=True), gravity=(0.0,) * 3)


def assert_first_order(errors: np.ndarray) -> None:
    """Errors e(h), e(h/2), e(h/4) behave as c h + O(h²): e(h) - 2 e(h/2) is O(h²), so it falls fourfold."""
    coarse, fine = errors[0] - 2 * errors[1], errors[1] - 2 * errors[2]
    assert np.linalg.norm(errors[2]) > EPS**0.5  # there is an error to speak of
    assert np.linalg.norm(coarse) < np.linalg.norm(errors[1])
    assert np.linalg.norm(4 * fine - coarse) < np.linalg.norm(coarse)


def chain(*lengths: float) -> Scene:
    """Rods hinged to one another and to the world, started level."""
    rods = [
        Link(f"/c/{i}", mass=1.0 + i, com=(l / 2, 0.0, 0.0), inertia=tuple(map(tuple, np.eye(3) * l**2 / 12)), **FREE)
        for i, l in enumerate(lengths)
    ]
    joints = [
        Joint(
            f"/c/j{i}", JointType.REVOLUTE, f"/c/{i - 1}" if i else "", f"/c/{i}", axes=(Axis("rotY"),),
            frame0=((lengths[i - 1] if i else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        )
        for i in range(len(lengths))
    ]  # fmt: skip
    return Scene("chain", (Articulation("/c", tuple(rods), tuple(joints)),), solver=SolverType.PGS)


@pytest.mark.parametrize(
    "scene",
    [chain(1.0), chain(1.0, 0.7), *(random_tree(seed, KINDS) for seed in range(3))],
    ids=["pendulum", "double", "tree0", "tree1", "tree2"],
)
def test_the_energy_of_a_chain_drifts_to_the_order_of_the_step(scene):
    """E(T) - E(0) = c h + O(h²)."""
    errors = []
    for halvings in range(8, 11):
        sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1, dt=0.5**halvings)
        before = links(sim).energy(scene.gravity)
        sim.step(2 ** (halvings - 2))
        errors.append(links(sim).energy(scene.gravity) - before)
    assert_first_order(np.array(errors)[:, None])


@SOLVERS
@pytest.mark.parametrize("damping", [0.5, 1e3], ids=["some", "all"])
def test_a_damped_link_slows_by_its_share(solver, damping):
    """v_n = (1 - c h)ⁿ v_0 and ω likewise, c held in [0, 1/h]."""
    ball = Link(
        "/ball", linear_damping=damping, angular_damping=damping / 2, max_angular_velocity=np.inf,
        velocity=(1.0, 2.0, -0.5), angular_velocity=(0.2, 0.0, 0.0),
    )  # fmt: skip
    machine = Articulation("/", (ball,), ())
    sim = simulate(machine, solver=solver)
    sim.step(STEPS)
    left = max(0.0, 1.0 - damping * sim.dt) ** STEPS
    turning = max(0.0, 1.0 - damping / 2 * sim.dt) ** STEPS
    assert np.allclose(links(sim).velocity[0], left * np.array(ball.velocity), 0, EPS * STEPS)
    assert np.allclose(links(sim).spin[0], turning * np.array(ball.angular_velocity), 0, EPS * STEPS)


def test_a_damped_fall_ends_at_its_terminal_speed():
    """v = (1 - c h) g / c: gravity is damped as the speed is."""
    g, c = 9.81, 50.0
    sim = simulate(Articulation("/", (Link("/ball", linear_damping=c),), ()), gravity=(0.0, 0.0, -g))
    sim.step(STEPS * 3)
    left = (1.0 - c * sim.dt) ** (STEPS * 3)
    assert abs(links(sim).velocity[0, 2] + (1.0 - c * sim.dt) * g / c) <= g / c * (left + EPS * STEPS)


@SOLVERS
@pytest.mark.parametrize("speed", [1.0, 1.5015, 5.0])
@pytest.mark.parametrize("spin", [2.0, 2.5025, 4.0])
def test_a_link_above_its_speed_limits_is_slowed_to_them(solver, speed, spin):
    """v ← v v_max/|v| and ω likewise, in one step; below them nothing happens."""
    ball = Link(
        "/ball", max_linear_velocity=1.5, max_angular_velocity=2.5, angular_damping=0.0,
        velocity=(0.6 * speed, 0.0, -0.8 * speed), angular_velocity=(0.0, spin, 0.0),
    )  # fmt: skip
    sim = simulate(Articulation("/", (ball,), ()), solver=solver)
    sim.step()
    assert np.allclose(links(sim).velocity[0], min(speed, 1.5) * np.array((0.6, 0.0, -0.8)), 0, 8 * EPS)
    assert np.allclose(links(sim).spin[0], (0.0, min(spin, 2.5), 0.0), 0, 8 * EPS)


@SOLVERS
@pytest.mark.parametrize("limits", [{}, {"lower": -100.0, "upper": 100.0}], ids=["free", "limited"])
@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_a_turning_wheel_wraps_at_two_pi_where_it_has_no_limits(solver, limits, speed):
    """Q = ω t - 4π k in [-2π, 2π]; with limits q = ω t."""
    sim = simulate(wheel(qd=speed, **limits), solver=solver)
    recording = sim.run(steps=1500)
    turned, q = speed * recording.time, recording.q[:, 0, 0]
    reach = np.abs(turned).max()
    assert reach > 6 * np.pi
    bound = EPS * len(q) * reach * sim.scene.articulations[0].position_iterations
    if limits:
        assert np.abs(q - turned).max() <= bound
    else:
        assert np.abs(q).max() <= 2 * np.pi + bound
        wraps = (turned - q) / (4 * np.pi)
        assert np.abs(wraps - np.round(wraps)).max() <= bound
        assert np.ptp(np.round(wraps)) == np.ceil((reach - 2 * np.pi) / (4 * np.pi))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("limits", "angles"),
    [({}, (20.0 - 4 * np.pi, 4 * np.pi, 4 * np.pi)), ({"lower": -1e3, "upper": 1e3}, (20.0, 40.0, 60.0))],
    ids=["free", "limited"],
)
def test_a_wheel_that_turns_more_than_twice_in_a_step_ends_at_four_pi(limits, angles, sign):
    """Q + ω δ - 4π, at most 4π; with limits q + ω δ."""
    sim = simulate(wheel(qd=40.0 * sign, **limits), dt=0.5)
    for angle in angles:
        sim.step()
        assert abs(sign * sim.q[0, 0] - angle) <= 100 * EPS * angle


@SOLVERS
def test_a_slider_never_wraps(solver):
    """Q = v t."""
    sim = simulate(slider(qd=30.0), solver=solver)
    sim.step(100)
    assert abs(sim.q[0, 0] - 3000 * sim.dt) <= EPS * 3000 * sim.scene.articulations[0].position_iterations
