"""The order in which PhysX creates bodies: from the last path to the first, until a 14th turns the first 13 around."""

import pytest

from fajin.model.creation_order import ROOM, CreationOrder, places
from fajin.scene import Articulation, Collider, Link, Scene

RECORDED = {
    (0, 3): "2 1 0",
    (10, 3): "2 1 0",
    (12, 3): "0 1 2",
    (26, 3): "0 1 2",
    (27, 3): "2 1 0",
    (60, 3): "0 1 2",
    (1, 12): "11 10 9 8 7 6 5 4 3 2 1 0",
    (1, 13): "0 1 2 3 4 5 6 7 8 9 10 11 12",
    (1, 15): "14 13 0 1 2 3 4 5 6 7 8 9 10 11 12",
    (1, 20): "19 18 17 16 15 14 13 0 1 2 3 4 5 6 7 8 9 10 11 12",
    (1, 30): "29 12 11 10 9 8 7 6 5 4 3 2 1 0 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28",
}
"""By number of static colliders and of bodies: the bodies as PhysX lists them."""


def body(path: str, free: bool = True) -> Articulation:
    """A free body, or an articulation of one link."""
    return Articulation(path, (Link(f"{path}" if free else f"{path}/base"),), (), free=free)


@pytest.mark.parametrize(("statics", "bodies"), RECORDED)
def test_bodies_are_created_as_in_physx(statics, bodies):
    colliders = tuple(Collider(f"/a{i:02d}") for i in range(statics))
    order = CreationOrder(Scene("", tuple(body(f"/b{i:02d}") for i in range(bodies)), colliders=colliders))
    found = sorted(range(bodies), key=lambda i: order.body(f"/b{i:02d}"))
    assert found == [int(i) for i in RECORDED[statics, bodies].split()]


def test_bodies_that_do_not_move_are_bodies_and_shapes_of_one_container_one_entry():
    """Bodies come before static colliders, whatever their paths."""
    shapes = (
        *(Collider(f"/shapes/{i}", container="/shapes") for i in range(20)),
        Collider("/belt/shape", still_body="/belt"),
        Collider("/wall"),
    )
    order = CreationOrder(Scene("", (body("/box"),), colliders=shapes))
    assert sorted(("/box", "/belt", "/wall", "/shapes"), key=order.body) == ["/wall", "/shapes", "/box", "/belt"]


def test_articulations_have_a_table_of_their_own_and_their_links_count_as_bodies():
    robots = tuple(body(f"/r{i:02d}", free=False) for i in range(12))
    order = CreationOrder(Scene("", (*robots, body("/x0"), body("/x1"))))
    assert sorted(range(12), key=lambda i: order.articulation(f"/r{i:02d}")) == list(range(12))[::-1]
    assert order.body("/x1") < order.body("/r00/base") < order.body("/x0")


def test_a_table_grows_when_an_entry_has_no_room():
    for room in ROOM[:5]:
        order = sorted(places(range(room + 1)), key=places(range(room + 1)).__getitem__)
        assert order[0] == room
        assert order[1:] == sorted(places(range(room)), key=places(range(room)).__getitem__)[::-1]
