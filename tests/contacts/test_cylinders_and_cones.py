"""Contact points of cylinders and cones: distances against support functions, faces, and triangles side by side."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import fajin
from fajin.geometry.convex_hull import cook_hull
from fajin.quaternion import conjugate, from_rotation_vector, multiply, rotate
from fajin.scene import Articulation, Collider, Link, Scene, ShapeKind

FAR = 0.2  # contact offset [m], so that most pairs are near enough
WORLDS = 200
SIZE = 0.2  # largest extent of all shapes [m]
WELDED = 0.01 * SIZE
"""Accuracy of nearest points: a point of a round shape is one with an older one that is nearer than this [m]."""


def hull_points() -> np.ndarray:
    """Vertices (V, 3) of a convex hull."""
    points = np.random.default_rng(3).normal(size=(12, 3))
    return points * (0.5 * SIZE / np.linalg.norm(points, axis=1))[:, None]


def shape(kind: str, path: str) -> Collider:
    """A shape of each kind, about as large."""
    half = 0.5 * SIZE
    if kind == "CONVEX_HULL":
        points = hull_points()
        cooked = cook_hull(points)
        fields = {"points": tuple(map(tuple, cooked.points.tolist())), "faces": cooked.faces}
    elif kind == "BOX":
        fields = {"half_extents": (0.5 * half, half, 0.7 * half)}
    elif kind == "CAPSULE":
        fields = {"radius": 0.4 * half, "half_height": half}
    else:
        fields = {"radius": 0.6 * half, "half_height": half}
    return Collider(path, body=path, kind=ShapeKind[kind], contact_offset=FAR, **fields)


def reach(collider: Collider, d: np.ndarray) -> np.ndarray:
    """Largest component of a shape along directions d (N, 3), both in its frame."""
    across, r, h = np.hypot(d[:, 1], d[:, 2]), collider.radius, collider.half_height
    kind = ShapeKind(collider.kind).name
    if kind == "CONVEX_HULL":
        return (d @ np.array(collider.points).T).max(axis=1)
    if kind == "BOX":
        return np.abs(d) @ np.array(collider.half_extents)
    return {
        "SPHERE": lambda: r * np.linalg.norm(d, axis=1),
        "CAPSULE": lambda: r * np.linalg.norm(d, axis=1) + h * np.abs(d[:, 0]),
        "CYLINDER": lambda: h * np.abs(d[:, 0]) + r * across,
        "CONE": lambda: np.maximum(h * d[:, 0], r * across - h * d[:, 0]),
    }[kind]()


def separation(pair: list[Collider], poses: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Gap of two shapes along directions d (N, 3) from the second to the first."""
    first = rotate(conjugate(poses[:, 0, 3:]), -d)
    second = rotate(conjugate(poses[:, 1, 3:]), d)
    along = ((poses[:, 0, :3] - poses[:, 1, :3]) * d).sum(axis=1)
    return along - reach(pair[0], first) - reach(pair[1], second)


def touching(pair: list[Collider], poses: np.ndarray):
    """Contacts of two free bodies at poses (N, 2, 7), a world each."""
    bodies = tuple(Articulation(c.path, (Link(c.path),), (), free=True) for c in pair)
    sim = fajin.Simulation(Scene("pair", bodies, colliders=tuple(pair)), len(poses), device="cpu", threads=1)
    assert list(sim.articulation) == [c.path for c in pair]
    sim.root_pose = poses
    sim.step()
    return sim.contacts


def random_poses(seed: int, near: float, far: float) -> np.ndarray:
    """Poses (N, 2, 7) of two bodies at some distance from each other."""
    rng = np.random.default_rng(seed)
    poses = np.zeros((WORLDS, 2, 7))
    turns, away = rng.normal(size=(WORLDS, 2, 4)), rng.normal(size=(WORLDS, 3))
    poses[:, :, 3:] = turns / np.linalg.norm(turns, axis=2)[:, :, None]
    poses[:, 1, :3] = away * (rng.uniform(near, far, WORLDS) / np.linalg.norm(away, axis=1))[:, None]
    return poses


