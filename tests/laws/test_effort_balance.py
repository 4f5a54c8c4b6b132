"""What holds a joint: the efforts of all its sources and the inertia terms add up to nothing, float64."""

from dataclasses import replace

import numpy as np
import pytest
from random_tree import edited

import fajin
from fajin import dynamics

EPS = float(np.finfo(np.float64).eps)
SOURCES = (
    *("applied_effort", "limit_effort", "friction_effort", "velocity_limit_effort", "mimic_effort"),
    *("tendon_effort", "maximal_joint_effort"),
)
SCENES = {  # a recorded scene, and the sources that act in it at some time in the first steps
    "b03_rev_gravity_pgs": {"applied_effort"},
    "h04_arm7_all_pgs4": {"applied_effort", "friction_effort", "velocity_limit_effort"},
    "c03_limit_violated_pgs": {"limit_effort"},
    "c08_maxvel_tgs": {"velocity_limit_effort"},
    "d01_mimic_rev_grav_tgs": {"mimic_effort"},
    "t12_rev4_tgs": {"tendon_effort"},
    "t13_mixed_pgs": {"tendon_effort"},
    "t08_float_tgs": {"tendon_effort"},
    "s06_chain_tgs16": {"tendon_effort"},
    "s09_float_tgs": {"tendon_effort"},
    "x12_fourbar_tgs4": {"maximal_joint_effort"},
    "x11_link_world_spherical_pgs4": {"maximal_joint_effort"},
    "x11_link_world_float_tgs": {"maximal_joint_effort"},
}


def still_air(scene):
    """The scene without damping of its links, which is no effort of a joint."""
    return edited(scene, lambda link: replace(link, linear_damping=0.0, angular_damping=0.0))


def inertia_terms(sim: fajin.Simulation):
    """M and c + g of the state, c at the speeds from which a step starts."""
    bias = dynamics.coriolis_compensation(sim, physx=True) + dynamics.gravity_compensation(sim)
    return dynamics.mass_matrix(sim)[0], bias[0]


def acceleration(sim: fajin.Simulation) -> np.ndarray:
    """Accelerations of the coordinates in the last step."""
    floats = len(dynamics.coordinates(sim)) > len(sim.dof)
    return np.concatenate([sim.root_acceleration[0, 0], sim.qdd[0]]) if floats else sim.qdd[0]


@pytest.mark.parametrize("name", SCENES)
def test_the_efforts_of_all_sources_balance_inertia(golden, name):
    """M q̈ + c + g = Σ efforts of a joint, step by step, whatever acts on it."""
    scene = still_air(fajin.read(golden / "scenes" / f"{name}.usda"))
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    iterations, acted = scene.articulations[0].position_iterations, set()
    rng = np.random.default_rng(0)
    for _ in range(30):
        sim.effort = rng.normal(size=len(sim.dof))
        M, bias = inertia_terms(sim)
        sim.step()
        efforts = {source: sim.read(source)[0] for source in SOURCES}
        terms = M * acceleration(sim)
        sums = (terms.sum(1) + bias)[-len(sim.dof) :]
        size = np.abs(terms).sum() + np.abs(bias).sum() + sum(np.abs(e).sum() for e in efforts.values())
        assert np.abs(sums - sum(efforts.values())).max() <= 16 * iterations * EPS * size
        acted |= {source for source, effort in efforts.items() if np.abs(effort).max() > 1e-3}
    assert acted >= SCENES[name]
