"""Every function of `fajin.dynamics` against Pinocchio, on random trees of all joint types."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from random_tree import KINDS, edited, random_tree

import fajin
from fajin import dynamics

pytest.importorskip("pinocchio")
from pinocchio_dynamics import Equations

BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
SEEDS = {"f64": 12, "f32": 3}  # trees of each precision
ROUND_OFF = {"f64": 1e-11, "f32": 1e-4}
EPS = {"f64": np.finfo(np.float64).eps, "f32": np.finfo(np.float32).eps}


@cache
def case(seed: int, floating: bool, precision: str) -> tuple[fajin.Simulation, Equations]:
    """A tree with rotors, one link in three without weight."""
    rng = np.random.default_rng(seed)
    tree = edited(
        random_tree(seed, floating=floating),
        lambda link: replace(link, disable_gravity=rng.random() < 0.3),
        lambda axis: replace(axis, armature=rng.uniform(0.0, 0.5)),
    )
    sim = fajin.Simulation(tree, device="cpu", precision=precision, threads=1)
    return sim, Equations(tree, sim.dof)


def order(sim: fajin.Simulation, equations: Equations) -> list[int]:
    """Places of our links among Pinocchio's."""
    paths = list(equations.tree.links)
    return [paths.index(path) for path in dynamics.links(sim)]


def check(sim: fajin.Simulation, found: np.ndarray, expected, condition: float = 0.0, size: float = 0.0) -> None:
    """Equal to round-off, relative to the largest element or `size`; `condition` of a matrix that was solved with."""
    precision = "f64" if found.dtype == np.float64 else "f32"
    assert found.shape == (sim.worlds, *np.shape(expected))
    bound = max(ROUND_OFF[precision], EPS[precision] * condition * np.size(expected))
    assert np.abs(found[0] - expected).max() <= bound * max(size, np.abs(expected).max())


@pytest.fixture(
    params=[(seed, precision) for precision, n in SEEDS.items() for seed in range(n)], ids=lambda of: f"{of[0]}-{of[1]}"
)
def pair(request, floating) -> tuple[fajin.Simulation, Equations]:
    """A simulation and Pinocchio's equations of the same tree."""
    seed, precision = request.param
    return case(seed, floating, precision)


@BASES
def test_the_trees_hold_every_joint_forward_and_backward_inside_and_at_an_end(floating):
    """Of the seeds in double precision; without a floating base some hang on a joint, others stand fixed."""
    found, roots = set(), set()
    for seed in range(SEEDS["f64"]):
        (tree,) = random_tree(seed, floating=floating).articulations
        place = {"": -1} | {link.path: i for i, link in enumerate(tree.links)}
        ends = [(place[joint.body0], place[joint.body1]) for joint in tree.joints]
        inner = {min(pair) for pair in ends}
        for joint, pair in zip(tree.joints, ends, strict=True):
            kind = joint.path.rpartition("/")[2].rstrip("0123456789ab").replace("_", "-")
            found |= {(kind, "forward" if pair[0] < pair[1] else "backward"), (kind, max(pair) in inner)}
        roots.add((tree.fixed_base, -1 in inner))
    assert found >= set(product(KINDS, ("forward", "backward", True, False)))
    assert roots == ({(False, False)} if floating else {(True, False), (False, True)})


@BASES
def test_gravity_and_coriolis_efforts(pair):
    """τ = rnea(q, 0, 0) and rnea(q, q̇, 0) without gravity."""
    sim, equations = pair
    n = len(equations.v)
    still = np.zeros(n)
    check(sim, dynamics.gravity_compensation(sim), equations.efforts(still, still, equations.weights))
    check(sim, dynamics.coriolis_compensation(sim), equations.efforts(equations.v, still, 0.0 * equations.weights))


@BASES
def test_efforts_against_external_forces(pair):
    """−Σ Jᵀ F, forces at the centres of mass."""
    sim, equations = pair
    force = np.random.default_rng(1).normal(size=(1, len(dynamics.links(sim)), 6))
    wrenches = np.zeros((force.shape[1], 6))
    wrenches[order(sim, equations)] = force[0]
    still = 0.0 * equations.v
    check(sim, dynamics.generalized_external_force(sim, force=force), equations.efforts(still, still, wrenches))


@BASES
def test_efforts_of_accelerations(pair):
    """M q̈ + c, with armature."""
    sim, equations = pair
    qdd = np.random.default_rng(2).normal(size=(1, len(equations.v)))
    expected = equations.efforts(equations.v, qdd[0], 0.0 * equations.weights) + equations.armature * qdd[0]
    check(sim, dynamics.joint_force(sim, qdd=qdd), expected)


