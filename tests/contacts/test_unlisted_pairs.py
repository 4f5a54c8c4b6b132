"""Pairs of many colliders, which a model does not list: their numbers, which of them touch, and that no bit changes."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import MU, G, H, ball, cube, ground
from free_bodies import body

import fajin
from fajin.model.near_pairs import near_pairs
from fajin.model.pair_names import PairNames
from fajin.scene import (
    IDENTITY,
    Articulation,
    Axis,
    Collider,
    CollisionGroup,
    ContactMaterial,
    Joint,
    JointType,
    Link,
    Scene,
    ShapeKind,
)
from fajin.tables.contacts import MOST_PAIRS, PAIR_BLOCK
from fajin.tables.topology import TABLES

BODIES = 24
SLOTS = 300
ALWAYS, NEVER = 0, 1 << 30
"""Pairs per collider above which pairs are not listed."""


@pytest.fixture
def listing(monkeypatch):
    """A function that compiles a scene with the pairs listed, or not."""

    def compiled(scene: Scene, lists: bool) -> fajin.Model:
        monkeypatch.setattr("fajin.model.collider_kinds.LISTED_PER_COLLIDER", NEVER if lists else ALWAYS)
        model = fajin.compile(scene)
        assert (model.tables["ISLANDS"][:, TABLES["ISLANDS"]["LISTS_PAIRS"]] > 0).all() == lists
        return model

    return compiled


def pile(**scene) -> Scene:
    """Balls and dumbbells of two balls above the ground, some slippery; contact offsets are no binary fractions."""
    random, bodies, shapes = np.random.default_rng(4), [], [ground()]
    for i in range(BODIES):
        place = tuple(random.uniform((-0.15, -0.15, 0.15), (0.15, 0.15, 0.45)))
        robot, shape = ball(f"b{i}", (0.0625, 0.046875)[i % 2], 1.0, place, 0.25 * (i % 3 == 0))
        shape = replace(shape, contact_offset=(0.017, 0.0071)[i % 2])
        bodies.append(robot)
        if i % 4 == 0:
            ends = ((x, 0.0, 0.0) for x in (-0.03125, 0.03125))
            parts = [replace(shape, pose=(end, shape.pose[1]), path=f"{shape.path}/{k}") for k, end in enumerate(ends)]
            shapes += [parts[0], replace(parts[1], material=ContactMaterial(0.0, 0.0))]
        else:
            shapes.append(shape)
    return Scene("pile", tuple(bodies), dt=H, colliders=tuple(shapes), **scene)


def filtered_pile() -> Scene:
    """The pile with filtered pairs, of bodies and of single shapes, and with two groups that do not collide."""
    scene, random = pile(), np.random.default_rng(5)
    paths = [collider.path for collider in scene.colliders[1:]]
    pairs = tuple((a, b) for i, a in enumerate(paths) for b in paths[:i] if random.random() < 0.2)
    groups = CollisionGroup("/g0", tuple(paths[::3]), ("/g1",)), CollisionGroup("/g1", tuple(paths[1::3]), ())
    return replace(scene, filtered_pairs=pairs, collision_groups=groups)


def mixed() -> Scene:
    """Free bodies, one kinematic; robots, of which one touches itself; static shapes, joints, filters."""
    scene = filtered_pile()
    still = [Collider(f"/wall{i}", kind=ShapeKind.BOX, half_extents=(0.5, 0.1, 0.5)) for i in range(3)]
    robots, shapes = [], []
    for name, fixed in (("/walker", False), ("/arm", True)):
        links = tuple(replace(body(f"{name}/l{i}"), path=f"{name}/l{i}") for i in range(4))
        joints = tuple(Joint(f"{name}/j{i}", JointType.FIXED, links[i].path, links[i + 1].path) for i in range(3))
        robots.append(Articulation(name, links, joints, fixed_base=fixed, self_collisions=not fixed))
        shapes += [Collider(link.path, link.path, ShapeKind.SPHERE, radius=0.05) for link in links]
    moved, shape = cube("pusher", 0.1, 1.0, (1.0, 0.0, 0.1))
    bodies = (*scene.articulations, *robots, replace(moved, kinematic=True))
    loop = Joint("/tie", JointType.FIXED, "/World/b1", "/World/b2")
    return replace(
        scene, articulations=bodies, joints=(loop,), colliders=(*still, *scene.colliders, *shapes, shape),
    )  # fmt: skip


def named_near_pairs(model: fajin.Model) -> list[str]:
    """Names of all pairs that may touch, as if all bounding boxes overlapped."""
    count = len(model.collider)
    a, b = near_pairs(model.tables, np.full((count, 3), -1.0), np.full((count, 3), 1.0))
    names = (sorted((model.collider[one], model.collider[other])) for one, other in zip(a, b, strict=True))
    return ["|".join(name) for name in names]


@pytest.mark.parametrize("make", [pile, filtered_pile, mixed])
def test_kinds_and_exceptions_are_the_filters(make, listing):
    """Pairs that are not listed are those of the list: bodies, joints, robots, filtered pairs, groups, statics."""
    known, found = (named_near_pairs(listing(make(), lists)) for lists in (True, False))
    assert len(set(found)) == len(found) > 100
    assert set(found) == set(known)
    assert found == known or make is mixed  # whose colliders of a body do not lie together


def test_numbers_are_those_of_a_list(listing):
    """Where nothing is filtered, a pair has the number that it would have in a list."""
    bodies, shapes = zip(*(ball(f"b{i}", 0.05, 1.0, (0.2 * i, 0.0, 0.1)) for i in range(BODIES)), strict=True)
    scene = Scene("row", bodies, colliders=(ground(), *shapes))
    listed, names = listing(scene, True).pair, listing(scene, False).pair
    assert isinstance(names, PairNames)
    assert tuple(names) == names[:] == tuple(listed)
    assert len(names) == BODIES * (BODIES + 1) // 2
    assert [names[i] for i in (0, -1)] == [listed[0], listed[-1]]
    with pytest.raises(IndexError):
        names[len(names)]


def test_numbers_are_exact_in_single_precision():
    """A state has the block of a pair's number, and 1 + its place there."""
    block, place = divmod(MOST_PAIRS, PAIR_BLOCK)
    for number in (block, 1 + place, PAIR_BLOCK):
        assert int(np.float32(number)) == number


