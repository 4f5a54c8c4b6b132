"""Hulls of thin, flat and large point sets, before contacts: recorded masses and motions are in `recorded`."""

import numpy as np
import pytest

from fajin.geometry.convex_hull import cook_hull
from fajin.geometry.hull_cleaning import clean_points, thicken_sheet
from fajin.geometry.hull_moments import principal_rotation
from fajin.geometry.hull_simplex import tolerances_of

SQUARE = np.array([(-2.0, -1.0, 0.0), (2.0, -1.0, 0.0), (2.0, 1.0, 0.0), (-2.0, 1.0, 0.0)])
FACES = np.array([(0, 1, 2), (0, 2, 3)])


@pytest.mark.parametrize(("least", "thickness"), [(0.001, 0.044), (0.1, 0.1), (0.0, 0.044)])
def test_a_sheet_is_as_thick_as_its_longest_side_asks(least, thickness):
    """max(least, 0.011 · 4) along the normal, half on each side; no wider than before."""
    sides = np.ptp(thicken_sheet(SQUARE, FACES, least), axis=0)
    assert sides == pytest.approx((4.0, 2.0, thickness), abs=4.0 * np.finfo(float).eps)


@pytest.mark.parametrize("faces", [[(0, 1, 2), (2, 1, 0)], [(0, 1, 2), (0, 3, 2)]])
def test_a_mesh_with_two_sides_is_not_a_sheet(faces):
    """Faces that look both ways: the points stay, and a box of 2 cm replaces them, which PhysX makes."""
    assert thicken_sheet(SQUARE, np.array(faces), 0.001) is SQUARE
    assert np.ptp(clean_points(SQUARE, 1.0), axis=0) == pytest.approx((4.0, 2.0, 0.02), rel=1e-6)


def test_points_without_a_plane_of_their_own_leave_it_by_the_tolerance():
    """A plate of 1e-4 m: the corner farthest from the plane of three others moves by 0.0007 of half the sides' sum."""
    plate = np.concatenate((SQUARE, SQUARE + np.array((0.0, 0.0, 1e-4))))
    moved = np.linalg.norm(clean_points(plate, 1.0) - plate.astype(np.float32), axis=1)
    assert np.sort(moved)[-2:] == pytest.approx((0.0, tolerances_of(plate.astype(np.float32)).plane), rel=1e-3)
    assert cook_hull(clean_points(plate, 1.0)) is not None


def test_points_in_one_place_have_no_hull():
    """Nothing says along which axes a box around them would be long."""
    assert cook_hull(clean_points(np.zeros((5, 3)), 1.0)) is None


def test_equal_moments_turn_by_an_eighth():
    """Jacobi: cot 2φ = (I_yy - I_xx) / (2 I_xy) = 0, φ = π/4, the quaternion (0, 0, sin π/8, cos π/8)."""
    tensor = np.array(((2.0, 1e-3, 0.0), (1e-3, 2.0, 0.0), (0.0, 0.0, 3.0)), np.float32)
    expected = (0.0, 0.0, np.sin(np.pi / 8.0), np.cos(np.pi / 8.0))
    assert principal_rotation(tensor) == pytest.approx(expected, abs=8.0 * float(np.finfo(np.float32).eps))
