"""Forces, efforts and whatever can be set, for some steps only."""

import numpy as np
import pytest
from planar_arm import arm, simulation

from fajin import Part
from fajin.scene import Drive, SolverType

FREE_ARM = arm()
DRIVEN_ARM = arm(drive=Drive(stiffness=50.0, damping=5.0))
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)


def same(a, b) -> bool:
    """Whether two simulations are in one state, to the bit."""
    return all(np.array_equal(a.read(name), b.read(name)) for name in ("q", "qd", "link_pose"))


def test_a_force_for_one_step_acts_in_the_first_of_a_launch_only():
    """The same as to set it, step, and take it away; in the world and on the link where it was set."""
    sim, other = simulation(FREE_ARM, 3), simulation(FREE_ARM, 3)
    sim.force.once[1, "lower"] = (0.0, 5.0, 0.0)
    sim.step(4)
    other.force[1, "lower"] = (0.0, 5.0, 0.0)
    other.step()
    other.force = 0.0
    other.step(3)
    assert np.abs(sim.qd[1]).max() > 0.01
    assert (sim.qd[[0, 2]] == 0.0).all()
    assert same(sim, other)
    assert (sim.force[:] == 0.0).all()


def test_what_lasts_comes_back():
    """An effort of two steps takes the place of the one before it, and gives it back, bit by bit."""
    sim, other = simulation(FREE_ARM, 2), simulation(FREE_ARM, 2)
    lasting = np.random.default_rng(0).normal(size=(2, 3))
    sim.effort = other.effort = lasting
    sim.effort.for_steps(2)[0, "elbow"] = 7.0
    assert sim.effort[0, 1] == 7.0
    sim.step(5)
    other.effort[0, "elbow"] = 7.0
    other.step(2)
    other.effort = lasting
    other.step(3)
    assert same(sim, other)
    assert np.array_equal(sim.effort, lasting)


def test_it_passes_in_a_recording_and_between_launches():
    """Frames and launches are cut where it ends, whatever their length."""
    sim, alone, frames = (simulation(DRIVEN_ARM) for _ in range(3))
    for each in (sim, alone, frames):
        each.target_q.for_steps(3)[:, "shoulder"] = 1.0
    sim.step(8)
    for _ in range(8):
        alone.step()
    recording = frames.run(steps=8)
    assert same(sim, alone)
    assert np.array_equal(recording.q[-1, 0], sim.q[0])
    assert (sim.target_q[:] == 0.0).all()


def test_setting_it_plainly_ends_it():
    """What is set last counts, and on top of what lasts."""
    sim = simulation(FREE_ARM, 2)
    sim.effort = 1.0
    sim.effort.for_steps(5)[0] = 9.0
    sim.effort[0, "elbow"] = 2.0
    assert np.array_equal(sim.effort, [[1.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
    sim.step(6)
    assert np.array_equal(sim.effort, [[1.0, 2.0, 1.0], [1.0, 1.0, 1.0]])


def test_a_snapshot_holds_what_lasts():
    """And a reset of one world leaves another one's passing force alone."""
    sim = simulation(FREE_ARM, 2)
    start = sim.save()
    sim.force.for_steps(3)[:, "tip"] = (0.0, 4.0, 0.0)
    assert (sim.save().parameters["FORCE"] == 0.0).all()
    sim.step()
    sim.load(start, worlds=[0])
    assert np.array_equal(sim.force[:, "tip", 1], [0.0, 4.0])
    sim.step(2)
    assert (sim.force[:] == 0.0).all()
    assert (sim.qd[0] == 0.0).all()


def test_what_is_loaded_lasts():
    """Where the snapshot went, it comes back in the end; elsewhere, what was there."""
    sim = simulation(FREE_ARM, 2)
    start = sim.save()
    sim.effort = 3.0
    sim.effort.for_steps(3)[:] = 9.0
    sim.step()
    sim.load(start, worlds=[0], parts=Part.FORCES)
    assert np.array_equal(sim.effort, [[0.0] * 3, [9.0] * 3])
    sim.step(2)
    assert np.array_equal(sim.effort, [[0.0] * 3, [3.0] * 3])


@pytest.mark.parametrize("name", ["q", "qd", "root_pose"])
def test_a_state_does_not_pass(name):
    """Only what is held from step to step can be held for some; what is refused changes nothing."""
    sim = simulation(FREE_ARM)
    with pytest.raises(ValueError, match=f"{name}, steps = 1: must be None because {name} is a state"):
        getattr(sim, name).once[:] = getattr(sim, name)[:]
    with pytest.raises(ValueError, match="effort, steps = 0: must be a whole number from 1"):
        sim.effort.for_steps(0)[:] = 1.0
    assert (sim.effort[:] == 0.0).all()
