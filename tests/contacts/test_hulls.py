"""Convex hulls contain their points, and name their vertices in PhysX's order."""

from itertools import pairwise, product

import numpy as np
import pytest

from fajin.geometry.convex_hull import HullLimits, cook_hull
from fajin.geometry.hull_features import hull_features

EPS = float(np.finfo(np.float32).eps)
CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
ORDER_OF_CUBE = (5, 1, 0, 4, 2, 6, 3, 7)
FACES_OF_CUBE = ((0, 1, 2, 3), (4, 5, 3, 2), (4, 2, 1, 6), (7, 6, 1, 0), (7, 0, 3, 5), (7, 5, 4, 6))


def test_a_cube_has_six_faces_in_physx_order():
    """Recorded: a cube that falls on an edge goes where PhysX's goes only with these numbers."""
    hull = cook_hull(CUBE)
    assert (hull.points == CUBE[list(ORDER_OF_CUBE)]).all()
    assert hull.faces == FACES_OF_CUBE
    features = hull_features(hull.points, hull.faces)
    assert len(features.edges) == 12
    assert features.centre == pytest.approx((0.0, 0.0, 0.0))
    assert features.inner == pytest.approx((1.0, 1.0, 1.0))


def test_equal_points_have_one_hull_that_nobody_changes():
    """A mesh that stands in many places of a stage is cooked once; other limits and precisions are other hulls."""
    hull = cook_hull(CUBE)
    assert cook_hull(CUBE.copy()) is hull
    assert cook_hull(CUBE, HullLimits(corners=5)) is not hull
    assert cook_hull(CUBE.astype(np.float32)).points.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        hull.points[0] = 0.0


def test_the_box_inside_a_scaled_hull_is_that_of_the_hull_scaled():
    """Along x, where the scaled cube is shortest, the box that is found in it would be its least side all round."""
    scale = (0.5, 1.0, 2.0)
    hull = cook_hull(CUBE)
    scaled = hull_features(hull.points * scale, hull.faces, scale)
    assert scaled.inner == pytest.approx(scale)
    assert hull_features(hull.points * scale, hull.faces).inner != pytest.approx(scale)


def wedge(x: float, y: float, z: float) -> np.ndarray:
    """A roof over a rectangle: three of its points are equally far from the plane of the other three."""
    base = [(-x, -y, -z), (x, -y, -z), (x, y, -z), (-x, y, -z)]
    return np.array([*base, (-x, 0.0, z), (x, 0.0, z)])


@pytest.mark.parametrize(
    ("points", "below"),
    [
        (wedge(0.168148, 0.222166, 0.283617), (3, 2, 1, 0)),
        (wedge(0.205868, 0.133235, 0.267324), (1, 0, 3, 2)),
        (wedge(0.1772489, 0.1491724, 0.1848195), (1, 0, 3, 2)),
        (wedge(0.130004, 0.1111645, 0.1315509), (1, 0, 3, 2)),
    ],
)
def test_round_off_chooses_the_first_vertex_of_a_symmetric_hull(points, below):
    """Recorded: the order in which PhysX lists the contact points of a wedge that stands on a plane."""
    hull = cook_hull(points)
    number = [int(np.flatnonzero((points == point).all(axis=1))[0]) for point in hull.points]
    faces = [tuple(number[i] for i in face) for face in hull.faces]
    assert below in faces


@pytest.mark.parametrize("seed", range(20))
def test_all_points_are_inside_and_every_edge_has_two_faces(seed):
    """Within the plane tolerance of 0.0007 of half the sum of the sides."""
    points = np.random.default_rng(seed).normal(size=(30, 3))
    hull = cook_hull(points)
    features = hull_features(hull.points, hull.faces)
    tolerance = 0.0007 * max(1.0, np.ptp(points, axis=0).sum() / 2.0)
    assert (points @ features.normals.T + features.offsets).max() <= 2.0 * tolerance
    assert len(hull.points) - len(features.edges) + len(hull.faces) == 2
    assert (features.edges[:, 0] != features.edges[:, 1]).all()


def ring(corners: int, radius: float, z: float) -> np.ndarray:
    """Points around the z axis."""
    turns = 2.0 * np.pi * np.arange(corners) / corners
    return np.stack([radius * np.cos(turns), radius * np.sin(turns), np.full(corners, z)], axis=1)


def prism(corners: int, radius: float = 0.1, half: float = 0.1, taper: float = 1.0) -> np.ndarray:
    """A prism, or a truncated pyramid."""
    return np.concatenate([ring(corners, radius, half), ring(corners, taper * radius, -half)])


def sphere(around: int, along: int) -> np.ndarray:
    """Points of a sphere on circles of latitude."""
    angles = np.pi * np.arange(1, along) / along
    rings = [ring(around, float(np.sin(angle)), float(np.cos(angle))) for angle in angles]
    return 0.1 * np.concatenate([[(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)], *rings])


REDUCED = {  # points, and mass and centre of mass of a body of 1000 kg/m³ in PhysX
    "a face of 32 corners": (prism(32), 6.249252, (5.1e-05, -2.7e-05, 0.0)),
    "a face of 32 corners, flat": (prism(32, 0.2, 0.03), 7.499106, (1.02e-04, -5.5e-05, 0.0)),
    "a face of 32 corners, tapering": (prism(32, taper=0.7), 4.562889, (0.0, 0.0, 0.011644)),
    "a cone": (np.r_[ring(32, 0.1, -0.1), [(0.0, 0.0, 0.15)]], 2.604389, (0.0, 0.0, -0.0375)),
    "a cone of 40 corners": (np.r_[ring(40, 0.1, -0.1), [(0.0, 0.0, 0.15)]], 2.617796, (-1.5e-05, 1.8e-05, -0.0375)),
    "66 vertices": (prism(33), 6.255642, (7.7e-05, 4.7e-05, 0.0)),
    "80 vertices": (prism(40), 6.277482, (2.0e-05, -2.4e-05, 0.0)),
    "96 vertices": (prism(48), 6.272657, (-9.5e-05, -4.2e-05, -2.2e-05)),
    "more than 64 faces": (sphere(12, 8), 3.406333, (2.08e-04, 1.10e-04, -6.68e-04)),
    "many more than 64 faces": (sphere(32, 16), 3.431622, (0.0, 0.0, 7.0e-06)),
}


@pytest.mark.parametrize("name", REDUCED)
def test_a_hull_has_no_more_faces_corners_and_vertices_than_in_physx(name):
    """The volume is PhysX's to single precision of the moments, the centre of mass to the digits recorded."""
    points, mass, com = REDUCED[name]
    hull = cook_hull(points)
    assert hull.cut
    assert len(hull.points) <= 64
    assert len(hull.faces) <= 64
    assert max(map(len, hull.faces)) <= 31
    corners = np.array([(f[0], a, b) for f in hull.faces for a, b in pairwise(f[1:])])
    a, b, c = hull.points[corners].transpose(1, 0, 2)
    volumes = (a * np.cross(b, c)).sum(axis=1) / 6.0
    assert 1000.0 * volumes.sum() == pytest.approx(mass, rel=8.0 * EPS)
    centre = (volumes[:, None] * (a + b + c)).sum(axis=0) / (4.0 * volumes.sum())
    assert centre == pytest.approx(com, abs=1e-6)


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
