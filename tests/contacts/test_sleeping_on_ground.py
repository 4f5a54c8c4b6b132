"""Sleep of bodies in contact: what rests falls asleep, and a world's bits do not depend on who sleeps beside it."""

import numpy as np
from bodies_on_ground import simulation

WORLDS, STEPS = 20, 110


def moved(worlds, slots: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Drop the ball from a height of its own in each world, push the sled of every second one later; return poses."""
    sim = simulation(len(worlds), contact_slots=slots)
    pose = np.array(sim.root_pose)
    pose[:, 1, :3] = np.stack([[0.5, 0.0, 0.05 + 0.02 * i] for i in worlds])
    sim.root_pose = pose
    velocity = np.array(sim.root_velocity)
    velocity[:, 2] = 0.0
    sim.root_velocity = velocity
    sim.step(STEPS)
    asleep = np.array(sim.asleep)
    velocity = np.array(sim.root_velocity)
    velocity[1 - np.array(worlds) % 2 > 0, 2, 0] = 0.3
    sim.root_velocity = velocity
    sim.step(60)
    return asleep, np.array(sim.root_pose)


def test_bodies_at_rest_fall_asleep_and_worlds_stay_independent():
    """In a pack of which some worlds sleep each world moves to the bits that it has alone."""
    asleep, pose = moved(list(range(WORLDS)))
    assert asleep[0].all()
    assert not asleep[-1].all()  # its ball fell from 0.38 m and has not rested for long enough
    for world in (0, 1, 13):
        alone_asleep, alone = moved([world])
        assert (alone_asleep[0] == asleep[world]).all()
        assert (alone[0] == pose[world]).all()


def test_sleep_does_not_depend_on_slots():
    """Six pairs in four slots, of which at most four are near: worlds fall asleep and wake to the same bits."""
    worlds = list(range(WORLDS))
    for one, other in zip(moved(worlds), moved(worlds, 4), strict=True):
        np.testing.assert_array_equal(one, other)
