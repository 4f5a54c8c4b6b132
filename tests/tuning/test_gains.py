"""Tuned gains: the joint moves as the oscillator that was asked for, exactly at the step, whatever else damps it."""

from dataclasses import replace
from itertools import product
from math import cos, exp, inf, log, pi, sqrt

import numpy as np
import pytest
from one_joint import SLIDER_LEAK, simulate, slider, wheel

import fajin
from fajin.scene import Drive, DriveType, Friction, SolverType
from fajin.tuning.gains import Untunable, continuous_gains, gains, largest_step
from fajin.tuning.plant import Gains, Plant, oscillation
from fajin.tuning.step_response import StepResponse, largest_jump, measured, step_response

EPS = np.finfo(np.float64).eps
ITERATIONS = 16, 1  # after which a soft row under PGS has its fixed point
PROMISE = 1e-4  # how close a simulated motion is to the wanted one
STEPS = 1 / 60, 1 / 240, 1 / 1000  # [s]
WISHES = tuple(product((2.0, 10.0, 40.0), (0.1, 0.2, 0.7, 1.0, 2.0)))  # [rad/s], damping ratio
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
TYPES = pytest.mark.parametrize("type", [DriveType.FORCE, DriveType.ACCELERATION], ids=lambda type: type.name)


def motions(machine, plant: Plant, several: list[Gains], steps: int = 200) -> list[tuple[float, float]]:
    """Natural frequency and damping ratio with which a machine goes to a target, by gains, a world each."""
    machine = replace(machine, position_iterations=plant.iterations[0], velocity_iterations=plant.iterations[1])
    scene = simulate(machine, dt=plant.dt, solver=plant.solver).scene
    sim = fajin.Simulation(scene, len(several), device="cpu", precision="f64", threads=1)
    for world, found in enumerate(several):
        sim.stiffness[world, 0], sim.damping[world, 0] = found.stiffness, found.damping
    sim.target_q = 1.0
    recording = sim.run(steps=steps)
    q, qd = recording.q[..., 0], recording.qd[..., 0]
    return [measured(q[:, world] - 1.0, qd[:, world], plant.dt) for world in range(len(several))]


def off(found: list[tuple[float, float]], wanted) -> np.ndarray:
    """Errors of frequency and ratio as shares of those wanted."""
    return np.abs(np.array(found) / np.array(wanted) - 1.0)


def possible(plant: Plant) -> list[tuple[float, float]]:
    """The wishes that a step allows."""
    return [wish for wish in WISHES if plant.dt < largest_step(plant, *wish)]


@SOLVERS
@TYPES
@pytest.mark.parametrize("dt", STEPS)
def test_a_tuned_joint_has_the_wanted_frequency_and_ratio(dt, type, solver):
    """Poles exp((-ζ ± √(ζ² - 1)) ω h), over a grid of ω, ζ and steps, to the round-off of ω h."""
    plant = Plant(dt, 0.7, type, solver, ITERATIONS)
    wishes = possible(plant)
    assert len(wishes) >= (10 if solver == SolverType.PGS and dt == STEPS[0] else 12)
    found = motions(wheel(0.7, drive=Drive(type)), plant, [gains(plant, *wish) for wish in wishes])
    slowest = min(frequency for frequency, _ in wishes) * dt
    assert off(found, wishes).max() <= min(1000 * EPS / slowest**2, PROMISE)


def test_the_textbook_is_off_by_more_than_70_percent():
    """k = I ω², d = 2 ζ ω I: where the steps allow the wanted motion, the ratio comes out at up to 1.7 times itself."""
    worst = 0.0
    for dt in STEPS:
        plant = Plant(dt, 0.7, iterations=ITERATIONS)
        wishes = possible(plant)
        naive = [continuous_gains(plant, *wish) for wish in wishes]
        found = motions(wheel(0.7, drive=Drive()), plant, naive)
        assert off(found, [oscillation(plant, gain) for gain in naive]).max() <= PROMISE
        worst = max(worst, off(found, wishes).max())
    assert worst > 0.7


@SOLVERS
@TYPES
@pytest.mark.parametrize("braked", ["softness", "drag", "friction"])
def test_what_else_brakes_is_counted(braked, type, solver):
    """Softness of a slider, damping of its link, viscous friction of its joint: the motion is still the wanted one."""
    mass, damping, viscous = 0.7, 0.8 * (braked == "drag"), 0.3 * (braked == "friction")
    machine = slider(mass, drive=Drive(type), friction=Friction(viscous=viscous))
    machine = replace(machine, links=(machine.links[0], replace(machine.links[1], linear_damping=damping)))
    known = {"softness": 1.0 - SLIDER_LEAK, "drag": damping * mass, "viscous": viscous}
    plant = Plant(1 / 60, mass, type, solver, (32, 1), **known)
    wish = (15.0, 0.5)
    assert off(motions(machine, plant, [gains(plant, *wish)]), [wish]).max() <= 1e-8
    bare = replace(plant, softness=1.0, drag=0.0, viscous=0.0)
    if braked != "softness" or type == DriveType.ACCELERATION:
        assert off(motions(machine, plant, [gains(bare, *wish)]), [wish]).max() > PROMISE


