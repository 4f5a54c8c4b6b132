"""Fixed tendons: springs on ℓ = Σ c q + offset over the joints they run on. Tendon part of the articulation seed."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import EPS
from one_joint import FREE

import fajin
from fajin.scene import Articulation, Axis, FixedTendon, Joint, JointType, Link, Scene, SolverType, TendonAxis

H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
COUNTS = pytest.mark.parametrize("n", [1, 4, 16])
MASSES = (2.0, 0.5)


def rails(tendon: dict, q=(0.0,), qd=(0.0,), swap: bool = False) -> Articulation:
    """Masses on rails along z, each rail on the mass before, and a tendon over all of them with `axes`."""
    names = ["/m/base", *(f"/m/link{i}" for i in range(len(q)))]
    links = [Link(name, mass=mass, **FREE) for name, mass in zip(names, (1.0, *MASSES), strict=False)]
    joints = []
    for i, (x, v) in enumerate(zip(q, qd, strict=True)):
        ends = (names[i + 1], names[i]) if swap else (names[i], names[i + 1])
        joints.append(Joint(f"/m/j{i}", JointType.PRISMATIC, *ends, axis="Z", axes=(Axis("transZ", q=x, qd=v),)))
    strung = tuple(TendonAxis(f"/m/j{i}:transZ", c, f) for i, (c, f) in enumerate(tendon.pop("axes")))
    return Articulation(
        "/m", tuple(links), tuple(joints), fixed_base=True, fixed_tendons=(FixedTendon("/m/j0:t", strung, **tendon),)
    )


def simulate(machine: Articulation, solver: SolverType, n: int = 1, velocity: int = 0, gravity: float = 0.0):
    """The machine in float64; n position iterations."""
    machine = replace(machine, position_iterations=n, velocity_iterations=velocity)
    scene = Scene("machine", (machine,), (0.0, 0.0, -gravity), H, solver)
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


@SOLVERS
@COUNTS
def test_a_tendon_over_one_joint_is_an_implicit_spring(solver, n):
    """v ← (v − δ k (q + offset − rest)/m)/(1 + a/m), a = δ (δ k + d); iterations of PGS change nothing."""
    k, d, rest, offset, q, v = 300.0, 5.0, 0.3, 0.1, 0.05, 0.8
    tendon = {"stiffness": k, "damping": d, "rest_length": rest, "offset": offset, "axes": ((1.0, 1.0),)}
    sim = simulate(rails(tendon, (q,), (v,)), solver, n)
    for _ in range(3):
        sim.step()
        delta, error = H / n if solver else H, q + offset - rest
        for _ in range(n if solver else 1):
            error = q + offset - rest
            v = (v - delta * k * error / MASSES[0]) / (1.0 + delta * (delta * k + d) / MASSES[0])
            q += delta * v
        assert abs(sim.q[0, 0] - q) <= 64 * n * EPS
        assert abs(sim.qd[0, 0] - v) <= 64 * n * EPS


@SOLVERS
@pytest.mark.parametrize("swap", [False, True], ids=["as_authored", "bodies_swapped"])
@pytest.mark.parametrize(("gearing", "force"), [(1.0, 1.0), (2.0, 1.0), (1.0, 0.5), (-1.5, 0.7)])
def test_gearing_scales_the_length_and_the_force_coefficient_the_force(solver, swap, gearing, force):
    """m Δv = −f x (a c v + δ k (c q + offset − rest)), x = 1/(1 + a r): neither is in the other nor in r = 1/m.

    q is that of the child in its parent, so swapped bodies turn its sign.
    """
    k, d, rest, offset, q, v, m = 300.0, 5.0, 0.3, 0.1, 0.05, 0.8, MASSES[0]
    tendon = {"stiffness": k, "damping": d, "rest_length": rest, "offset": offset, "axes": ((gearing, force),)}
    sim = simulate(rails(tendon, (q,), (v,), swap), solver, 1)
    sim.step()
    sign = -1.0 if swap else 1.0
    a = H * (H * k + d)
    pull = force / (1.0 + a / m) * (a * gearing * sign * v + H * k * (gearing * sign * q + offset - rest))
    if solver == SolverType.TGS:
        assert abs(sim.qd[0, 0] - (v - sign * pull / m)) <= 64 * EPS
    assert abs(sim.q[0, 0] - q - H * (v - sign * pull / m)) <= 64 * EPS


@SOLVERS
@pytest.mark.parametrize(("n", "d"), [(1, 3.0), (1, 0.0), (4, 0.0), (16, 0.0)])
@pytest.mark.parametrize("q", [-0.2, 0.0, 0.3])
def test_a_tendon_beyond_its_limits_pulls_with_its_limit_stiffness(solver, q, n, d):
    """m Δv = −x δ k_lim (ℓ − limit) a substep, x = 1/(1 + δ (δ k_lim + d)/m), beyond a limit; nothing between them.

    The spring does not feel the speed that it makes: n iterations of PGS bring 1 − (1 − x)ⁿ of δ k_lim (ℓ − limit).
    """
    stiffness, lower, upper, m = 500.0, -0.1, 0.1, MASSES[0]
    tendon = {"limit_stiffness": stiffness, "damping": d, "lower": lower, "upper": upper, "axes": ((1.0, 1.0),)}
    sim = simulate(rails(tendon, (q,)), solver, n)
    sim.step()
    delta, v = H / n if solver else H, 0.0
    x = 1.0 / (1.0 + delta * (delta * stiffness + d) / m)
    for _ in range(n if solver else 1):
        excess = q - min(max(q, lower), upper)
        share = x if solver else 1.0 - (1.0 - x) ** n
        v -= share * delta * stiffness * excess / m
        q += delta * v
    assert abs(sim.q[0, 0] - q) <= 64 * n * EPS


@SOLVERS
def test_a_tendon_over_two_joints_pulls_the_links_of_both(solver):
    """N = 2: F_j = −f_j x_j (a ℓ̇/N + δ k (ℓ − rest)/N) on each link, ℓ = c1 q1 + c2 q2, its rate by link velocities."""
    k, d, rest, q, v = 300.0, 5.0, 0.3, np.array((0.05, -0.1)), np.array((0.8, -0.3))
    c, f = np.array((1.2, -0.7)), np.array((0.9, 1.1))
    axes = tuple(zip(c, f, strict=True))
    sim = simulate(rails({"stiffness": k, "damping": d, "rest_length": rest, "axes": axes}, q, v), solver, 1)
    sim.step()
    m = np.array(MASSES)
    a, speed = H * (H * k + d), np.cumsum(v)  # of the links
    rate = c @ v / 2.0
    error = (c @ q - rest) / 2.0
    pull = -f / (1.0 + a / m) * (a * rate + H * k * error)
    moved = H * np.diff(speed + pull / m, prepend=0.0)
    assert np.abs(np.sort(sim.q[0] - q) - np.sort(moved)).max() <= 256 * EPS


def test_a_tendon_holds_a_weight_where_its_force_says():
    """At rest k f (c q + offset − rest) = −g (m + a (1 − f c)): c weighs the length, f the force.

    a g (1 − f c) is what damping does where length and force are weighed differently, as gravity comes before it.
    """
    k, c, f, rest, offset, g, m = 400.0, 0.8, 1.3, 0.2, 0.05, 9.81, MASSES[0]
    tendon = {"stiffness": k, "damping": 40.0, "rest_length": rest, "offset": offset, "axes": ((c, f),)}
    sim = simulate(rails(tendon), SolverType.TGS, 4, gravity=g)
    sim.step(2000)
    delta = H / 4
    a = delta * (delta * k + 40.0)
    assert k * f * (c * sim.q[0, 0] + offset - rest) == pytest.approx(-g * (m + a * (1.0 - f * c)), rel=1e-9)
    assert abs(sim.qd[0, 0]) <= 1e-9


@SOLVERS
def test_the_reaction_of_a_tendon_is_on_the_link_where_it_starts(solver):
    """A floating chain keeps its momentum: what the tendon's links gain, the parent of its root joint loses."""
    tendon = {"stiffness": 300.0, "damping": 5.0, "rest_length": 0.3, "axes": ((1.0, 1.0), (-0.5, 2.0))}
    machine = replace(rails(tendon, (0.1, -0.2), (0.5, 1.0)), fixed_base=False)
    recording = simulate(machine, solver, 4).run(steps=5)
    mass = np.array([1.0, *MASSES])
    course = recording.pose[:, 0, :, 2] @ mass[[int(np.argsort(recording.link).tolist().index(i)) for i in range(3)]]
    assert np.abs(np.diff(course, 2)).max() <= 256 * EPS
    assert np.ptp(recording.qd, axis=0).min() > 0.1


def test_a_tendon_without_stiffness_is_slack():
    """Without stiffness, damping and limits a tendon does nothing at all."""
    sim = simulate(rails({"axes": ((1.0, 1.0), (1.0, 1.0))}, (0.1, -0.2), (0.5, 1.0)), SolverType.TGS, 4)
    sim.step(3)
    assert np.abs(np.sort(sim.qd[0]) - (0.5, 1.0)).max() <= 16 * EPS
