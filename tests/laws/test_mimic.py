"""Mimic joints: C = q_A + G q_B + γ is held by impulses λ on A and G λ on B. Equations of "Mimic Joints"."""

from dataclasses import replace
from math import cos, exp, sin, sqrt

import numpy as np
import pytest
from mimic_joints import EPS, SLIDE, SOLVERS, TURN, H, errors, follow, pair, simulate
from motion_of_links import links
from random_tree import random_tree

import fajin
from fajin.scene import SolverType


@pytest.mark.parametrize(
    ("frequency", "ratio", "published"),
    [
        (1000.0, 1.5, (66.871824, -111.105273, 1.668718, -1.111053)),
        (0.0, 0.0, (71.156729, -126.476521, 1.711567, -1.264765)),
    ],
    ids=["soft", "hard"],
)
def test_a_pair_reaches_the_published_state(frequency, ratio, published):
    """What NVIDIA's own tests of PhysX expect of r_AA = 1, r_AB = -1, r_BB = 2 after 0.01 s: eqs. 12-29."""
    mimic = follow(1.63, 0.5, frequency, ratio)
    sim = simulate(pair(mimic, chain=True, q=(1.0, 0.0), qd=(35.9, 0.0)), SolverType.TGS)
    sim.step()
    assert np.abs(np.array((*sim.qd[0], *sim.q[0])) - published).max() < 1e-4


@SOLVERS
@pytest.mark.parametrize("n", [1, 4, 16])
@pytest.mark.parametrize("types", [(SLIDE, SLIDE), (TURN, TURN), (SLIDE, TURN), (TURN, SLIDE)])
def test_a_hard_mimic_takes_its_share_of_the_error(solver, n, types):
    """C ← (1 - erp) C a substep, erp = 0.8 (PGS), min(0.9, 2/√n) (TGS); eqs. 8, 12-16: m_B Δq_B = G m_A Δq_A."""
    start, masses, gearing = np.array((0.3, -0.2)), (2.0, 0.5), -1.7
    sim = simulate(pair(follow(gearing, 0.25), masses, types, q=tuple(start)), solver, n)
    before = errors(sim)[0]
    sim.step()
    left = 0.2 if solver == SolverType.PGS else (1.0 - min(0.9, 2.0 / sqrt(n))) ** n
    moved = sim.q[0][np.argsort(sim.dof)] - start
    assert abs(errors(sim)[0] - left * before) <= 8 * n * EPS
    assert abs(masses[1] * moved[1] - gearing * masses[0] * moved[0]) <= 8 * n * EPS


@SOLVERS
@pytest.mark.parametrize("velocity", [0, 1])
def test_a_hard_mimic_does_no_work(solver, velocity):
    """Eq. 11: what is lost is the energy ½ (J v)²/r of the motion against the bond, at once and never again."""
    masses, gearing, speed = (2.0, 0.5), -1.7, np.array((1.0, 3.0))
    sim = simulate(pair(follow(gearing), masses, qd=tuple(speed)), solver, 4, velocity)
    r = 1.0 / masses[0] + gearing**2 / masses[1]
    energy = np.array(masses) @ speed**2 / 2.0
    kept = energy - (speed[0] + gearing * speed[1]) ** 2 / r / 2.0
    for _ in range(3):
        sim.step()
        assert abs(np.array(masses) @ sim.qd[0] ** 2 / 2.0 - kept) <= 64 * EPS * energy
        assert np.abs(errors(sim)).max() <= 64 * EPS


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("seed", range(12))
def test_a_mimic_projects_the_speeds_of_any_tree(seed, floating):
    """Eqs. 9-15: v = v₀ - M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J v₀ for any two axes, M and the v₀ without the bond by Pinocchio."""
    pytest.importorskip("pinocchio")
    from pinocchio_equations import equations, expected

    rng = np.random.default_rng(seed)
    plain = random_tree(seed, floating=floating)
    dofs = fajin.Simulation(plain, device="cpu", precision="f64", threads=1).dof
    a, b = rng.choice(len(dofs), 2, replace=False)
    gearing = rng.choice((-1, 1)) * rng.uniform(0.3, 2.0)
    mimic = follow(gearing, rng.normal(), reference=dofs[b])
    (tree,) = plain.articulations
    joints = tuple(
        replace(j, axes=tuple(replace(x, mimic=mimic) if f"{j.path}:{x.token}" == dofs[a] else x for x in j.axes))
        for j in tree.joints
    )
    scene = replace(plain, articulations=(replace(tree, joints=joints),))
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1, dt=H)
    M, _, signs, base = equations(plain, dofs)
    qdd, _, condition = expected(plain, dofs)
    free = sim.qd[0] + H * qdd
    J = np.zeros(len(M))
    J[base + a], J[base + b] = 1.0, gearing
    response = signs * np.linalg.solve(M, signs * J)
    rate = J[base:] @ free
    after = free - response[base:] * rate / (J @ response)
    sim.step()
    size = np.abs(free).max() + np.abs(response).max() * abs(rate) / (J @ response)
    assert np.abs(sim.qd[0] - after).max() <= 4 * EPS * len(M) * condition * size


