"""Order in which the triangles of a mesh are visited, and its convex edges."""

import numpy as np
import pytest

from fajin.geometry.mesh_tree import MOST_EXCHANGED, convex_edges, visiting_order
from fajin.model.builder import Builder
from fajin.model.shapes import add_tree
from fajin.scene import Collider, Scene, ShapeKind

ORDER = (
    *(46, 47, 48, 49, 36, 37, 38, 39, 26, 27, 28, 29, 4, 5, 14, 15, 2, 3, 12, 13, 0, 1, 10, 11, 18, 19, 8, 9, 6, 7),
    *(16, 17, 20, 21, 32, 33, 22, 23, 30, 31, 34, 35, 24, 25, 42, 43, 40, 41, 44, 45),
)
"""Of the mesh of the recorded scenes `m01_*`: PhysX's contact points come in this order."""


def grid(n: int, heights) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of n × n squares, 1 m wide."""
    line = np.linspace(-0.5, 0.5, n + 1)
    points = np.array([(x, y, heights(x, y)) for x in line for y in line])
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    far = corner + n + 2
    faces = np.stack([corner, corner + n + 1, far, corner, far, corner + 1], axis=1).reshape(-1, 3)
    return points, faces


def test_a_terrain_is_visited_as_by_physx():
    points, faces = grid(5, lambda x, y: 0.04 * np.sin(9 * x) * np.cos(5 * y))
    assert tuple(visiting_order(points, faces)) == ORDER


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_every_triangle_is_visited_once(n):
    points, faces = grid(n, lambda x, y: x * y)
    assert sorted(visiting_order(points, faces)) == list(range(2 * n * n))


def test_triangles_at_one_place_are_visited_once():
    """Such a mesh has no axis along which it could be parted."""
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    assert sorted(visiting_order(points, np.tile((0, 1, 2), (40, 1)))) == list(range(40))


def test_a_large_mesh_takes_seconds():
    points, faces = grid(260, lambda x, y: 0.1 * np.sin(9 * x))
    assert len(faces) > MOST_EXCHANGED
    assert sorted(visiting_order(points, faces)) == list(range(len(faces)))


@pytest.mark.parametrize(("height", "convex"), [(0.2, True), (0.02, False), (0.0, False), (-0.2, False)])
def test_edges_of_a_ridge_are_convex(height, convex):
    """Two triangles that fall away from their edge by more than 0.1 rad; edges at the rim always are."""
    points = np.array([(0.0, 0.0, height), (0.0, 1.0, height), (1.0, 0.5, 0.0), (-1.0, 0.5, 0.0)])
    found = convex_edges(points, np.array([(1, 0, 2), (0, 1, 3)]))
    assert found[:, 0].tolist() == [convex, convex]
    assert found[:, 1:].all()


def test_a_small_box_is_compared_with_few_triangles():
    """On stairs around a pit, long triangles beside short ones: at most one on average beyond those that it meets."""
    line = np.array([-9.0, -3.0, -2.6, -2.2, -1.8, -1.4, -1.0, 1.0, 1.4, 1.8, 2.2, 2.6, 3.0, 9.0])
    steps = np.maximum(np.abs(line[:, None]), np.abs(line)) // 0.4 * 0.1
    points = np.stack([*np.meshgrid(line, line, indexing="ij"), steps], -1).reshape(-1, 3)
    corner = (np.arange(13)[:, None] * 14 + np.arange(13)).ravel()
    faces = np.stack([corner, corner + 14, corner + 15, corner, corner + 15, corner + 1], axis=1).reshape(-1, 3)
    collider = Collider(
        "/stairs", kind=ShapeKind.TRIANGLE_MESH, points=tuple(map(tuple, points)), faces=tuple(map(tuple, faces))
    )
    b = Builder(Scene("", ()))
    add_tree(b, collider, np.zeros(3))
    low, high = (np.reshape(b.rows[name], (-1, 3)) for name in ("BOUND_LOW", "BOUND_HIGH"))
    skip, first, last = np.transpose(b.tables["BOUNDS"])
    assert [t for i in range(len(skip)) for t in range(first[i], last[i])] == list(range(len(faces)))
    vertices = np.reshape(b.rows["VERTEX"], (-1, 3))[np.array(b.tables["TRIANGLES"])[:, :3]]
    random, extra = np.random.default_rng(0), []
    for middle in random.uniform((-3, -3, 0), (3, 3, 0.7), (200, 3)):
        i, seen = 0, 0
        while i < len(skip):
            meets = (middle - 0.1 <= high[i]).all() and (middle + 0.1 >= low[i]).all()
            seen += (last[i] - first[i]) * meets
            i = i + 1 if meets else skip[i]
        meets = (middle - 0.1 <= vertices.max(1)).all(1) & (middle + 0.1 >= vertices.min(1)).all(1)
        extra.append(seen - meets.sum())
        assert extra[-1] >= 0
    assert np.mean(extra) <= 1.0
