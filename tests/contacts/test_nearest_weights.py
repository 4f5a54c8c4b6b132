"""Nearest point of a triangle to the origin, against the nearest of its corners, edges and face."""

import importlib

import numpy as np
import pytest

from fajin import compiler
from fajin import device as devices

EPSILON = np.finfo(np.float64).eps
COUNT = 20_000


def weights(triangles: np.ndarray) -> np.ndarray:
    """(N, 3) weights of the corners of triangles (N, 3, 3), all in one launch."""
    import taichi as ti

    place = devices.start("cpu-lanes", "f64")
    package = compiler.load_physics(place, "kernels").__name__.rpartition(".")[0]
    lanes, spatial, triangle = (
        importlib.import_module(f"{package}.{file}") for file in ("lanes", "spatial", "contacts.narrow_phase.triangle")
    )
    Array, Real, Vec3 = lanes.Array, lanes.Real, spatial.Vec3

    @ti.kernel
    def kernel(corners: Array(Real, 3), found: Array(Real, 2)):
        for i in range(corners.shape[0]):
            a = Vec3(corners[i, 0, 0], corners[i, 0, 1], corners[i, 0, 2])
            b = Vec3(corners[i, 1, 0], corners[i, 1, 1], corners[i, 1, 2])
            c = Vec3(corners[i, 2, 0], corners[i, 2, 1], corners[i, 2, 2])
            found[i, 0], found[i, 1], found[i, 2] = triangle.nearest_weights(a, b, c)

    answer = np.full((len(triangles), 3), np.nan)
    with compiler.compiler_options(place):
        kernel(np.ascontiguousarray(triangles), answer)
    return answer


def candidates(triangles: np.ndarray) -> np.ndarray:
    """(7, N, 3) weights of the corners, of the nearest point of each edge, and of the plane; NaN outside of them."""
    one = np.eye(3)[:, None].repeat(len(triangles), 1)
    edges = np.zeros_like(one)
    for i, (j, k) in enumerate([(0, 1), (1, 2), (2, 0)]):
        a, along = triangles[:, j], triangles[:, k] - triangles[:, j]
        t = -(a * along).sum(1) / (along * along).sum(1)
        edges[i, :, j], edges[i, :, k] = 1.0 - t, t
    basis = triangles[:, 1:] - triangles[:, :1]  # normal equations of the plane
    gram, side = basis @ basis.swapaxes(1, 2), -(basis @ triangles[:, 0, :, None])
    inner = np.linalg.solve(gram, side)[..., 0]
    plane = np.column_stack([1.0 - inner.sum(1), inner])
    found = np.concatenate([one, edges, plane[None]])
    return np.where((found >= 0.0).all(-1, keepdims=True), found, np.nan)


def distance(triangles: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(N,) distance of the points with these weights from the origin."""
    return np.linalg.norm(np.einsum("...ni,nij->...nj", at, triangles), axis=-1)


@pytest.fixture(scope="module")
def random_triangles():
    """Triangles around and beside the origin."""
    draw = np.random.default_rng(0)
    return draw.normal(size=(COUNT, 3, 3)) + draw.normal(size=(COUNT, 1, 3))


@pytest.fixture(scope="module")
def found(random_triangles):
    return weights(random_triangles)


def test_the_point_is_the_nearest_of_the_triangle(random_triangles, found):
    """To the round-off of the normal equations, which grows with the triangle's condition."""
    assert (found >= 0.0).all()
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=0, atol=4 * EPSILON)
    expected = np.nanmin(distance(random_triangles, candidates(random_triangles)), 0)
    basis = random_triangles[:, 1:] - random_triangles[:, :1]
    size = np.linalg.norm(random_triangles, axis=(1, 2))
    tolerance = 16 * EPSILON * size * np.linalg.cond(basis) ** 2
    assert (np.abs(distance(random_triangles, found) - expected) <= tolerance).all()


def test_corners_that_the_point_does_not_need_weigh_nothing(random_triangles, found):
    """Each corner, each edge and the face is the nearest part of many triangles."""
    choice = np.nanargmin(distance(random_triangles, candidates(random_triangles)), 0)
    needed = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], bool)[choice]
    np.testing.assert_array_equal(found > 0.0, needed)
    assert np.bincount(choice, minlength=7).min() > COUNT // 100


def test_corners_may_coincide():
    """The last two, which leaves an edge, or all three."""
    a, b = np.array([1.0, 2.0, -1.0]), np.array([-1.0, 1.0, 2.0])
    triangles = np.array([[a, b, b], [b, a, a], [a, a, a]])
    t = (a @ (a - b)) / ((a - b) @ (a - b))
    expected = [np.linalg.norm(a + t * (b - a))] * 2 + [np.linalg.norm(a)]
    assert 0.0 < t < 1.0
    np.testing.assert_allclose(distance(triangles, weights(triangles)), expected, rtol=16 * EPSILON)
