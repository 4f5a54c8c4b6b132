"""Each rule that keeps two colliders from touching, and what PhysX's recordings of filters show."""

from dataclasses import replace

import numpy as np
import pytest
from paths import RECORDINGS

import fajin
from fajin.model.collision_pairs import collision_pairs
from fajin.scene import WORLD, Articulation, Collider, CollisionGroup, Joint, JointType, Link, Scene

SCENES = RECORDINGS / "contacts" / "scenes"


def chain(self_collisions=True):
    """Links a, b and c on two joints, a free body, and two colliders of the world; each link has one collider."""
    joints = tuple(Joint(f"/j{x}{y}", JointType.REVOLUTE, f"/{x}", f"/{y}") for x, y in ("ab", "bc"))
    robot = Articulation("/robot", tuple(Link(f"/{x}") for x in "abc"), joints, self_collisions=self_collisions)
    free = Articulation("/free", (Link("/free"),), (), free=True)
    bodies = {"/a": "/a", "/b": "/b", "/c": "/c", "/free": "/free", "/ground": WORLD, "/wall": WORLD}
    colliders = tuple(Collider(f"{path}/shape", body) for path, body in bodies.items())
    return Scene("", (robot, free), colliders=colliders)


def pairs(scene):
    """The pairs as words: "af" for the link a and the free body."""
    letters = "".join(c.path[1] for c in scene.colliders)
    return {letters[i] + letters[j] for i, j in collision_pairs(scene)}


ALL = {"ac", "af", "bf", "cf", "ag", "bg", "cg", "fg", "aw", "bw", "cw", "fw"}


def test_statics_and_joined_links_do_not_collide():
    """All others do, also a grandparent with its grandchild."""
    assert pairs(chain()) == ALL


def test_shapes_of_one_body_do_not_collide():
    scene = chain()
    doubled = (*scene.colliders, Collider("/free/second", "/free"))
    found = collision_pairs(replace(scene, colliders=doubled))
    assert not {(3, 6)} & set(map(tuple, found.tolist()))


def test_an_articulation_may_exclude_its_own_pairs():
    assert pairs(chain(self_collisions=False)) == ALL - {"ac"}


@pytest.mark.parametrize("enabled", [False, True])
def test_a_maximal_joint_decides_by_its_flag(enabled):
    joint = Joint("/rope", JointType.DISTANCE, "/c", "/free", collision_enabled=enabled)
    assert pairs(replace(chain(), joints=(joint,))) == (ALL if enabled else ALL - {"cf"})


@pytest.mark.parametrize(
    ("one", "other", "gone"),
    [
        ("/free/shape", "/ground", {"fg"}),
        ("/c", "/free", {"cf"}),
        ("/free", "/robot", {"af", "bf", "cf"}),
        ("/nothing", "/free", set()),
    ],
)
def test_filtered_pairs_name_colliders_bodies_articulations_or_prims_above(one, other, gone):
    for pair in ((one, other), (other, one)):
        assert pairs(replace(chain(), filtered_pairs=(pair,))) == ALL - gone


@pytest.mark.parametrize(
    ("filtered", "gone"),
    [(((), ()), set()), ((("/h",), ()), {"ag", "fg"}), (((), ("/g",)), {"ag", "fg"}), ((("/g",), ()), {"af"})],
)
def test_groups_filter_both_ways(filtered, gone):
    groups = (
        CollisionGroup("/g", ("/a/shape", "/free/shape"), filtered[0]),
        CollisionGroup("/h", ("/ground/shape",), filtered[1]),
    )
    assert pairs(replace(chain(), collision_groups=groups)) == ALL - gone


def test_pairs_are_in_order_and_of_small_integers():
    found = collision_pairs(chain())
    assert found.dtype == np.int32
    assert (found[:, 0] < found[:, 1]).all()
    assert found.tolist() == sorted(found.tolist())
    assert collision_pairs(Scene("", ())).shape == (0, 2)


RECORDED = {  # whether PhysX lets the two shapes of the scene touch
    "f01_none": True,
    "f01_filteredpairs": False,
    "f01_groups_invert": True,
    "f01_groups_nofilter": True,
    "f02_jointed_None": False,
    "f02_jointed_0": False,
    "f02_jointed_1": True,
    "f03_adjacent_sc0_ce1": False,
    "f03_adjacent_sc1_ce1": False,
    "f04_grandchild_sc0": False,
    "f04_grandchild_sc1": True,
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_filters(name):
    """The scenes have two colliders."""
    assert bool(len(collision_pairs(fajin.read(SCENES / f"{name}.usda")))) == RECORDED[name]


@pytest.mark.parametrize(
    ("first", "second", "touch"), [(True, None, True), (False, None, False), (True, False, True), (False, True, False)]
)
@pytest.mark.parametrize("end", ["/free", ""])
def test_of_several_maximal_joints_the_first_decides(first, second, touch, end):
    """PhysX's order is by type and path; an end in the world is what stands still there."""
    names = {"a": first, "b": second}
    joints = tuple(
        Joint(f"/{name}", JointType.REVOLUTE, "/c", end, collision_enabled=flag, standing="" if end else "/wall")
        for name, flag in reversed(names.items())
        if flag is not None
    )
    scene = chain()
    colliders = tuple(replace(c, standing="/wall" if c.path == "/wall/shape" else "") for c in scene.colliders)
    gone = "cf" if end else "cw"
    assert pairs(replace(scene, colliders=colliders, joints=joints)) == (ALL if touch else ALL - {gone})


@pytest.mark.parametrize(
    ("filtered", "gone"), [((), {"ag", "fg", "af"}), (("/h",), {"af"}), (("/g",), {"ag", "fg"}), (("/g", "/h"), set())]
)
def test_inverted_groups_collide_only_if_listed(filtered, gone):
    """A group with itself, too; colliders without a group touch all."""
    groups = (CollisionGroup("/g", ("/a/shape", "/free/shape"), filtered), CollisionGroup("/h", ("/ground/shape",)))
    assert pairs(replace(chain(), collision_groups=groups, inverted_groups=True)) == ALL - gone
