"""The performance envelope of a drive: what a motor can do at the speed it has."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import simulate, slider

import fajin
from fajin.scene import Drive, Envelope, Scene, SolverType

EPS = np.finfo(np.float64).eps
H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)


def after_a_step(solver: SolverType, effort: float = 0.0, **machine) -> fajin.Simulation:
    """A slider after one step of one iteration under a user effort [N]."""
    sim = simulate(replace(slider(**machine), position_iterations=1, velocity_iterations=0), solver=solver, dt=H)
    sim.effort = effort
    sim.step()
    return sim


@SOLVERS
@pytest.mark.parametrize(
    ("velocity", "envelope", "drive", "published", "digits"),
    [
        (0.0, Envelope(), {"stiffness": 100.0, "target_q": 1.0}, 0.990099, 1e-6),
        (0.0, Envelope(), {"max_force": 1.0}, 0.01, 1e-5),
        (10.0, Envelope(max_actuator_velocity=1.0), {}, 10.0, 1e-4),
        (9.0, Envelope(10.0, 0.0, 0.05), {}, 9.166667, 1e-6),
        (9.0, Envelope(10.0, 0.0, 50.0), {}, 9.0, 1e-2),
        (10.0, Envelope(np.inf, 5.0), {"max_force": 100.0}, 10.5, 0.1),
        (10.0, Envelope(np.inf, 8.0), {"max_force": 100.0}, 10.2, 0.1),
    ],
    ids=["implicit", "max-force", "too-fast", "gradient", "steep-gradient", "resistance", "more-resistance"],
)
def test_a_drive_in_an_envelope_reaches_the_published_speeds(velocity, envelope, drive, published, digits, solver):
    """What NVIDIA's own tests of PhysX expect of a unit mass after a step of 0.01 s, to the digits they look at."""
    far = Drive(**({"stiffness": 1e6, "target_q": 10.0, "envelope": envelope} | drive))
    sim = after_a_step(solver, qd=velocity, drive=far)
    assert abs(sim.qd[0, 0] - published) <= digits


def most(wanted: float, before: float, mass: float, drive: Drive) -> float:
    """The effort of a step nearest to the wanted one, from 0 to it, that the envelope allows; 0 where none is.

    With t = |τ| and u = ±v₀ + t h/m, the speed it leads to in its direction, all bounds are linear:
    ±u ≤ v_max - k_vτ t and t ≤ τ_max ∓ k_τv u.
    """
    envelope, side = drive.envelope, np.sign(wanted)
    resistance, gradient = envelope.velocity_dependent_resistance, envelope.speed_effort_gradient
    speed, rate = side * before, H / mass
    rows = [  # a t ≤ b
        (-1.0, 0.0),
        (1.0, abs(wanted)),
        (1.0, drive.max_force),
        (gradient + rate, envelope.max_actuator_velocity - speed),
        (gradient - rate, envelope.max_actuator_velocity + speed),
        (1.0 + resistance * rate, drive.max_force - resistance * speed),
        (1.0 - resistance * rate, drive.max_force + resistance * speed),
    ]
    low = max(b / a for a, b in rows if a < 0)
    high = min(b / a for a, b in rows if a > 0)
    return side * high if low <= high else 0.0


@SOLVERS
@pytest.mark.parametrize("seed", range(20))
def test_a_drive_gives_the_most_that_its_envelope_allows(seed, solver):
    """|v| ≤ v_max - k_vτ |τ| and |τ| ≤ τ_max - k_τv |v| at the end of the step, drive and user effort together."""
    rng = np.random.default_rng(seed)
    mass, effort, before = rng.uniform(0.2, 3.0), rng.normal() * 5.0, rng.normal() * 5.0
    envelope = Envelope(rng.uniform(1.0, 10.0), rng.choice((0.0, 5.0)) * rng.random(), 10.0 ** rng.uniform(-3, 0))
    drive = Drive(
        stiffness=10.0 ** rng.uniform(1, 6), target_q=rng.normal(), max_force=rng.uniform(5, 50), envelope=envelope
    )
    sim = after_a_step(solver, effort, mass=mass, qd=before, drive=drive)
    pull = drive.stiffness * (drive.target_q - H * (before + effort * H / mass))
    wanted = effort + pull / (1.0 + H**2 * drive.stiffness / mass)
    expected = most(wanted, before, mass, drive)
    size = max(abs(wanted), (envelope.max_actuator_velocity + abs(before)) * mass / H)
    assert abs(sim.applied_effort[0, 0] - expected) <= 32 * EPS * size
    assert abs(sim.qd[0, 0] - before - expected * H / mass) <= 32 * EPS * size * H / mass


