"""Blocks of four pairs under TGS, in double precision: friction below 1e-5 kg·m/s sticks where nothing presses."""

import numpy as np
import pytest
from bodies_on_ground import H, cube, ground

import fajin
from fajin.scene import Scene

HALF = 0.1  # [m]
GAP = 1e-3  # [m] within the contact distance
SLOW = 1e-3  # [m/s]
SHARES = 2  # anchors of a patch, each of which sticks by itself


@pytest.fixture
def slack() -> float:
    """Momentum [kg·m/s] below which friction sticks; only workers that run these tests load its file, and Taichi."""
    from fajin.physics.contacts.friction.contact_solver import BLOCK_SLACK

    return BLOCK_SLACK


def glide(count: int, mass: float) -> np.ndarray:
    """Speeds along x after a step of bodies that glide above the ground, without gravity."""
    bodies = [
        cube(f"b{i}", HALF, mass, (i * 4.0 * HALF, 0.0, HALF + GAP), velocity=(SLOW, 0.0, 0.0)) for i in range(count)
    ]
    shapes = (ground(), *(shape for _, shape in bodies))
    scene = Scene("", tuple(body for body, _ in bodies), (0.0, 0.0, 0.0), H, 1, colliders=shapes)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1, sleeping=False)
    sim.step()
    return np.array(sim.root_velocity[0, :, 0])


def test_a_block_holds_what_nothing_presses(slack):
    """Four bodies of less momentum than 1e-5 lose speed, as in PhysX's block solver."""
    assert (glide(4, 0.1 * slack / SLOW) < 0.7 * SLOW).all()


@pytest.mark.parametrize(("count", "slacks"), [(3, 0.1), (4, 100.0 * SHARES)])
def test_other_bodies_glide(slack, count, slacks):
    """Three pairs are no block; and of a body of more momentum no friction sticks."""
    assert glide(count, slacks * slack / SLOW) == pytest.approx(SLOW)
