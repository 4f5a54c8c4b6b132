"""The figure of the rooms in docs/architecture.md, which is drawn from the imports."""

import pytest
from meta.figure_of_rooms import Rooms, direct, figure, part, places, room, rooms, storeys
from paths import ROOT


@pytest.fixture(scope="module", params=[room, part], ids=["engine", "contacts"])
def house(request) -> Rooms:
    """What each room imports; every file is parsed, which no worker does that runs other tests."""
    return rooms(request.param)


def test_the_figure_is_that_of_the_imports():
    """After a change of imports: python tests/meta/figure_of_rooms.py > docs/rooms.svg."""
    assert (ROOT / "docs/rooms.svg").read_text() == figure()


def test_no_arrow_goes_up(house):
    """A room stands above all that it imports; the figure's axis points down."""
    at = places(house, 0.0)
    assert len(at) == len(house) > 5
    assert all(at[name][1] < at[there][1] for name, imports in house.items() for there in imports)


def test_arrows_lead_to_all_that_a_room_imports(house):
    """Those that follow from others are left out."""
    arrows = dict.fromkeys(house, frozenset())
    for floor in storeys(house):
        for name in floor:
            below = {there for above, there in direct(house) if above == name}
            arrows[name] = below.union(*(arrows[there] for there in below))
            assert arrows[name] >= house[name]


def test_rooms_that_import_each_other_have_no_storeys():
    with pytest.raises(ValueError, match="a, b"):
        storeys({"a": {"b"}, "b": {"a"}, "c": set()})
