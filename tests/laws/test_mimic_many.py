"""Mimic joints of N degrees of freedom, C = Σ G_i q_i + γ, and the response r they meet. "Mimic Joints", eqs. 9-17.

The machines are sliders in one line, each on the base or on the one before it: their mass matrix is known, M_ij = m_i
where i = j, or M_ij = Σ m_k over k ≥ i and k ≥ j.
"""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from mimic_joints import EPS, SLIDE, SOLVERS, TURN, H, body, errors, simulate
from one_joint import FREE

from fajin.scene import Articulation, Axis, Joint, JointType, Link, Mimic, SolverType

GEARINGS = (1.0, -1.7, 0.6, 2.3, -0.4)  # the follower's first
MASSES = (2.0, 0.5, 1.3, 0.8, 3.0)
CHAINS = pytest.mark.parametrize("chain", [False, True], ids=["apart", "chain"])
COUNTS = pytest.mark.parametrize("count", [2, 3, 5])


def sliders(count: int, q, qd, chain: bool = False, soft=(0.0, 0.0), types=(SLIDE,) * 5) -> Articulation:
    """The first axis follows all others, to the offset 0.25."""
    tokens = ["transZ" if type == SLIDE else "rotZ" for type in types]
    names = [f"/m/j{i}:{token}" for i, token in enumerate(tokens)]
    mimic = Mimic(tuple(zip(names[1:count], GEARINGS[1:], strict=False)), 0.25, *soft)
    on = [f"/m/link{i - 1}" if chain and i else "/m/base" for i in range(count)]
    axes = [Axis(tokens[i], q=q[i], qd=qd[i], mimic=mimic if i == 0 else None) for i in range(count)]
    bodies, joints = zip(*(body(i, types[i], MASSES[i], axes[i], on[i]) for i in range(count)), strict=True)
    return Articulation("/m", (Link("/m/base"), *bodies), joints, fixed_base=True)


def response(count: int, chain: bool) -> np.ndarray:
    """W = M⁻¹, eq. 10 with N rows."""
    m = np.array(MASSES[:count])
    return np.linalg.inv([[m[max(i, j) :].sum() for j in range(count)] for i in range(count)] if chain else np.diag(m))


def columns(sim, rows: np.ndarray) -> np.ndarray:
    """Values by degree of freedom in the order of the sliders."""
    return rows[[sim.dof.index(name) for name in sorted(sim.dof)]]


@SOLVERS
@CHAINS
@COUNTS
def test_speeds_are_projected_on_the_bond(count, chain, solver):
    """Eqs. 4, 6-17: v = v₀ - W Jᵀ (J W Jᵀ)⁻¹ J v₀ with J = (1, G₁, G₂, …), and the work of Jᵀ f along v is zero."""
    rng = np.random.default_rng(count)
    J, W, before = np.array(GEARINGS[:count]), response(count, chain), rng.normal(size=count)
    q = rng.normal(size=count)
    q[0] = -0.25 - J[1:] @ q[1:]  # C = 0
    sim = simulate(sliders(count, q, before, chain), solver)
    sim.step()
    after, size = columns(sim, sim.qd[0]), np.abs(before).sum() * np.linalg.cond(W)
    assert np.abs(after - (before - W @ J * (J @ before) / (J @ W @ J))).max() <= 16 * EPS * size
    impulse = np.linalg.solve(W, after - before)
    assert abs(impulse @ after) <= 64 * EPS * np.abs(impulse).sum() * size
    assert np.abs(impulse / J - impulse[0]).max() <= 64 * EPS * np.abs(impulse).sum() * np.linalg.cond(W)


@SOLVERS
@CHAINS
@COUNTS
@pytest.mark.parametrize("n", [1, 4, 16])
def test_the_share_of_the_error_does_not_depend_on_their_number(n, count, chain, solver):
    """Eqs. 5, 8, 16, 17: C ← (1 - erp) C a substep, erp = 0.8 (PGS), min(0.9, 2/√n) (TGS); M Δq ∥ Jᵀ."""
    start = np.linspace(0.3, -0.2, count)
    sim = simulate(sliders(count, start, np.zeros(count), chain), solver, n)
    before = errors(sim)[0]
    sim.step()
    left = 0.2 if solver == SolverType.PGS else (1.0 - min(0.9, 2.0 / sqrt(n))) ** n
    W, J = response(count, chain), np.array(GEARINGS[:count])
    moved = columns(sim, sim.q[0]) - start
    assert abs(errors(sim)[0] - left * before) <= 32 * n * EPS
    assert np.abs(moved - W @ J * (J @ moved) / (J @ W @ J)).max() <= 64 * n * EPS * np.linalg.cond(W)


