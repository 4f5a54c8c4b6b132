"""What the equations of motion owe each other, whatever the robot."""

from dataclasses import replace

import numpy as np
import pytest
from random_tree import edited, random_tree

import fajin
from fajin import dynamics
from fajin.scene import Scene

EPS = np.finfo(np.float64).eps
BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
SEEDS = pytest.mark.parametrize("seed", range(8))
HINGES = ("fixed", "revolute", "prismatic", "d6-one", "stacked", "revolute", "prismatic")
"""Joints whose speeds are the rates of their positions."""


def simulation(scene: Scene, worlds: int = 1, **options) -> fajin.Simulation:
    """On one thread of the CPU, in double precision, unless `options` say otherwise."""
    return fajin.Simulation(scene, worlds, **({"device": "cpu", "precision": "f64", "threads": 1} | options))


def heavy(seed: int, floating: bool, kinds: tuple[str, ...] | None = None) -> Scene:
    """A random tree with rotors."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, floating=floating) if kinds is None else random_tree(seed, kinds, floating)
    return edited(tree, axes=lambda axis: replace(axis, armature=rng.uniform(0.0, 0.5)))


def speeds(sim: fajin.Simulation) -> np.ndarray:
    """(n,) speeds of all coordinates."""
    root = sim.scene.articulations[0].links[0]
    base = [] if sim.scene.articulations[0].fixed_base else [*root.velocity, *root.angular_velocity]
    return np.array([*base, *sim.qd[0]])[-len(dynamics.coordinates(sim)) :]


def ahead(scene: Scene, time: float) -> Scene:
    """The scene a moment later, if every coordinate kept its speed."""

    def moved(link):
        if not any(link.angular_velocity):
            return link
        (x, axis), spin = link.pose, np.array(link.angular_velocity)
        half = 0.5 * time * np.linalg.norm(spin)
        u, w = np.sin(half) * spin / np.linalg.norm(spin), np.cos(half)
        v, s = np.array(axis[:3]), axis[3]
        turned = (*(w * v + s * u + np.cross(u, v)), w * s - u @ v)
        centre = np.array(x) + rotated(axis, link.com) + time * np.array(link.velocity)
        return replace(link, pose=(tuple(centre - rotated(turned, link.com)), turned))

    return edited(scene, moved, lambda axis: replace(axis, q=axis.q + time * axis.qd))


def rotated(quaternion, vector) -> np.ndarray:
    """A vector turned by a quaternion (x, y, z, w)."""
    u, w = np.array(quaternion[:3]), quaternion[3]
    return np.array(vector) + 2 * np.cross(u, np.cross(u, vector) + w * np.array(vector))


@BASES
@SEEDS
def test_forward_dynamics_undoes_inverse_dynamics(seed, floating):
    """ID(FD(τ)) = τ."""
    sim = simulation(heavy(seed, floating))
    effort = np.random.default_rng(seed).normal(size=(1, len(dynamics.coordinates(sim))))
    qdd = dynamics.joint_acceleration(sim, effort=effort)
    back = dynamics.joint_force(sim, qdd=qdd) + dynamics.gravity_compensation(sim)
    parts = (dynamics.joint_force(sim, qdd=qdd), dynamics.gravity_compensation(sim), effort)
    size = max(np.abs(part).max() for part in parts)
    condition = np.linalg.cond(dynamics.mass_matrix(sim)[0])
    assert np.abs(back - effort).max() <= EPS * effort.size * condition * size


@BASES
@SEEDS
def test_kinetic_energy_is_that_of_the_mass_matrix(seed, floating):
    """T = ½ q̇ᵀ M q̇, M symmetric and positive definite."""
    sim = simulation(heavy(seed, floating))
    M, v = dynamics.mass_matrix(sim)[0], speeds(sim)
    assert (M == M.T).all()
    assert np.linalg.eigvalsh(M).min() > 0.0
    energy = 0.5 * v @ M @ v
    assert dynamics.kinetic_energy(sim)[0] == pytest.approx(energy, rel=EPS * v.size**2)


@BASES
@SEEDS
def test_coriolis_forces_do_no_work_but_that_of_the_changing_mass_matrix(seed, floating):
    """q̇ᵀ (Ṁ − 2 C) q̇ = 0: Ṁ − 2 C is skew-symmetric."""
    scene, step = heavy(seed, floating, HINGES), 1e-4
    sim = simulation(scene)
    after, before = (dynamics.mass_matrix(simulation(ahead(scene, t)))[0] for t in (step, -step))
    rate, v = (after - before) / (2 * step), speeds(sim)
    power, coriolis = v @ rate @ v, v @ dynamics.coriolis_compensation(sim)[0]
    size = np.abs(v) @ np.abs(rate) @ np.abs(v)
    speed = np.abs(v).max() * len(v)  # no angle changes faster
    assert abs(power - 2 * coriolis) <= size * (step * speed) ** 2 + EPS * np.abs(after).max() * v.size**2 / step


@SEEDS
def test_the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew_symmetric(seed):
    """uᵀ (Ṁ(v) − 2 C(v)) u = 0 for any u and v, C(v) u = ½ (c(v + u) − c(v) − c(u)) by Christoffel's symbols."""
    scene, step = heavy(seed, False, HINGES), 1e-4
    sim = simulation(scene)
    after, before = (dynamics.mass_matrix(simulation(ahead(scene, t)))[0] for t in (step, -step))
    rate, v = (after - before) / (2 * step), speeds(sim)

    def coriolis(qd: np.ndarray) -> np.ndarray:
        sim.qd = qd
        return dynamics.coriolis_compensation(sim)[0]

    speed = np.abs(v).max() * len(v)
    for u in np.random.default_rng(seed).normal(size=(3, len(v))):
        twice = u @ (coriolis(v + u) - coriolis(v) - coriolis(u))
        size = np.abs(u) @ np.abs(rate) @ np.abs(u)
        assert size > 0.0
        rounding = EPS * v.size**2 * (np.abs(after).max() / step + np.abs(coriolis(v + u)).max())
        assert abs(u @ rate @ u - twice) <= size * (step * speed) ** 2 + rounding * (1.0 + u @ u)


