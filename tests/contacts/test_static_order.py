"""The order of static shapes that begin at one x: that of their creation, unless a sort turns it around."""

import pytest

from fajin.model.static_order import lower_x, static_places
from fajin.scene import Collider, ShapeKind

TURNED = (0.0, 0.0, 0.5**0.5, 0.5**0.5)


def wall(path: str, x: float) -> Collider:
    """A box that begins at x."""
    return Collider(
        path, kind=ShapeKind.BOX, half_extents=(1.0, 2.0, 3.0), pose=((x + 1.02, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    )


@pytest.mark.parametrize(
    ("x", "floor", "expected"),
    [
        (-1.0, None, ["/c", "/b", "/a"]),  # in order: all begin at one x
        (-1.0, -2.0, ["/a", "/b", "/c"]),  # not in order, and negative
        (1.0, -2.0, ["/c", "/b", "/a"]),
        (1.0, 0.5, ["/c", "/b", "/a"]),
    ],
)
def test_static_shapes_that_begin_at_one_x_come_in_the_order_of_a_radix_sort(x, floor, expected):
    walls = [wall(path, x) for path in ("/b", "/a", "/c")]
    created = {"/c": 0, "/b": 1, "/a": 2, "/Floor": 3}
    walls += [] if floor is None else [wall("/Floor", floor)]
    places = static_places(walls, lambda collider: created[collider.path])
    assert sorted(("/a", "/b", "/c"), key=places.__getitem__) == expected


@pytest.mark.parametrize(
    ("shape", "lower"),
    [
        ({"kind": ShapeKind.BOX, "half_extents": (1.0, 2.0, 3.0)}, -2.0),
        ({"kind": ShapeKind.SPHERE, "radius": 1.0}, -1.0),
        ({"kind": ShapeKind.CAPSULE, "radius": 1.0, "half_height": 2.0}, -1.0),
        ({"kind": ShapeKind.CYLINDER, "radius": 1.0, "half_height": 2.0}, -1.0),
        ({"kind": ShapeKind.CONVEX_HULL, "points": ((0.0, 1.0, 0.0), (0.0, -3.0, 0.0))}, -1.0),
    ],
)
def test_the_box_of_a_turned_shape_begins_at_its_least_x(shape, lower):
    """Turned by 90 degrees about z: x of the world is −y of the shape."""
    found = lower_x(Collider("/a", pose=((5.0, 0.0, 0.0), TURNED), contact_offset=0.25, **shape))
    assert abs(found - (5.0 + lower - 0.25)) < 1e-12