@pytest.mark.parametrize("make", [pile, filtered_pile])
@pytest.mark.parametrize("launch", [60, 7])
def test_pairs_without_a_list_change_no_bit(make, launch, listing):
    """A pile that falls on itself has the same motion and contacts to the bit, whether its pairs are listed or not."""
    motions, worlds = [], 20
    for lists in (True, False):
        sim = fajin.Simulation(listing(make(), lists), worlds, "cpu", contact_slots=SLOTS)
        pose = np.array(sim.root_pose)
        pose[:, :, 0] += np.linspace(0.0, 0.02, worlds)[:, None] * np.arange(BODIES)
        sim.root_pose = pose
        for first in range(0, 60, launch):
            sim.step(min(launch, 60 - first))
        contacts = sim.contacts
        motions.append([np.array(sim.link_pose), np.array(sim.contact_force), contacts.pair, contacts.impulse])
        assert len(contacts) > 10 * worlds
        assert not sim.lost_pairs.any()
    for one, other in zip(*motions, strict=True):
        np.testing.assert_array_equal(one, other)


def test_parameters_are_those_of_kinds(listing):
    """Pairs of two kinds share a column, which has the name of their first pair: a slippery ground lets a box slide."""
    bodies, shapes = zip(*(cube(f"b{i}", 0.05, 1.0, (0.3 * i, 0.0, 0.05)) for i in range(6)), strict=True)
    scene = Scene("row", bodies, dt=H, colliders=(ground(), *shapes))
    sim = fajin.Simulation(listing(scene, False), 20, "cpu", contact_slots=SLOTS)
    assert np.array(sim.contact_static_friction) == pytest.approx(np.full((20, 2), MU))
    for name in ("contact_static_friction", "contact_dynamic_friction"):
        getattr(sim, name)[1, "b0|ground"] = 0.0
    sim.root_velocity = np.tile((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (20, 6, 1))
    sim.step(60)
    stopped, slid = np.array(sim.root_velocity)[:2, :, 0]
    bound = MU * G * H  # what friction changes in a step
    assert np.abs(stopped).max() < bound
    assert np.abs(slid - 1.0).max() < bound
    assert np.array(sim.contact_force)[:2, :, 2] == pytest.approx(np.full((2, 6), G), rel=0.05)
    assert sim.contacts.pair[0].tolist() == ["/World/b0", "/World/ground"]
    assert sim.pair_force[0, "b0|ground", 2] == pytest.approx(G, rel=0.05)


def test_state_is_copied_between_simulations(listing):
    """Contacts go on where they were, by the names of the colliders."""
    one, other = (fajin.Simulation(listing(pile(), False), 20, "cpu", contact_slots=SLOTS) for _ in range(2))
    one.step(50)
    other.copy_state_from(one)
    for sim in (one, other):
        sim.step(10)
    np.testing.assert_array_equal(np.array(one.link_pose), np.array(other.link_pose))


def test_memory_grows_with_the_colliders():
    """Twice the bodies take at most twice the memory, and half as much again for what does not grow evenly."""
    peaks = []
    for count in (300, 300, 600):
        links = [Link(f"/b{i}") for i in range(count)]
        robots = tuple(Articulation(link.path, (link,), (), False, free=True) for link in links)
        shapes = tuple(Collider(link.path, link.path, ShapeKind.SPHERE, radius=0.1) for link in links)
        tracemalloc.start()
        model = fajin.compile(Scene("", robots, colliders=shapes))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(model.pair) == count * (count - 1) // 2
    assert peaks[2] < 2.5 * peaks[1]


BALL = tuple((1e-3 * (i == 0), 1e-3 * (i == 1), 1e-3 * (i == 2)) for i in range(3))  # [kg·m²]


def folding() -> Scene:
    """Chains of balls on hinges, which fold onto themselves and each other as they fall on the ground."""
    robots, shapes = [], [ground()]
    for k in range(3):
        name, count = f"/chain{k}", 7
        start = (0.05 * k, 0.13 * k, 0.2)
        links = tuple(
            body(f"{name}/l{i}", inertia=BALL, pose=((start[0], start[1], start[2] + 0.09 * i), IDENTITY[1]))
            for i in range(count)
        )
        joints = tuple(
            Joint(
                f"{name}/j{i}", JointType.REVOLUTE, links[i].path, links[i + 1].path,
                ((0.0, 0.0, 0.045), IDENTITY[1]), ((0.0, 0.0, -0.045), IDENTITY[1]), axis="Y",
                axes=(Axis("rotY", q=0.25 - 0.1 * i + 0.05 * k),),
            )
            for i in range(count - 1)
        )  # fmt: skip
        robots.append(Articulation(name, links, joints, self_collisions=True))
        shapes += [Collider(link.path, link.path, ShapeKind.SPHERE, radius=0.04) for link in links]
    return Scene("folding", tuple(robots), dt=H, colliders=tuple(shapes))


def test_links_of_one_articulation_touch_without_a_list(listing):
    """Rows of a link and one beyond it leave a joint out: such a pair has the sides that it has in a list."""
    motions = []
    for lists in (True, False):
        model = listing(folding(), lists)
        assert (len(model.tables["OWN_PAIRS"]) > 0) != lists
        sim, met = fajin.Simulation(model, 1, "cpu", contact_slots=SLOTS), set()
        for _ in range(40):
            sim.step(5)
            met |= {tuple(pair) for pair in sim.contacts.pair.tolist()}
        within = [pair for pair in met if pair[0][:7] == pair[1][:7]]
        assert any(min(int(path[-1]) for path in pair) > 0 for pair in within)  # not of the root
        motions.append((np.array(sim.link_pose), np.array(sim.link_velocity), sorted(met)))
    for one, other in zip(*motions, strict=True):
        np.testing.assert_array_equal(one, other)
