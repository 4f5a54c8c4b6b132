"""The performance envelope of a drive: what a motor can do at the speed it has."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import simulate, slider

import fajin
from fajin.scene import Drive, Envelope, SolverType

EPS = np.finfo(np.float64).eps
H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)


def after_a_step(solver: SolverType, effort: float = 0.0, **machine) -> fajin.Simulation:
    """A slider after one step of one iteration under a user effort [N]."""
    sim = simulate(replace(slider(**machine), position_iterations=1, velocity_iterations=0), solver=solver, dt=H)
    sim.effort = effort
    sim.step()
    return sim


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
def test_a_drive_in_an_envelope_reaches_the_published_speeds(velocity, envelope, drive, published, digits):
    """What NVIDIA's own tests of PhysX expect of a unit mass after a step of 0.01 s, to the digits they look at."""
    far = Drive(**({"stiffness": 1e6, "target_q": 10.0, "envelope": envelope} | drive))
    sim = after_a_step(SolverType.PGS, qd=velocity, drive=far)
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
@pytest.mark.parametrize("seed", range(60))
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
    assert abs(sim.driven[0, 0] - expected) <= 32 * EPS * size
    assert abs(sim.qd[0, 0] - before - expected * H / mass) <= 32 * EPS * size * H / mass
