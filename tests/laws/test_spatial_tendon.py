"""Spatial tendons: springs along lines through points of links. Tendon part of the articulation seed."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import EPS
from one_joint import FREE

import fajin
from fajin.scene import Articulation, Attachment, Axis, Joint, JointType, Link, Scene, SolverType, SpatialTendon

H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
COUNTS = pytest.mark.parametrize("n", [1, 4, 16])
MASS = 2.0


def rail(name: str, letter: str, q: float = 0.0, qd: float = 0.0, on: str = "/m/base", at=(0.0, 0.0, 0.0)):
    """A mass on a rail along an axis, which starts at a point of another link."""
    axis = Axis(f"trans{letter}", q=q, qd=qd)
    link = Link(f"/m/{name}", mass=MASS, **FREE)
    frame = at, (0.0, 0.0, 0.0, 1.0)
    return link, Joint(f"/m/{name}_rail", JointType.PRISMATIC, on, link.path, frame, axis=letter, axes=(axis,))


def machine(parts, attachments, **tendon) -> Articulation:
    """Rails on a fixed base, and one tendon."""
    links, joints = zip(*parts, strict=True)
    strung = SpatialTendon("/m/base:t", tuple(attachments), **tendon)
    return Articulation("/m", (Link("/m/base"), *links), joints, fixed_base=True, spatial_tendons=(strung,))


def simulate(robot: Articulation, solver: SolverType, n: int = 1, velocity: int = 0) -> fajin.Simulation:
    """The machine in float64 without gravity; n position iterations."""
    robot = replace(robot, position_iterations=n, velocity_iterations=velocity)
    scene = Scene("machine", (robot,), (0.0, 0.0, 0.0), H, solver)
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


def straight(q: float, qd: float, **leaf) -> tuple:
    """A mass on a rail along z with a tendon from the base."""
    tip = Attachment("/m/a", parent=0, leaf=True, **leaf)
    return [rail("a", "Z", q, qd)], [Attachment("/m/base"), tip]


@SOLVERS
@COUNTS
@pytest.mark.parametrize("q", [0.4, -0.4])
def test_a_straight_tendon_is_an_implicit_spring(solver, n, q):
    """v ← (v − δ k (|q| + offset − rest) sign(q)/m)/(1 + a/m), a = δ (δ k + d): it pulls, and pushes too."""
    for rest in (0.1, 0.9):
        x, v, k, d, offset = q, 0.8, 300.0, 5.0, 0.05
        tendon = {"stiffness": k, "damping": d, "offset": offset}
        sim = simulate(machine(*straight(x, v, rest_length=rest), **tendon), solver, n)
        for _ in range(3):
            sim.step()
            delta = H / n if solver else H
            for _ in range(n if solver else 1):
                stretch = (abs(x) + offset - rest) * np.sign(x)
                v = (v - delta * k * stretch / MASS) / (1.0 + delta * (delta * k + d) / MASS)
                x += delta * v
            assert abs(sim.q[0, 0] - x) <= 64 * n * EPS
            assert abs(sim.qd[0, 0] - v) <= 64 * n * EPS


@SOLVERS
def test_gearing_scales_the_length_and_not_the_force(solver):
    """m Δv = −x (a v + δ k (c |q| − rest)), x = 1/(1 + a/m): the gearing c is not in the force."""
    q, v, k, d, c, rest = 0.4, 0.8, 300.0, 5.0, 1.7, 0.3
    sim = simulate(machine(*straight(q, v, gearing=c, rest_length=rest), stiffness=k, damping=d), solver)
    sim.step()
    a = H * (H * k + d)
    pull = (a * v + H * k * (c * q - rest)) / (1.0 + a / MASS)
    assert abs(sim.q[0, 0] - q - H * (v - pull / MASS)) <= 64 * EPS


@SOLVERS
@COUNTS
@pytest.mark.parametrize("q", [0.2, 0.4, 0.7])
def test_a_tendon_beyond_its_limits_pulls_with_its_limit_stiffness(solver, n, q):
    """m Δv = −x δ k_lim (ℓ − limit) a substep, x = 1/(1 + δ² k_lim/m), beyond a limit; nothing between them.

    The spring does not feel the speed that it makes: n iterations of PGS bring 1 − (1 − x)ⁿ of δ k_lim (ℓ − limit).
    """
    stiffness, lower, upper = 500.0, 0.3, 0.5
    sim = simulate(machine(*straight(q, 0.0, lower=lower, upper=upper), limit_stiffness=stiffness), solver, n)
    sim.step()
    delta, v = H / n if solver else H, 0.0
    x = 1.0 / (1.0 + delta * delta * stiffness / MASS)
    for _ in range(n if solver else 1):
        excess = q - min(max(q, lower), upper)
        share = x if solver else 1.0 - (1.0 - x) ** n
        v -= share * delta * stiffness * excess / MASS
        q += delta * v
    assert abs(sim.q[0, 0] - q) <= 64 * n * EPS


@SOLVERS
@COUNTS
def test_a_tendon_pulls_its_ends_along_its_end_pieces(solver, n):
    """Base – a – b: only b is pulled, along b's last piece, by δ k (ℓ − rest)/(1 + a r); a, where it bends, is not.

    r = n1·n1/m along b's rail: the end at the base moves nothing.
    """
    k, rest, x = 200.0, 0.3, 0.4
    parts = [rail("a", "X", 0.3), rail("b", "Z", x, at=(0.5, 0.2, 0.0))]
    points = [np.zeros(3), np.array((0.3, 0.0, 0.1)), np.array((0.5, 0.2, x))]
    attachments = [
        Attachment("/m/base"),
        Attachment("/m/a", (0.0, 0.0, 0.1), 0),
        Attachment("/m/b", parent=1, gearing=0.8, leaf=True, rest_length=rest),
    ]
    sim = simulate(machine(parts, attachments, stiffness=k), solver, n)
    sim.step()
    v, delta = 0.0, H / n if solver else H
    along = ((points[1] - points[2]) / np.linalg.norm(points[1] - points[2]))[2]  # as the step began
    for _ in range(n if solver else 1):
        pieces = np.linalg.norm(points[1] - points[0]), np.linalg.norm(points[2] - points[1])
        stretch = pieces[0] + 0.8 * pieces[1] - rest
        a = delta * delta * k
        v += along * (delta * k * stretch - a * along * v) / (1.0 + a * along**2 / MASS) / MASS
        points[2][2] += delta * v
    q = dict(zip(sim.dof, sim.q[0], strict=True))
    assert abs(q["/m/a_rail:transX"] - 0.3) <= 4 * EPS
    assert abs(q["/m/b_rail:transZ"] - points[2][2]) <= 64 * n * EPS


@SOLVERS
def test_each_leaf_is_a_spring_of_its_own(solver):
    """Two leaves, two springs: what one does to its link the other's does not feel."""
    parts = [rail("a", "X", 0.3), rail("b", "Y", 0.5)]
    leaves = [Attachment(f"/m/{name}", parent=0, leaf=True, rest_length=0.2) for name in "ab"]
    sim = simulate(machine(parts, [Attachment("/m/base"), *leaves], stiffness=300.0), solver)
    sim.step()
    for name, letter, q in (("a", "X", 0.3), ("b", "Y", 0.5)):
        speed = -H * 300.0 * (q - 0.2) / MASS / (1.0 + H * H * 300.0 / MASS)
        now = sim.q[0, sim.dof.index(f"/m/{name}_rail:trans{letter}")]
        assert abs(now - q - H * speed) <= 64 * EPS


@SOLVERS
def test_root_and_leaf_pull_each_other(solver):
    """A tendon between two links of a floating machine keeps its momentum."""
    parts = [rail("a", "X", 0.3, 0.4), rail("b", "Z", 0.5, -0.2, "/m/a", (0.1, 0.2, 0.0))]
    leaf = Attachment("/m/b", (0.1, 0.0, 0.05), 0, leaf=True, rest_length=0.2)
    robot = machine(parts, [Attachment("/m/a", (0.0, 0.1, 0.0)), leaf], stiffness=300.0, damping=2.0)
    recording = simulate(replace(robot, fixed_base=False), solver, 4).run(steps=5)
    mass = np.array([1.0 if path == "/m/base" else MASS for path in recording.link])
    course = np.einsum("l,tlk->tk", mass, recording.pose[:, 0, :, :3])
    assert np.abs(np.diff(course, 2, axis=0)).max() <= 256 * EPS
    assert np.ptp(recording.qd, axis=0).max() > 0.1
