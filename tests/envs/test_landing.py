"""A robot that lands on its feet moves as PhysX recorded it, within the rounding of the gaps of its feet."""

import numpy as np
from paths import ROOT, TESTS

import fajin

SCENE = ROOT / "engine" / "envs" / "scenes" / "anymal_c.usda"
HEIGHT, SUBSTEPS, RATE = 0.6, 4, 200.0
"""Height of the trunk at the start [m], substeps of a step, steps per second."""
LANDS = 20
"""Step before the feet touch down."""


def root_velocities(friction: float | None = None) -> np.ndarray:
    """Linear velocity of the trunk after each step, (T, 3)."""
    sim = fajin.Simulation(fajin.read(SCENE), 20, "cpu", threads=1, sleeping=False)
    if friction is not None:
        sim.contact_static_friction = sim.contact_dynamic_friction = friction
    found = [sim.read("root_velocity")[0, 0, :3]]
    for _ in range(45):
        sim.step()
        found.append(sim.read("root_velocity")[0, 0, :3])
    return np.array(found)


def test_a_robot_that_lands_moves_as_in_physx():
    """A gap is the difference of two heights, each rounded; a substep turns its error into a velocity."""
    with np.load(TESTS / "recorded" / "policies" / "anymal_c_lands.npz") as file:
        recorded = file["root_velocity"][:, :3]
    falls, lands = np.split(np.abs(root_velocities() - recorded).max(1), [LANDS + 1])
    eps = np.finfo(np.float32).eps
    assert falls.max() <= 4.0 * eps * np.abs(recorded).max()
    bound = eps * HEIGHT * SUBSTEPS * RATE
    assert lands.max() <= bound
    assert np.abs(root_velocities(0.0) - recorded).max() > 100.0 * bound
