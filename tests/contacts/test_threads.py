"""Contacts are the same to the bit on any number of threads, also on more than the processor has cores."""

import numpy as np
import pytest

import fajin

WORLDS, STEPS = 40, 60
"""Three packs, the last of which has idle lanes; steps in which the stack falls over and the robot leans."""


@pytest.fixture(scope="module", params=["quadruped_standing", "stack_of_five"])
def scene(request, scenes) -> fajin.Scene:
    """A robot on its feet, or boxes on each other."""
    return fajin.read(scenes / f"{request.param}.usda")


@pytest.fixture(scope="module")
def alone(scene) -> dict[str, bytes]:
    """The state after a motion on one thread, every number of it, in which no world is like another."""
    rows = motion(scene, 1)
    assert len(np.unique(rows["POSE"].reshape(WORLDS, -1), axis=0)) == WORLDS
    return {name: values.tobytes() for name, values in rows.items()}


def motion(scene: fajin.Scene, threads: int) -> dict[str, np.ndarray]:
    """Every row of the state after a motion of worlds that start at speeds of their own."""
    sim = fajin.Simulation(scene, WORLDS, "cpu", threads=threads)
    sim.root_velocity = np.random.default_rng(5).uniform(-1.0, 1.0, np.array(sim.root_velocity).shape)
    sim.step(STEPS)
    assert np.any(sim.read("contact_force"))
    return sim.save().rows


@pytest.mark.parametrize("threads", [2, 4, 16, 64])
def test_threads_do_not_matter(scene, alone, threads):
    """In packs, and with more threads than worlds, where each world runs by itself."""
    assert {name: values.tobytes() for name, values in motion(scene, threads).items()} == alone
