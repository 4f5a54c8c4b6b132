"""A stage in which nothing moves is simulated: its state is empty, and steps change nothing."""

import pytest
from usda import prim, stage

import fajin
from fajin.scene import InvalidScene

FLOOR = prim("Cube", "floor", "", "PhysicsCollisionAPI")


def test_a_simulation_of_nothing_steps(tmp_path):
    sim = fajin.Simulation(fajin.read(stage(tmp_path, FLOOR)), 2, "cpu", threads=1)
    sim.step(3)
    assert (sim.dof, sim.link, sim.pair, sim.steps) == ((), (), (), 3)
    assert (sim.q.shape, sim.link_pose.shape) == ((2, 0), (2, 0, 7))
    assert len(sim.contacts.index) == 0


def test_a_batch_needs_something_that_moves(tmp_path):
    """It would have nothing to measure."""
    with pytest.raises(InvalidScene, match=r"must be a stage with a rigid body that can move; apply Physics"):
        fajin.batch(fajin.read(stage(tmp_path, FLOOR)), worlds=2, seconds=0.1)