@SOLVERS
@pytest.mark.parametrize("seed", range(3))
def test_a_mimic_keeps_the_momentum_of_a_floating_tree(seed, solver):
    """Its two impulses act inside the tree."""
    tree = random_tree(seed, ("revolute", "prismatic", "revolute", "spherical"), floating=True)
    (articulation,) = tree.articulations
    slider = next(j for j in articulation.joints if j.type == SLIDE)
    mimic = follow(0.7, 0.1, 20.0, 0.3, reference=f"{slider.path}:transY")
    joints = tuple(replace(j, axes=(replace(j.axes[0], mimic=mimic), *j.axes[1:])) if j.type == TURN else j
                   for j in articulation.joints)  # fmt: skip
    scene = replace(tree, articulations=(replace(articulation, joints=joints),), gravity=(0.0,) * 3, solver=solver)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    moving = links(sim)
    P, H0 = moving.momentum
    sim.step(20)
    after_P, after_H = links(sim).momentum
    bound = 20 * EPS * len(sim.link)
    assert np.abs(after_P - P).max() <= bound * (moving.mass @ np.abs(moving.velocity).sum(1))
    assert abs(np.linalg.norm(after_H) / np.linalg.norm(H0) - 1.0) <= bound


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize(("frequency", "ratio"), [(5.0, 0.2), (30.0, 1.0), (400.0, 3.0)])
def test_a_soft_mimic_is_an_implicit_spring(frequency, ratio, n):
    """Eqs. 18-29, a substep δ of TGS: Ċ ← (Ċ - δ μ² C) / (1 + 2 δ μ ζ + δ² μ²), C ← C + δ Ċ."""
    mimic = follow(-1.7, 0.25, frequency, ratio)
    sim = simulate(pair(mimic, (2.0, 0.5), chain=True, q=(0.3, -0.2), qd=(0.5, 0.1)), SolverType.TGS, n)
    (c,), rate, delta = errors(sim), 0.5 - 1.7 * 0.1, H / n
    for _ in range(5):
        for _ in range(n):
            rate -= delta * frequency**2 * c
            rate /= 1.0 + 2.0 * delta * frequency * ratio + (delta * frequency) ** 2
            c += delta * rate
        sim.step()
        assert abs(errors(sim)[0] - c) <= 256 * EPS
        assert abs(sim.qd[0, 0] - 1.7 * sim.qd[0, 1] - rate) <= 256 * EPS * max(1.0, frequency)


@pytest.mark.parametrize(("frequency", "ratio"), [(20.0, 0.1), (50.0, 0.5)])
def test_a_soft_mimic_oscillates_with_its_frequency_and_damping_ratio(frequency, ratio):
    """C̈ + 2 ζ μ Ċ + μ² C = 0, to the order of the substep, whatever the masses and the gearing."""
    off = []
    for n in (8, 16):
        sim = simulate(pair(follow(0.6, 0.0, frequency, ratio), (3.0, 0.2), q=(0.2, 0.0)), SolverType.TGS, n, dt=1e-3)
        recording = sim.run(steps=100)
        c = np.array([errors(sim, q)[0] for q in recording.q[:, 0]])
        decay, ring = ratio * frequency, frequency * sqrt(1.0 - ratio**2)
        law = [0.2 * exp(-decay * t) * (cos(ring * t) + decay / ring * sin(ring * t)) for t in recording.time]
        off.append(np.abs(c - law).max())
    assert off[1] / off[0] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("n", [1, 4, 16])
def test_a_soft_mimic_hardens_with_the_iterations_of_pgs(n):
    """Each iteration leaves cfm/(r + cfm) of Ċ + erp C/h; the velocity iteration then stops all motion against it."""
    frequency, ratio, masses, start, speed = 10.0, 0.7, (2.0, 0.5), 0.4, 0.3
    sim = simulate(pair(follow(1.0, 0.0, frequency, ratio), masses, q=(start, 0.0), qd=(speed, 0.0)), SolverType.PGS, n)
    r = 1.0 / masses[0] + 1.0 / masses[1]
    stiffness, damping = frequency**2 / r, 2.0 * ratio * frequency / r
    erp, cfm = H * stiffness / (H * stiffness + damping), 1.0 / (H * (H * stiffness + damping))
    goal = -erp * start / H
    rate = goal + (speed - goal) * (cfm / (r + cfm)) ** n
    sim.step()
    assert abs(errors(sim)[0] - start - H * rate) <= 16 * n * EPS
    assert abs(sim.qd[0].sum()) <= 16 * n * EPS * abs(rate)