@pytest.mark.parametrize("other", ["SPHERE", "CAPSULE", "BOX", "CYLINDER", "CONE", "CONVEX_HULL"])
@pytest.mark.parametrize("kind", ["CYLINDER", "CONE"])
def test_the_deepest_point_has_the_distance_of_the_shapes(kind, other):
    """gap = max over d of the separation along d, whether apart or in each other; the normal is where it is reached."""
    pair = [shape(kind, "/a"), shape(other, "/b")]
    poses = random_poses(7, 0.1 * SIZE, 1.6 * SIZE)
    contacts = touching(pair, poses)
    worlds, first = np.unique(contacts.world, return_index=True)
    assert len(worlds) > 0.7 * WORLDS
    ends = np.append(first[1:], len(contacts.world))
    gap = np.array([contacts.gap[i:j].min() for i, j in zip(first, ends, strict=True)])
    assert (gap > 0.0).any()
    assert (gap < -0.05 * SIZE).any()
    sound = gap > (-pair[1].radius if other == "SPHERE" else -SIZE)  # its centre is not within the other shape
    gap, normal, poses = gap[sound], contacts.normal[first][sound], poses[worlds[sound]]
    np.testing.assert_allclose(separation(pair, poses, normal), gap, atol=WELDED)
    directions = np.random.default_rng(8).normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for d in directions:
        assert (separation(pair, poses, np.tile(d, (len(gap), 1))) < gap + WELDED).all()


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.0])
def test_a_standing_cylinder_has_four_points_on_its_rim(turn):
    """On a box: 90° apart on the rim, half way between the faces, with the gap of the faces."""
    box = Collider("/box", body="/box", kind=ShapeKind.BOX, half_extents=(0.5, 0.5, 0.5), contact_offset=FAR)
    pair, gap = [shape("CYLINDER", "/a"), box], 0.01
    poses = np.zeros((1, 2, 7))
    upright = multiply(from_rotation_vector(np.array((0.0, 0.0, turn))), np.array((0.0, -1.0, 0.0, 1.0)) / np.sqrt(2.0))
    poses[0, 0] = 0.1, 0.05, 0.5 + 0.5 * SIZE + gap, *upright
    poses[0, 1, 6] = 1.0
    contacts = touching(pair, poses)
    spokes = contacts.point - poses[0, 0, :3]
    assert len(spokes) == 4
    np.testing.assert_allclose(contacts.gap, gap, atol=1e-4)
    np.testing.assert_allclose(contacts.point[:, 2], 0.5 + 0.5 * gap, atol=1e-4)
    np.testing.assert_allclose(np.hypot(spokes[:, 0], spokes[:, 1]), 0.3 * SIZE, rtol=2e-2)
    np.testing.assert_allclose(spokes[:, :2].sum(axis=0), 0.0, atol=0.02 * SIZE)


def test_a_lying_cylinder_has_both_ends_of_its_line():
    """On a box, the first points are those at its ends; all have one height."""
    box = Collider("/box", body="/box", kind=ShapeKind.BOX, half_extents=(0.5, 0.5, 0.5), contact_offset=FAR)
    poses, gap = np.zeros((1, 2, 7)), 0.01
    poses[0, 0] = 0.1, 0.05, 0.5 + 0.3 * SIZE + gap, 0, 0, 0.2, np.sqrt(0.96)
    poses[0, 1, 6] = 1.0
    contacts = touching([shape("CYLINDER", "/a"), box], poses)
    along = rotate(conjugate(poses[0, :1, 3:]), contacts.point - poses[0, 0, :3])[:, 0]
    np.testing.assert_allclose([along.min(), along.max()], [-0.5 * SIZE, 0.5 * SIZE], atol=1e-3 * SIZE)
    np.testing.assert_allclose(contacts.gap, gap, atol=1e-4)


@pytest.mark.parametrize("kind", ["CYLINDER", "CONE"])
def test_edges_within_a_flat_mesh_have_no_contacts(kind):
    """Shapes that stand, lie and tilt on a mesh of flat triangles feel one plane: normals and gaps are those of it."""
    side, pitch = 7, 0.06
    points = [((i - 3) * pitch, (j - 3) * pitch, 0.0) for i, j in product(range(side), repeat=2)]
    corners = [(i * side + j, (i + 1) * side + j) for i, j in product(range(side - 1), repeat=2)]
    faces = tuple(face for a, b in corners for face in ((a, b, b + 1), (a, b + 1, a + 1)))
    mesh = Collider("/mesh", kind=ShapeKind.TRIANGLE_MESH, points=tuple(points), faces=faces, contact_offset=0.002)
    mine = replace(shape(kind, "/a"), contact_offset=0.002)
    turns = random_poses(11, 0.0, 0.01)[:, :1]
    down = np.tile((0.0, 0.0, -1.0), (WORLDS, 1))
    turns[:, 0, :3] = np.random.default_rng(12).uniform(-0.02, 0.02, (WORLDS, 3))
    turns[:, 0, 2] = reach(mine, rotate(conjugate(turns[:, 0, 3:]), down)) - 0.002
    body = Articulation("/a", (Link("/a"),), (), free=True)
    sim = fajin.Simulation(Scene("mesh", (body,), colliders=(mine, mesh)), WORLDS, device="cpu", threads=1)
    sim.root_pose = turns
    sim.step()
    contacts = sim.contacts
    worlds = np.unique(contacts.world)
    assert len(worlds) > 0.95 * WORLDS  # a rim that is nearer to an edge than deep is hidden there, as in PhysX
    assert contacts.normal[contacts.gap < 0.0, 2].min() > 0.99
    deepest = np.array([contacts.gap[contacts.world == w].min() for w in worlds])
    assert (np.abs(deepest + 0.002) < 0.1 * WELDED).mean() > 0.95