@CHAINS
@COUNTS
@pytest.mark.parametrize(("frequency", "ratio"), [(5.0, 0.2), (400.0, 3.0)])
def test_a_soft_bond_is_one_spring_whatever_it_joins(count, chain, frequency, ratio):
    """Eqs. 18-29: (1 + 2 δ μ ζ + δ² μ²) Ċ' = Ċ - δ μ² C, C' = C + δ Ċ', in N axes as in two."""
    start, speed, J = np.linspace(0.3, -0.2, count), np.linspace(-0.5, 0.4, count), np.array(GEARINGS[:count])
    sim = simulate(sliders(count, start, speed, chain, (frequency, ratio)), SolverType.TGS, 4)
    c, rate, delta = errors(sim)[0], J @ speed, H / 4
    for _ in range(12):
        rate = (rate - delta * frequency**2 * c) / (1.0 + 2.0 * delta * frequency * ratio + (delta * frequency) ** 2)
        c += delta * rate
    sim.step(3)
    bound = 512 * EPS * np.linalg.cond(response(count, chain))
    assert abs(errors(sim)[0] - c) <= bound
    assert abs(J @ columns(sim, sim.qd[0]) - rate) <= bound * frequency


@SOLVERS
def test_translations_and_rotations_mix(solver):
    """Eq. 17 with units: m_i Δq̇_i = G_i λ and J_i Δω_i = G_i λ, G in [own unit/unit]."""
    types, before = (SLIDE, TURN, SLIDE, TURN, TURN), np.linspace(1.0, -0.5, 5)
    J, W = np.array(GEARINGS), response(5, False)
    q = np.zeros(5)
    q[0] = -0.25
    sim = simulate(sliders(5, q, before, types=types), solver)
    sim.step()
    assert np.abs(columns(sim, sim.qd[0]) - (before - W @ J * (J @ before) / (J @ W @ J))).max() <= 64 * EPS


@SOLVERS
@pytest.mark.parametrize(("own", "other"), [("rotX", "rotY"), ("rotY", "rotX"), ("rotZ", "rotX")])
def test_two_axes_of_one_joint_are_bound(own, other, solver):
    """Eqs. 10-15 about the centre of a ball, W = 1/I: one axis turns, the other gets -G/(1 + G²) of its speed."""
    gearing, spin = -0.5, 2.0
    mimic = Mimic(((f"/m/j:{other}", gearing),))
    axes = [Axis(f"rot{x}") for x in "XYZ"]
    axes = [replace(axis, mimic=mimic) if axis.token == own else axis for axis in axes]
    axes = [replace(axis, qd=spin) if axis.token == other else axis for axis in axes]
    joint = Joint("/m/j", JointType.D6, "/m/base", "/m/ball", axes=tuple(axes))
    ball = Articulation("/m", (Link("/m/base"), Link("/m/ball", **FREE)), (joint,), fixed_base=True)
    sim = simulate(ball, solver)
    sim.step()
    speeds = dict(zip(sim.dof, sim.qd[0], strict=True))
    rate = gearing * spin
    assert abs(speeds[f"/m/j:{own}"] + rate / (1.0 + gearing**2)) <= 16 * EPS * spin
    assert abs(speeds[f"/m/j:{other}"] - spin + gearing * rate / (1.0 + gearing**2)) <= 16 * EPS * spin


@SOLVERS
@pytest.mark.parametrize("velocity", [1, 60])
def test_mimic_joints_may_share_references(velocity, solver):
    """Two bonds of three axes each, eq. 16: v ← v - W J_kᵀ J_k v/(J_k W J_kᵀ), each seeing what those before it did.

    In the end both hold, and their impulses have done the least: v = v₀ - W Jᵀ (J W Jᵀ)⁻¹ J v₀ with both rows in J.
    """
    J = np.array([[1.0, 0.0, -1.7, 0.6], [0.0, 1.0, 0.6, -0.4]])
    before, names = np.array([1.0, -0.5, 0.3, 0.7]), [f"/m/j{i}:transZ" for i in range(4)]
    mimics = [Mimic(tuple(zip(names[2:], row[2:], strict=True))) for row in J] + [None, None]
    axes = [Axis("transZ", qd=v, mimic=mimic) for v, mimic in zip(before, mimics, strict=True)]
    bodies, joints = zip(*(body(i, SLIDE, MASSES[i], axes[i]) for i in range(4)), strict=True)
    machine = Articulation("/m", (Link("/m/base"), *bodies), joints, fixed_base=True)
    sim = simulate(machine, solver, 1, velocity)
    sim.step()
    W, after = response(4, False), before
    for _ in range(1 + velocity):
        for row in J:
            after = after - W @ row * (row @ after) / (row @ W @ row)
    assert np.abs(columns(sim, sim.qd[0]) - after).max() <= 64 * EPS
    settled = before - W @ J.T @ np.linalg.solve(J @ W @ J.T, J @ before)
    assert velocity == 1 or np.abs(after - settled).max() <= 64 * EPS
