"""Triangles and normals of meshes that are drawn."""

import numpy as np
import pytest

from fajin.geometry.creases import crease_normals
from fajin.geometry.primitives import (
    box_triangles,
    capsule_triangles,
    cone_triangles,
    cylinder_triangles,
    rectangle_triangles,
    sphere_triangles,
)
from fajin.geometry.triangulation import triangulate


def areas(points, triangles) -> np.ndarray:
    """Vector areas of triangles, (F, 3)."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.cross(b - a, c - a) / 2.0


def volume(points, triangles) -> float:
    return np.einsum("fi,fi->", points[triangles[:, 0]], areas(points, triangles)) / 3.0


STAR = np.array([(np.cos(k * np.pi / 5) * (1 + k % 2), np.sin(k * np.pi / 5) * (1 + k % 2), 0.0) for k in range(10)])
HOOK = np.array([(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 4, 0), (2, 1, 0), (0, 1, 0)], float)
DART = np.array([(0, 0, 0), (2, 1, 0), (0, 2, 0), (1, 1, 0)], float)


@pytest.mark.parametrize("polygon", [STAR, HOOK, DART, HOOK[::-1], np.roll(DART, 1, axis=0)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_triangles_of_a_concave_face_stay_inside_it(polygon, axis):
    """All triangles turn the same way and their areas add up to that of the polygon, however it lies in space."""
    polygon = np.roll(polygon, axis, axis=1)
    corners, faces = triangulate(polygon, np.array([len(polygon)]), np.arange(len(polygon)))
    parts = areas(polygon, corners)
    whole = np.cross(polygon, np.roll(polygon, -1, 0)).sum(0) / 2.0
    assert len(corners) == len(polygon) - 2
    assert set(faces) == {0}
    np.testing.assert_allclose(parts.sum(0), whole, atol=1e-12)
    assert (parts @ whole > 0.0).all()


def test_triangles_follow_the_order_of_the_faces():
    points = np.concatenate([HOOK, DART + np.array([9, 0, 0]), [(0, 0, 5), (1, 0, 5), (1, 1, 5)]])
    corners, faces = triangulate(points, np.array([3, 4, 6]), np.array([10, 11, 12, 6, 7, 8, 9, *range(6)]))
    assert faces.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert corners.min() == 0
    assert corners[faces == 1].min() == 3


@pytest.mark.parametrize(
    ("shape", "expected", "tolerance"),
    [
        (box_triangles((1.0, 2.0, 3.0)), 6.0, 1e-12),
        (sphere_triangles(1.5), 4.0 / 3.0 * np.pi * 1.5**3, 0.03),
        (cylinder_triangles(0.5, 2.0), np.pi * 0.5, 0.01),
        (cone_triangles(0.5, 2.0), np.pi * 0.5 / 3.0, 0.01),
        (capsule_triangles(0.5, 2.0), np.pi * (0.5 + 4.0 / 3.0 * 0.125), 0.02),
    ],
)
def test_primitives_are_closed_and_face_outwards(shape, expected, tolerance):
    """A closed surface has no net area; its volume is positive if its faces are counterclockwise from outside."""
    points, triangles = shape
    np.testing.assert_allclose(areas(points, triangles).sum(0), 0.0, atol=1e-12)
    assert volume(points, triangles) == pytest.approx(expected, rel=tolerance)


def test_a_rectangle_faces_up():
    points, triangles = rectangle_triangles(2.0, 3.0)
    np.testing.assert_allclose(areas(points, triangles).sum(0), [0.0, 0.0, 6.0])


def test_a_box_is_split_at_its_edges_and_a_sphere_is_smooth():
    points, _, normals = crease_normals(*box_triangles((1.0, 1.0, 1.0)))
    assert len(points) == 24
    np.testing.assert_allclose(np.abs(normals).max(axis=1), 1.0)
    points, _, normals = crease_normals(*sphere_triangles(2.0))
    assert len(points) == 2 + 15 * 32
    np.testing.assert_allclose(normals, points / 2.0, atol=0.05)


def test_points_that_repeat_are_joined_before_normals_are_found():
    """Triangles with points of their own, as in STL files, are smooth as well."""
    points, triangles = sphere_triangles(1.0)
    loose = crease_normals(points[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3))
    assert len(loose[0]) == len(crease_normals(points, triangles)[0])


def test_triangles_without_area_are_left_out():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 0, 0)], float)
    _, triangles, normals = crease_normals(points, np.array([(0, 1, 2), (0, 1, 3), (1, 1, 2)]))
    assert len(triangles) == 1
    np.testing.assert_allclose(normals, [(0, 0, 1)] * 3)


def test_a_mesh_without_faces_has_no_normals():
    points, triangles, normals = crease_normals(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    assert (len(points), len(triangles), len(normals)) == (0, 0, 0)
