"""Convex hulls contain their points, and name their vertices in PhysX's order."""

from itertools import product

import numpy as np
import pytest

from fajin.geometry.bounding_sphere import bounding_sphere
from fajin.geometry.convex_hull import cook_hull
from fajin.geometry.hull_features import hull_features

EPS = float(np.finfo(np.float32).eps)
CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
ORDER_OF_CUBE = (5, 1, 0, 4, 2, 6, 3, 7)
FACES_OF_CUBE = ((0, 1, 2, 3), (4, 5, 3, 2), (4, 2, 1, 6), (7, 6, 1, 0), (7, 0, 3, 5), (7, 5, 4, 6))


def test_a_cube_has_six_faces_in_physx_order():
    """Recorded: a cube that falls on an edge goes where PhysX's goes only with these numbers."""
    hull = cook_hull(CUBE)
    assert hull.vertices == ORDER_OF_CUBE
    assert hull.faces == FACES_OF_CUBE
    features = hull_features(CUBE[list(hull.vertices)], hull.faces)
    assert len(features.edges) == 12
    assert features.centre == pytest.approx((0.0, 0.0, 0.0))
    assert features.inner == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize("seed", range(20))
def test_all_points_are_inside_and_every_edge_has_two_faces(seed):
    """Within the plane tolerance of 0.0007 of half the sum of the sides."""
    points = np.random.default_rng(seed).normal(size=(40, 3))
    hull = cook_hull(points)
    vertices = points[list(hull.vertices)]
    features = hull_features(vertices, hull.faces)
    tolerance = 0.0007 * max(1.0, np.ptp(points, axis=0).sum() / 2.0)
    assert (points @ features.normals.T + features.offsets).max() <= 2.0 * tolerance
    assert len(vertices) - len(features.edges) + len(hull.faces) == 2
    assert (features.edges[:, 0] != features.edges[:, 1]).all()


def test_a_hull_stops_at_its_limit():
    """The farthest points come first, so what is left out is near."""
    points = np.random.default_rng(0).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = cook_hull(points)
    assert len(hull.vertices) == 64
    assert hull.cut
    assert not cook_hull(points[:30]).cut


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        CUBE[:3],
        np.zeros((8, 3)),
        CUBE * (1.0, 1.0, 0.0),
        CUBE * (1.0, 0.0, 0.0),
        CUBE * np.nan,
        CUBE * 1e39,
    ],
)
def test_points_without_volume_have_no_hull(points):
    assert cook_hull(points) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_sphere_contains_its_points(seed):
    points = np.random.default_rng(seed).normal(size=(100, 3))
    centre, radius = bounding_sphere(points)
    reach = np.linalg.norm(points - centre, axis=1).max()
    assert reach <= radius * (1.0 + EPS)
    assert radius < 1.3 * reach
