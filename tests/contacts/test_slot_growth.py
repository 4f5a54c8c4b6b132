"""Slots that pairs share become more when more pairs are near: no contact is lost, and no bit depends on it."""

from dataclasses import replace

import numpy as np
import pytest
from any_length import AnyLength
from bodies_on_ground import cube, ground

import fajin
from fajin.scene import IDENTITY, Articulation, Axis, Drive, Joint, JointType, Link, Scene

SIDE, HALF = 5, 0.05
COUNT = SIDE**3
ALL = COUNT * (COUNT + 1) // 2
"""Pairs of the bodies and the ground: with as many slots none is lost."""
NEAR = 8 * COUNT
"""Slots of the rule, of which a lattice of boxes needs more: each is near 26 others."""
STEPS = 6


@pytest.fixture(scope="module")
def lattice() -> Scene:
    """Boxes side by side, a hair above one another and the ground."""
    step = 2.001 * HALF
    cells = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), -1).reshape(-1, 3)
    places = cells * step + (0.0, 0.0, HALF + 0.001)
    bodies, shapes = zip(
        *(cube(f"b{i}", HALF, 1.0, tuple(place)) for i, place in enumerate(places.tolist())), strict=True
    )
    return Scene("lattice", bodies, colliders=(ground(), *shapes))


def simulation(scene: Scene, slots: int | None = None, worlds: int = 2) -> fajin.Simulation:
    """Worlds whose boxes begin to fly apart, each in its own way."""
    sim = fajin.Simulation(scene, worlds, "cpu", threads=1, contact_slots=slots)
    velocity = np.random.default_rng(0).normal(0.0, 0.5, (8, COUNT, 6))
    sim.root_velocity = velocity[:worlds]
    return sim


def numbers(sim: fajin.Simulation) -> list[np.ndarray]:
    """All that a user sees of motion and contacts."""
    contacts = sim.contacts
    seen = (sim.link_pose, sim.link_velocity, sim.contact_force)
    return [*map(np.array, seen), contacts.world, contacts.pair, contacts.point, contacts.impulse]


def check_equal(one: fajin.Simulation, other: fajin.Simulation) -> None:
    """Two simulations have the same bits."""
    for mine, theirs in zip(numbers(one), numbers(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("launch", [STEPS, 1])
def test_more_near_pairs_than_slots_change_no_bit(lattice, launch):
    """The launch that needs more slots is repeated with them; others go on with what worlds keep of their pairs."""
    grown, whole = simulation(lattice), simulation(lattice, ALL)
    assert grown._state.slots.most == NEAR < ALL
    for _ in range(STEPS // launch):
        grown.step(launch)
    whole.step(STEPS)
    assert NEAR < grown._state.slots.most < ALL
    assert not grown.lost_pairs.any()
    check_equal(grown, whole)


def test_the_rule_is_too_small_for_the_scene(lattice):
    """A user who chooses that number of slots loses pairs: the bodies of this scene need more."""
    with pytest.warns(RuntimeWarning, match=f"contact_slots above {NEAR}"):
        simulation(lattice, NEAR).step(STEPS)


def test_pairs_lost_in_any_step_of_a_launch_count(lattice):
    """Also if there are enough slots in its last step, when the boxes are apart."""
    sim = simulation(lattice, NEAR)
    sim._stepper.length = AnyLength()
    velocity = np.array(sim.root_velocity)
    velocity[..., :3] = 20.0 * (np.array(sim.root_pose)[..., :3] - np.mean(sim.root_pose[:, :, :3], 1, keepdims=True))
    sim.root_velocity = velocity
    with pytest.warns(RuntimeWarning, match="found no slot"):
        sim.step(29)
    sim.step(1)
    assert not sim.lost_pairs.any()
    sim.reset()
    sim.root_velocity = velocity
    sim.step(30)
    assert sim.lost_pairs.all()


def test_snapshots_fit_whatever_the_slots(lattice):
    """A snapshot before the growth goes on in a state after it, and a snapshot after it in a state before it."""
    sim, early = simulation(lattice), simulation(lattice)
    at_start = sim.save()
    sim.step(STEPS)
    after = sim.save()
    early.load(after)
    for each in (sim, early):
        each.step(STEPS)
    check_equal(sim, early)
    again = simulation(lattice, ALL)
    again.step(STEPS)
    sim.load(at_start)
    sim.step(STEPS)
    check_equal(sim, again)


def test_resets_fit_whatever_the_slots(lattice):
    """One world is reset after the growth, and before it."""
    sim, whole = (simulation(lattice, slots) for slots in (None, ALL))
    for each in (sim, whole):
        each.reset(worlds=[1])
        each.step(STEPS)
        each.reset(worlds=[1])
        each.step(STEPS)
    check_equal(sim, whole)


def test_recordings_have_each_step_once(lattice):
    """A repeated launch leaves one frame per step."""
    grown, whole = (simulation(lattice, slots).run(steps=STEPS, every=3) for slots in (None, ALL))
    assert len(grown.time) == len(whole.time)
    for name in ("time", "pose"):
        np.testing.assert_array_equal(getattr(grown, name), getattr(whole, name))


def test_a_repeated_launch_follows_its_schedules_from_the_start(lattice):
    """A pendulum sleeps until its target changes in the last step, also where the launch is repeated."""
    axis = Axis("rotX", drive=Drive(stiffness=1.0, damping=0.1))
    joint = Joint("/arm/joint", JointType.REVOLUTE, "/arm/base", "/arm/link", axis="X", axes=(axis,))
    place = ((-5.0, 0.0, 3.0), IDENTITY[1])
    link = Link("/arm/link", com=(0.0, 0.3, 0.0), pose=place)
    arm = Articulation(
        "/arm", (Link("/arm/base", pose=place), link), (joint,), fixed_base=True, asleep=True, sleep_threshold=1e-3
    )
    scene = replace(lattice, articulations=(*lattice.articulations, arm))
    table = np.zeros((STEPS, 1))
    table[-1] = 1.0
    motions = []
    for slots in (None, ALL):
        sim = fajin.Simulation(scene, 1, "cpu", threads=1, contact_slots=slots)
        sim._stepper.length = AnyLength()
        sim.schedule({"target_q": table})
        assert sim.asleep[0, -1]
        sim.step(STEPS)
        assert not sim.asleep[0, -1]
        motions.append((sim.q.copy(), sim.qd.copy()))
    np.testing.assert_array_equal(*motions)