@BASES
@SEEDS
def test_the_jacobian_is_the_derivative_of_the_places(seed, floating):
    """J q̇ = d/dt of every centre of mass: mass-weighted they are one point, so each link is weighed alone."""
    scene, step = heavy(seed, floating, HINGES), 1e-4
    sim = simulation(scene)
    v = speeds(sim)
    moved = (dynamics.jacobian(sim)[0] @ v).reshape(-1, 6)
    paths = dynamics.links(sim)[-len(moved) :]
    for path, twist in zip(paths, moved, strict=True):

        def alone(link, path=path):
            return replace(link, mass=1.0 if link.path == path else 1e-14)

        places = [dynamics.articulation_com(simulation(edited(ahead(scene, t), alone)))[0] for t in (step, -step)]
        rate = (places[0] - places[1]) / (2 * step)
        speed = np.abs(v).max() * len(v)
        assert np.abs(rate - twist[:3]).max() <= speed * (step * speed) ** 2 + EPS * 10 / step


@BASES
@SEEDS
def test_energy_changes_by_the_power_of_the_efforts(seed, floating):
    """dE/dt = τ · q̇: (E₁ − E₀)/h of one step has an error of first order, which halving h takes away."""
    scene, powers = heavy(seed, floating), []
    for h in (1e-4, 5e-5):
        sim = simulation(scene, dt=h)
        sim.effort = effort = np.random.default_rng(seed).normal(size=len(sim.dof)) * 10.0
        expected = effort @ sim.qd[0]
        before = dynamics.kinetic_energy(sim) + dynamics.potential_energy(sim)
        qdd = np.abs(dynamics.joint_acceleration(sim)).max()
        sim.step()
        powers.append(((dynamics.kinetic_energy(sim) + dynamics.potential_energy(sim) - before) / h)[0])
    first_order = abs(powers[0] - powers[1])
    rate = qdd / np.abs(speeds(sim)).max() + np.abs(speeds(sim)).max() * len(sim.dof)
    assert abs(2 * powers[1] - powers[0] - expected) <= first_order * 1e-4 * rate + EPS * abs(before[0]) / h * 1e2


