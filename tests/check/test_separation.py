"""Distances of convex shapes and of a triangle mesh, against closed forms."""

from math import sqrt

import numpy as np
import pytest

from fajin.geometry.separation import distance
from fajin.model.start_overlaps import Solid, shape_of
from fajin.scene import WORLD, Collider, ShapeKind

HERE = {WORLD: (np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)))}
EIGHTH = (0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8))  # 45 degrees about z
ROUND_OFF = 1e-6


def solid(kind: ShapeKind, place=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0, 1.0), **sizes) -> Solid:
    """A collider of the world as a placed shape."""
    return shape_of(Collider("/shape", kind=kind, pose=(place, turn), **sizes), HERE)


def box(place, turn=(0.0, 0.0, 0.0, 1.0)) -> Solid:
    return solid(ShapeKind.BOX, place, turn, half_extents=(1.0, 1.0, 1.0))


def ball(place) -> Solid:
    return solid(ShapeKind.SPHERE, place, radius=0.5)


def capsule(place) -> Solid:
    """A capsule along the diagonal of x and y."""
    return solid(ShapeKind.CAPSULE, place, EIGHTH, radius=0.2, half_height=1.0)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (box((0, 0, 0)), box((1.5, 0.2, 0.1)), -0.5),  # a face
        (box((0, 0, 0)), box((2.2, 0, 0), EIGHTH), 1.2 - sqrt(2.0)),  # an edge in a face
        (ball((0, 0, 0)), ball((0.6, 0.0, 0.0)), -0.4),
        (box((0, 0, 0)), ball((1.3, 1.3, 1.3)), 0.3 * sqrt(3.0) - 0.5),  # beside a corner
        (box((0, 0, 0)), ball((1.3, 1.3, 0.0)), 0.3 * sqrt(2.0) - 0.5),  # beside an edge
        (
            solid(ShapeKind.CAPSULE, radius=0.2, half_height=1.0),
            solid(ShapeKind.CAPSULE, (0, 0, 0.3), EIGHTH, radius=0.2, half_height=1.0),
            -0.1,
        ),
        (ball((0, 0, 0)), ball((0, 0, 0)), -1.0),  # at one place
        (capsule((0, 0, 0)), ball((0, 0, 0)), -0.7),  # on its axis
        (capsule((0, 0, 0)), capsule((sqrt(2.0), sqrt(2.0), 0.0)), -0.4),  # end to end
        (capsule((0, 0, 0)), capsule((0.5, 0.5, 0.0)), -0.4),  # along one axis
        (solid(ShapeKind.CYLINDER, radius=0.5, half_height=1.0), box((1.7, 0.0, 0.0)), -0.3),
        (solid(ShapeKind.CONE, radius=0.5, half_height=1.0), box((1.9, 0.0, 0.0)), -0.1),  # its tip
    ],
)
def test_distance_of_two_shapes(one, other, expected):
    for a, b in ((one, other), (other, one)):
        assert distance(a.convex, b.convex) == pytest.approx(expected, abs=ROUND_OFF)


def test_depth_in_a_triangle_mesh():
    """A box sinks 0.25 m into a triangle of the ground."""
    corners = ((-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (0.0, 9.0, 0.0))
    ground = shape_of(Collider("/g", kind=ShapeKind.TRIANGLE_MESH, points=corners, faces=((0, 1, 2),)), HERE)
    assert ground.distance(box((0.0, 0.0, 0.75)), np.inf) == pytest.approx(-0.25, abs=ROUND_OFF)