@BASES
def test_accelerations_under_efforts(pair):
    """M⁻¹ (τ − c + g); without `effort`, those of the simulation act."""
    sim, equations = pair
    n, rng = len(equations.v), np.random.default_rng(3)
    effort = rng.normal(size=(1, n))
    M = equations.mass_matrix() + np.diag(equations.armature)
    bias = equations.efforts(equations.v, np.zeros(n), equations.weights)
    condition = np.linalg.cond(M)
    check(sim, dynamics.joint_acceleration(sim, effort=effort), np.linalg.solve(M, effort[0] - bias), condition)
    effort[:, : n - len(sim.dof)] = 0.0
    joints = effort[:, n - len(sim.dof) :]
    expected = np.linalg.solve(M, effort[0] - bias)
    check(sim, dynamics.joint_acceleration(sim, effort=joints), expected, condition)
    sim.effort = joints
    check(sim, dynamics.joint_acceleration(sim), expected, condition)


@BASES
def test_mass_matrix(pair):
    """CRBA and armature; PhysX leaves that out."""
    sim, equations = pair
    M = equations.mass_matrix()
    check(sim, dynamics.mass_matrix(sim, physx=True), M)
    check(sim, dynamics.mass_matrix(sim), M + np.diag(equations.armature))


@BASES
def test_jacobian(pair):
    """Rows of the centres of mass, linear ones first, a fixed root left out."""
    sim, equations = pair
    J = equations.jacobian().reshape(-1, 6, len(equations.v))
    places = order(sim, equations)
    missing = len(places) - len(J)
    rows = [place - missing for place in places if place >= missing]
    check(sim, dynamics.jacobian(sim), J[rows].reshape(-1, len(equations.v)))


@BASES
def test_centre_of_mass_and_momentum(pair):
    """A_G q̇ is the momentum; bias its rate at q̈ = 0."""
    sim, equations = pair
    A, bias = equations.centroidal()
    check(sim, dynamics.articulation_com(sim), equations.centre())
    check(sim, dynamics.centroidal_momentum_matrix(sim), A)
    check(sim, dynamics.centroidal_momentum_bias(sim), bias)
    check(sim, dynamics.momentum(sim), A @ equations.v)


@BASES
def test_energies(pair):
    """T with rotors; U of links with weight."""
    sim, equations = pair
    kinetic, potential = equations.energies()
    check(sim, dynamics.kinetic_energy(sim), kinetic)
    check(sim, dynamics.potential_energy(sim), potential)


@BASES
def test_a_base_that_gives_way(pair):
    """τ_j − M_j0 M_00⁻¹ τ_0, and H_jj − M_j0 M_00⁻¹ M_0j."""
    sim, equations = pair
    rng, still = np.random.default_rng(4), 0.0 * equations.v
    M, base, weightless = equations.mass_matrix(), len(still) - len(sim.dof), 0.0 * equations.weights
    free = np.eye(len(still))[base:]
    if base:
        free[:, :6] = -M[base:, :6] @ np.linalg.inv(M[:6, :6])
    condition, armature = np.linalg.cond(M), equations.armature[base:]
    qdd = rng.normal(size=(1, len(sim.dof)))
    expected = free @ M[:, base:] @ qdd[0]
    check(sim, dynamics.joint_force(sim, qdd=qdd, physx=True, free_base=True), expected, condition)
    expected += free @ equations.efforts(equations.v, still, weightless) + armature * qdd[0]
    check(sim, dynamics.joint_force(sim, qdd=qdd, free_base=True), expected, condition)
    force = rng.normal(size=(1, len(weightless), 6))
    wrenches = weightless.copy()
    wrenches[order(sim, equations)] = force[0]
    expected = free @ equations.efforts(still, still, wrenches)
    check(sim, dynamics.generalized_external_force(sim, force=force, free_base=True), expected, condition)
    efforts = equations.efforts(equations.v, still, weightless)
    check(sim, dynamics.coriolis_compensation(sim, free_base=True), free @ efforts, condition)
    efforts = equations.efforts(still, still, equations.weights)
    size = np.abs(efforts).max()  # a base that falls with its links leaves nothing
    check(sim, dynamics.gravity_compensation(sim, free_base=True), free @ efforts, condition, size)
    expected = free @ M[:, base:] + np.diag(armature)
    check(sim, dynamics.mass_matrix(sim, free_base=True), expected, condition)