R = H / 2.0  # response of a mass of 2 kg to an effort during a step [m/s/N]
SPEEDS = np.concatenate([np.linspace(-6.0, 6.0, 49), 4.0 + 1e-6 * np.arange(-2, 3), -4.0 + 1e-6 * np.arange(-2, 3)])
EFFORTS = np.linspace(-60.0, 60.0, 25)


def brute(envelope: Envelope, before: np.ndarray, wanted: np.ndarray, slack: float) -> np.ndarray:
    """Distance from the wanted effort to the nearest of 401 between 0 and it that the envelope allows; ∞ for none."""
    t = wanted[:, None] * np.linspace(0.0, 1.0, 401)
    v = np.abs(before[:, None] + t * R)
    slow = v <= envelope.max_actuator_velocity - envelope.speed_effort_gradient * np.abs(t) + slack
    weak = np.abs(t) <= 40.0 - envelope.velocity_dependent_resistance * v + slack
    return np.where(slow & weak, np.abs(wanted[:, None] - t), np.inf).min(1)


@SOLVERS
@pytest.mark.parametrize("user", [0.0, 25.0, -70.0])
@pytest.mark.parametrize("gradient", [0.0, 0.5 * R, R, 2.0 * R, 20.0 * R], ids=lambda k: f"gradient={k / R:g}r")
@pytest.mark.parametrize("resistance", [0.0, 0.5 / R, 2.0 / R, 8.0], ids=lambda k: f"resistance={k * R:g}/r")
def test_the_effort_is_the_allowed_one_nearest_to_the_drives(resistance, gradient, user, solver):
    """Eqs. 1-10 and tab. 2 on a grid of speeds and efforts, at v_max and a millionth beside it.

    r > k_vτ is case I-a (and II-a of negative efforts), r < k_vτ case I-b (II-b); r < 1/k_τv case 2 of tab. 2, else 1.
    """
    envelope = Envelope(4.0, resistance, gradient)
    drive = Drive(stiffness=1e4, max_force=40.0, envelope=envelope)
    speeds, efforts = (grid.ravel() for grid in np.meshgrid(SPEEDS, EFFORTS))
    machine = replace(slider(mass=2.0, drive=drive), position_iterations=1, velocity_iterations=0)
    scene = Scene("machine", (machine,), (0.0, 0.0, 0.0), H, solver)
    sim = fajin.Simulation(scene, worlds=len(speeds), device="cpu", precision="f64", threads=1)
    sim.qd[:, 0], sim.effort = speeds, user
    pull = efforts * (
        1.0 + H * R * drive.stiffness
    )  # of an implicit spring that gives `inverse_dynamics` beside the user's
    sim.target_q[:, 0] = pull / drive.stiffness + H * (speeds + user * R)
    sim.step()
    given, wanted, slack = sim.applied_effort[:, 0], user + efforts, 1e-7
    spacing = np.abs(wanted) / 400
    nearest = brute(envelope, speeds, wanted, -slack)
    assert (np.abs(wanted - given)[nearest < np.inf] <= (nearest + slack)[nearest < np.inf]).all()
    v = np.abs(speeds + given * R)
    inside = (v <= 4.0 - gradient * np.abs(given) + slack) & (np.abs(given) <= 40.0 - resistance * v + slack)
    possible = brute(envelope, speeds, wanted, spacing.max() * (gradient + R + 1.0 + resistance * R)) < np.inf
    assert (inside | (given == 0.0)).all()
    assert (given[~possible] == 0.0).all()
    assert (given * wanted >= 0.0).all()
    assert np.abs(sim.qd[:, 0] - speeds - given * R).max() <= 1e-12


@SOLVERS
@pytest.mark.parametrize(("n", "velocity"), [(1, 0), (4, 1), (16, 0)])
@pytest.mark.parametrize(("resistance", "gradient"), [(0.0, 0.02), (9.0, 0.0), (9.0, 0.02), (3.0, 0.02)])
def test_a_motor_lifts_a_weight_as_fast_as_its_envelope_says(resistance, gradient, n, velocity, solver):
    """Under the load τ = m g it ends at v = min(v_max - k_vτ τ, (τ_max - τ)/k_τv), the corner of both constraints."""
    mass, g, most = 2.0, 9.81, 40.0
    drive = Drive(damping=1e6, target_qd=10.0, max_force=most, envelope=Envelope(4.0, resistance, gradient))
    machine = replace(slider(mass=mass, drive=drive), position_iterations=n, velocity_iterations=velocity)
    sim = simulate(machine, solver=solver, dt=H, gravity=(0.0, 0.0, -g))
    sim.step(500)
    bounds = [4.0 - gradient * mass * g, (most - mass * g) / resistance if resistance else np.inf]
    assert sim.qd[0, 0] == pytest.approx(min(bounds), abs=1e-9)
    assert sim.applied_effort[0, 0] == pytest.approx(mass * g, rel=1e-9)