@SEEDS
def test_gravity_alone_changes_the_momentum_of_a_floating_base(seed):
    """A_G q̈ + bias = (Σ m g ; 0), whatever the joints do."""
    scene = heavy(seed, True)
    sim = simulation(scene)
    effort = np.random.default_rng(seed).normal(size=(1, len(sim.dof)))
    qdd = dynamics.joint_acceleration(sim, effort=effort)[0]
    A, bias = dynamics.centroidal_momentum_matrix(sim)[0], dynamics.centroidal_momentum_bias(sim)[0]
    weight = np.array(scene.gravity) * sum(link.mass for link in scene.articulations[0].links)
    size = (np.abs(A) @ np.abs(qdd) + np.abs(bias)).max()
    condition = np.linalg.cond(dynamics.mass_matrix(sim)[0])
    assert np.abs(A @ qdd + bias - [*weight, 0, 0, 0]).max() <= EPS * qdd.size * condition * size


@BASES
@pytest.mark.parametrize(
    ("precision", "device", "threads"), [("f64", "cpu", 1), ("f32", "cpu", 2), ("f32", "cpu-lanes", 1)]
)
def test_a_world_has_the_same_answers_alone_and_among_others(floating, precision, device, threads):
    """To the bit, at every place in a batch, in packs or one by one, on any number of threads."""
    scene, worlds, rng = heavy(5, floating), 39, np.random.default_rng(0)
    many = simulation(scene, worlds, precision=precision, device=device, threads=threads)
    q, qd = rng.uniform(-1, 1, (2, worlds, len(many.dof)))
    many.q, many.qd = q, qd
    n, count = len(dynamics.coordinates(many)), len(dynamics.links(many))
    given = {"qdd": rng.normal(size=(worlds, n)), "effort": rng.normal(size=(worlds, n))}
    given["force"] = rng.normal(size=(worlds, count, 6))
    asks = [(getattr(dynamics, name), ()) for name in FUNCTIONS] + [
        (dynamics.joint_force, ("qdd",)),
        (dynamics.joint_acceleration, ("effort",)),
        (dynamics.generalized_external_force, ("force",)),
    ]
    answers = [ask(many, **{name: given[name] for name in names}) for ask, names in asks]
    for world in (0, 7, worlds - 1):
        one = simulation(scene, precision=precision)
        one.q, one.qd = q[world], qd[world]
        for (ask, names), answer in zip(asks, answers, strict=True):
            assert (ask(one, **{name: given[name][world : world + 1] for name in names})[0] == answer[world]).all()


FUNCTIONS = (
    *("gravity_compensation", "coriolis_compensation", "mass_matrix", "jacobian", "articulation_com"),
    *("centroidal_momentum_matrix", "centroidal_momentum_bias", "kinetic_energy", "potential_energy", "momentum"),
)


def test_questions_do_not_move_anything():
    """Asked between steps or not, a simulation goes on to the bit."""
    sims = [simulation(heavy(2, True), 3) for _ in range(2)]
    for _ in range(3):
        for name in FUNCTIONS:
            getattr(dynamics, name)(sims[0])
        for sim in sims:
            sim.step(2)
    assert (np.asarray(sims[0].q) == np.asarray(sims[1].q)).all()
    assert (np.asarray(sims[0].qd) == np.asarray(sims[1].qd)).all()
