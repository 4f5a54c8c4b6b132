"""Slots of pairs of colliders: which worlds share them, and that nothing depends on them but memory."""

import warnings

import numpy as np
import pytest
from bodies_on_ground import simulation
from paths import ROOT

import fajin
from fajin.scene import Scene

SLOTS = 6
"""Slots for the 15 pairs of a stack, of which 5 are near at once."""
STEPS = 60


@pytest.fixture(scope="module")
def stack() -> Scene:
    """A stack of five cubes on the ground."""
    return fajin.read(ROOT / "scenes/stack_of_five.usda")


def pushed(scene: Scene, worlds: list[int], slots: int | None, launch: int = STEPS) -> fajin.Simulation:
    """A pack of worlds after `STEPS` steps that begin with the cubes a little elsewhere, by their numbers."""
    sim = fajin.Simulation(scene, len(worlds), contact_slots=slots, threads=1)
    poses = np.array(sim.root_pose)
    poses[..., :2] += np.random.default_rng(0).uniform(-3e-3, 3e-3, (8, 5, 2))[worlds]
    sim.root_pose = poses
    for _ in range(STEPS // launch):
        sim.step(launch)
    return sim


@pytest.fixture(scope="module")
def shared(stack) -> fajin.Simulation:
    """Four worlds whose pairs share slots."""
    return pushed(stack, [0, 1, 2, 3], SLOTS)


def numbers(sim: fajin.Simulation) -> list[np.ndarray]:
    """All that a user sees of motion and contacts."""
    contacts = sim.contacts
    seen = (sim.link_pose, sim.link_velocity, sim.pair_force, sim.contact_force)
    return [*map(np.asarray, seen), contacts.world, contacts.index, contacts.point, contacts.impulse, contacts.gap]


def test_shared_slots_change_no_bit(stack, shared):
    """Pairs with slots of their own and pairs that share slots give the same motion and the same contacts."""
    own = pushed(stack, [0, 1, 2, 3], None)
    assert own._state.layout.sizes["contacts"] > 2 * shared._state.layout.sizes["contacts"]
    for one, other in zip(numbers(own), numbers(shared), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("worlds", "launch"), [([3, 2, 1, 0], 7), ([5, 5, 2, 7, 6], 1)])
def test_worlds_do_not_depend_on_each_other(stack, shared, worlds, launch):
    """A world has the same bits elsewhere in a batch and in launches of other lengths, in state and results."""
    other = pushed(stack, worlds, SLOTS, launch)
    if STEPS % launch:
        other.step(STEPS % launch)
    check_equal(shared, other, worlds.index(2))


@pytest.mark.slow
def test_a_world_alone_has_the_same_bits(own_kernels, stack, shared):
    """Without packs, and without the laws that a stack of cubes does not need."""
    check_equal(shared, pushed(stack, [2], SLOTS), 0)


def check_equal(shared: fajin.Simulation, other: fajin.Simulation, place: int) -> None:
    """Check that world 2 of `shared` and the world at a place of `other` have the same state and results."""
    for name, (buffer, rows) in shared._state.layout.places.items():
        if buffer != "links":
            one, two = (sim._state.buffer(buffer).read(rows) for sim in (shared, other))
            np.testing.assert_array_equal(one[2], two[place], err_msg=name)


def test_a_snapshot_keeps_shared_slots(shared):
    """After a snapshot is restored the motion goes on with the same bits."""
    taken = shared.save()
    shared.step(10)
    expected = numbers(shared)
    shared.load(taken)
    shared.step(10)
    for one, other in zip(expected, numbers(shared), strict=True):
        np.testing.assert_array_equal(one, other)


def test_reset_forgets_pairs(stack):
    """After a reset a world moves as it did from the start."""
    sim = fajin.Simulation(stack, 2, contact_slots=SLOTS, threads=1)
    sim.step(5)
    first = np.asarray(sim.link_pose).copy()
    sim.reset()
    sim.step(5)
    np.testing.assert_array_equal(first, np.asarray(sim.link_pose))


def test_pairs_beyond_the_slots_are_counted_and_reported(stack):
    """With two slots for the five pairs of a stack three are lost: the user is warned once, and the rest goes on."""
    sim = fajin.Simulation(stack, 2, contact_slots=2, threads=1)
    with pytest.warns(RuntimeWarning, match="3 pairs of near colliders found no slot.*contact_slots above 2"):
        sim.step(1)
    assert sim.lost_pairs.tolist() == [3, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(60)
    assert np.isfinite(np.asarray(sim.link_pose)).all()
    assert np.asarray(sim.link_pose)[:, 0, 2].min() > 0.0  # the first pairs keep their slots


def test_few_pairs_lose_nothing(shared):
    """No pair is lost while the near pairs fit."""
    assert shared.lost_pairs.tolist() == [0] * 4
    assert simulation(1).lost_pairs.tolist() == [0]


@pytest.mark.parametrize("slots", [0, -1])
def test_slots_are_a_number_from_1(stack, slots):
    """An impossible number of slots is refused in one line."""
    with pytest.raises(ValueError, match="contact_slots"):
        fajin.Simulation(stack, contact_slots=slots)
