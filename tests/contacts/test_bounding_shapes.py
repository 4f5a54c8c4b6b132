"""Bounding spheres and boxes of meshes: they contain the points, and are those that PhysX finds."""

from itertools import product

import numpy as np
import pytest

from fajin.geometry.bounding_box import bounding_box
from fajin.geometry.bounding_sphere import bounding_sphere
from fajin.quaternion import rotate

EPS = float(np.finfo(np.float32).eps)
CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
FLAT = CUBE * (1.0, 1.0, 0.0)


def cloud(seed):
    """Return points in a ball that is stretched and turned."""
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    return rotate(turn / np.linalg.norm(turn), rng.normal(size=(100, 3)) * (1.0, 2.0, 4.0)) + rng.normal(size=3)


@pytest.mark.parametrize("seed", range(10))
def test_a_sphere_nearly_contains_its_points(seed):
    """It moves towards each vertex outside, and away from those that it has passed: PhysX does not look again."""
    points = cloud(seed)
    centre, radius = bounding_sphere(points)
    reach = np.linalg.norm(points - centre, axis=1).max()
    assert reach / 1.05 < radius < 1.3 * reach


@pytest.mark.parametrize("seed", range(10))
def test_a_box_contains_its_points_and_is_smaller_than_that_along_the_axes(seed):
    points = cloud(seed)
    half, centre, rotation = bounding_box(points)
    inside = rotate(rotation.astype(float) * (-1.0, -1.0, -1.0, 1.0), points - centre)
    size = np.abs(points).max()
    assert np.abs(inside).max(axis=0) == pytest.approx(half, abs=16.0 * EPS * size)
    assert half.prod() < np.ptp(points, axis=0).prod() / 8.0


@pytest.mark.parametrize("axis", range(3))
def test_a_box_turned_about_one_of_its_axes_is_found_again(axis):
    """By whole degrees: PhysX turns the box about each principal axis, from the axes of the points."""
    turn = np.array((0.0, 0.0, 0.0, np.cos(np.radians(15.0))))
    turn[axis] = np.sin(np.radians(15.0))
    half, centre, _ = bounding_box(rotate(turn, CUBE * (1.0, 2.0, 3.0)))
    assert sorted(half) == pytest.approx((1.0, 2.0, 3.0), abs=32.0 * EPS)
    assert centre == pytest.approx((0.0, 0.0, 0.0), abs=32.0 * EPS)


def test_the_sphere_of_a_cube_reaches_its_corners():
    centre, radius = bounding_sphere(CUBE)
    assert (radius, tuple(centre)) == (np.sqrt(np.float32(3.0)), (0.0, 0.0, 0.0))


@pytest.mark.parametrize("bound", [bounding_sphere, bounding_box])
@pytest.mark.parametrize("size", [1e13, 1e20, 1e30])
def test_points_too_far_apart_for_single_precision_are_bounded_by_nothing_or_finite_numbers(bound, size):
    found = bound(CUBE * size)
    assert found is None or all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize("bound", [bounding_sphere, bounding_box])
def test_flat_points_are_not_bounded(bound):
    """PhysX looks for their convex hull first."""
    assert bound(FLAT) is None
