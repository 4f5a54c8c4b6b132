"""M(q) q̈ + c(q, q̇) = τ: joint accelerations of random trees against Pinocchio's."""

from dataclasses import replace

import numpy as np
import pytest
from random_tree import KINDS, edited, random_tree

import fajin
from fajin.model.mass_matrix import effective_inertia
from fajin.scene import Scene, SolverType

pytest.importorskip("pinocchio")
from pinocchio_equations import equations, expected
from pinocchio_tree import pin

EPS = np.finfo(np.float64).eps
BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
SEEDS = pytest.mark.parametrize("seed", range(6))


def accelerations(scene: Scene, effort=0.0, h: float = 1 / 60) -> np.ndarray:
    """(q̇₁ - q̇₀)/h of one step [rad/s² | m/s²], (D,)."""
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1, dt=h)
    sim.effort = effort
    before = sim.qd[0]
    sim.step()
    return (sim.qd[0] - before) / h


def tolerance(condition: float, size: int, qd: float, h: float = 1 / 60) -> float:
    """Round-off of solving with M, and of taking the difference of two speeds of size `qd` over h."""
    return EPS * (size * condition + 4 * qd / h)


def compare(scene: Scene, effort=0.0) -> None:
    """The engine's joint accelerations are Pinocchio's."""
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    found = accelerations(scene, effort)
    qdd, _, condition = expected(scene, sim.dof, effort)
    size = np.abs(qdd).max()
    bound = tolerance(condition, len(qdd), np.abs(sim.qd[0]).max() / size)
    assert bound < 1e-10
    assert np.abs(found - qdd).max() <= bound * size


@BASES
@SEEDS
def test_joints_accelerate_as_in_pinocchio(seed, floating):
    """(q̇₁ - q̇₀)/h = M⁻¹ (τ - c(q, q̇)) with gravity, in motion; restoring a floating base's momentum turns only it."""
    compare(random_tree(seed, floating=floating))


@BASES
@pytest.mark.parametrize("every", [False, True], ids=["at-once", "every-iteration"])
def test_substeps_add_up_to_the_same_acceleration(every, floating):
    """TGS spreads gravity and effort over its iterations; responses are frozen, so their sum is that of one step."""
    scene = random_tree(3, floating=floating)
    count = sum(len(joint.axes) for joint in scene.articulations[0].joints)
    compare(replace(scene, solver=SolverType.TGS, external_forces_every_iteration=every), np.arange(1.0, count + 1.0))


@BASES
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_joint_accelerates_as_in_pinocchio(kind, floating):
    """The same for a chain of three joints of one kind."""
    compare(random_tree(7, (kind, "revolute", kind, kind), floating))


@BASES
@SEEDS
def test_armature_and_effort_enter_as_in_pinocchio(seed, floating):
    """(M + armature) q̈ = τ - c."""
    rng = np.random.default_rng(seed)
    scene = edited(random_tree(seed, floating=floating), axes=lambda a: replace(a, armature=rng.uniform(0, 2)))
    count = sum(len(joint.axes) for joint in scene.articulations[0].joints)
    compare(scene, rng.normal(size=count) * 10.0)


@BASES
@SEEDS
def test_a_link_without_gravity_does_not_weigh(seed, floating):
    """Its inertia stays."""
    rng = np.random.default_rng(seed)
    compare(edited(random_tree(seed, floating=floating), lambda l: replace(l, disable_gravity=rng.random() < 0.5)))


@SEEDS
def test_a_floating_base_turns_as_in_pinocchio(seed):
    """R₁ = exp(α h²) R₀ from rest under joint efforts: the base feels what the joints push against."""
    rng = np.random.default_rng(seed)
    still = edited(
        random_tree(seed, floating=True),
        lambda l: replace(l, velocity=(0.0,) * 3, angular_velocity=(0.0,) * 3),
        lambda a: replace(a, qd=0.0),
    )
    h = 1 / 60
    sim = fajin.Simulation(still, device="cpu", precision="f64", threads=1, dt=h)
    effort = rng.normal(size=len(sim.dof))
    sim.effort = effort
    recording = sim.run(steps=1)
    column = recording.link.index(still.articulations[0].links[0].path)
    before, after = (pin.Quaternion(q).toRotationMatrix() for q in recording.pose[:, 0, column, 3:])
    _, spin, condition = expected(still, sim.dof, effort)
    found = pin.log3(before.T @ after) / h**2
    size = np.abs(spin).max()
    assert size * h**2 < np.pi
    bound = EPS * (len(sim.dof) * condition * size + 8 / h**2)
    assert np.abs(found - spin).max() <= bound


@BASES
@SEEDS
def test_effective_inertia_is_that_of_pinocchio(seed, floating):
    """1 / (M⁻¹)_kk with armature."""
    scene = edited(random_tree(seed, floating=floating), axes=lambda a: replace(a, armature=0.3))
    found = effective_inertia(scene)
    M, _, _, base = equations(scene, tuple(found))
    assert np.allclose(1 / np.diag(np.linalg.inv(M))[base:], list(found.values()), EPS * len(M) * np.linalg.cond(M), 0)