def test_the_closed_form_of_one_step():
    """k = (1 - e (t - 1))/(r h²), d = (e - 1)/(r h) - h k; e = exp(2 ζ ω h), t = 2 exp(-ζ ω h) cos(ω h √(1 - ζ²))."""
    h, inertia, w, z = 1 / 60, 2.0, 20.0, 0.7
    e, t = exp(2 * z * w * h), 2 * exp(-z * w * h) * cos(w * h * sqrt(1 - z**2))
    found = gains(Plant(h, inertia), w, z)
    assert found.stiffness == pytest.approx((1 - e * (t - 1)) / h**2 * inertia, rel=1e-12)
    assert found.damping == pytest.approx((e - 1) / h * inertia - h * found.stiffness, rel=1e-12)
    assert (found.stiffness / inertia, found.damping / inertia) == pytest.approx((505.03, 27.263), rel=1e-5)


@SOLVERS
def test_the_largest_step_is_where_the_drive_would_have_to_push(solver):
    """exp(ζ ω δ) cos(ω δ √(1 - ζ²)) = 1 there, about δ = 2 ζ/ω, and damping is 0."""
    plant, w, z = Plant(0.1, 3.0, solver=solver, iterations=(4, 1)), 20.0, 0.2
    step = largest_step(plant, w, z)
    delta = step / plant.substeps
    assert exp(z * w * delta) * cos(w * delta * sqrt(1 - z**2)) == pytest.approx(1.0, abs=1e-12)
    assert delta == pytest.approx(2 * z / w, rel=2 * z**2)
    assert gains(replace(plant, dt=step * (1 - 1e-9)), w, z).damping == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(Untunable, match=f"must be at most {step:.6g} s") as error:
        gains(replace(plant, dt=step * (1 + 1e-9)), w, z)
    assert "\n" not in str(error.value)


def test_a_critically_damped_joint_can_have_any_step():
    """ζ ≥ 1: exp(ζ ω h) cosh(ω h √(ζ² - 1)) > 1 always."""
    for ratio in (1.0, 3.0):
        assert largest_step(Plant(1.0, 1.0), 10.0, ratio) == inf
        assert gains(Plant(1.0, 1.0), 13.0 / ratio, ratio).damping > 0.0
        with pytest.raises(Untunable, match="must outlast one step of 1 s"):
            gains(Plant(1.0, 1.0), 100.0, ratio)


def test_what_cannot_be_is_refused_in_a_line():
    """Too little damping beside friction that is there already, and what is no frequency or ratio."""
    with pytest.raises(Untunable, match=r"must exceed the ratio 0\.5 of friction"):
        gains(Plant(1e-4, 1.0, drag=10.0, viscous=10.0), 20.0, 0.4)
    for wish in ((0.0, 1.0), (-1.0, 1.0), (inf, 1.0), (np.nan, 1.0), (1.0, 0.0), (1.0, -0.5), (1.0, inf)):
        with pytest.raises(Untunable, match="must be positive and finite"):
            gains(Plant(1 / 60, 1.0), *wish)


@pytest.mark.parametrize(("frequency", "ratio"), [(3.0, 0.1), (3.0, 1.0001), (3.0, 2.5)])
def test_a_motion_is_measured_as_what_it_is(frequency, ratio):
    """e = exp(-ζ ω t) cos(ω t √(1 - ζ²)) of a damped oscillator, hyperbolic above critical damping."""
    dt = 0.05
    time = dt * np.arange(200)
    roots = frequency * (-ratio + np.array((1, -1)) * np.sqrt(complex(ratio**2 - 1)))
    modes = np.exp(np.outer(time, roots))
    error, speed = (modes @ weights for weights in ((0.5, 0.5), 0.5 * roots))
    assert measured(error.real, speed.real, dt) == pytest.approx((frequency, ratio), rel=1e-6)


def test_a_step_response_is_described_in_the_words_of_the_textbook():
    """Overshoot exp(-π ζ/√(1 - ζ²)), first peak at π/ω_d; critically damped: rise 3.36/ω, settled at 5.83/ω."""
    w, z, plant = 10.0, 0.4, Plant(1e-4, 1.0)
    answer = step_response(plant, gains(plant, w, z))
    assert answer.overshoot == pytest.approx(exp(-pi * z / sqrt(1 - z**2)), rel=1e-2)
    assert answer.time[answer.position.argmax()] == pytest.approx(pi / (w * sqrt(1 - z**2)), rel=1e-2)
    assert answer.settling_time <= -log(0.02 * sqrt(1 - z**2)) / (z * w)
    critical = step_response(plant, gains(plant, w, 1.0))
    assert (w * critical.rise_time, w * critical.settling_time) == pytest.approx((3.358, 5.834), rel=1e-2)
    assert critical.overshoot == 0.0
    cut = StepResponse(critical.time[:10], critical.position[:10])
    assert np.isnan(cut.rise_time)
    assert np.isnan(cut.settling_time)


@SOLVERS
@TYPES
def test_the_answer_to_a_step_is_that_of_the_simulation(type, solver):
    """Step by step, and the drive keeps within its maximum force up to the largest jump and no further."""
    plant = Plant(1 / 60, 2.0, type, solver, (4, 0))
    found, most = gains(plant, 12.0, 0.6), 50.0
    jump = largest_jump(plant, found, most)
    predicted = step_response(plant, found, seconds=1.0)
    for share, same in ((1 - 1e-9, True), (1.01, False)):
        drive = Drive(type, found.stiffness, found.damping, max_force=most, target_q=share * jump)
        machine = replace(wheel(2.0, drive=drive), position_iterations=4, velocity_iterations=0)
        q = simulate(machine, dt=plant.dt, solver=solver).run(steps=60).q[:, 0, 0]
        assert (np.abs(q / (share * jump) - predicted.position).max() <= 1e-8) == same
