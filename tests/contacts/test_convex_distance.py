"""Nearest points and depths of convex shapes, against a brute search over the difference of their vertices."""

import importlib
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from shared_kernels import CONTACTS, LAWS

from fajin import compiler
from fajin import device as devices
from fajin.device.state import State
from fajin.geometry.convex_hull import cook_hull
from fajin.geometry.hull_features import hull_features
from fajin.model.model import compile
from fajin.quaternion import rotate
from fajin.scene import Articulation, Collider, Link, Scene, ShapeKind

FAR = 10.0  # contact offset, so that all pairs are near enough


def hull(seed: int) -> Collider:
    """A random convex hull of about 12 vertices, some 0.4 m wide."""
    points = np.random.default_rng(seed).normal(size=(20, 3))
    points *= 0.2 / np.linalg.norm(points, axis=1)[:, None]
    points *= np.random.default_rng(seed + 1).uniform(0.6, 1.0, size=(20, 1))
    cooked = cook_hull(points)
    vertices = tuple(map(tuple, cooked.points.tolist()))
    return Collider("/hull", kind=ShapeKind.CONVEX_HULL, points=vertices, faces=cooked.faces, contact_offset=FAR)


def nearest(one: Collider, two: Collider, poses: np.ndarray) -> np.ndarray:
    """(N, 11) found, point on A and B, normal, distance for each pose (N, 7) of A in B; all in one launch."""
    import taichi as ti

    body = Articulation("/body", (Link("/body"),), (), free=True)
    scene = Scene("pair", (body,), colliders=(replace(one, body="/body"), replace(two, path="/other")))
    place = devices.start("cpu-lanes", "f64", threads=2, worlds=len(poses))
    state = State(compile(scene), len(poses), place)
    state.start()
    package = compiler.load_physics(place, "kernels").__name__.rpartition(".")[0]
    lanes, view, gjk, pose, spatial, rotation = (
        importlib.import_module(f"{package}.{file}")
        for file in (
            "lanes",
            "world_view",
            "contacts.narrow_phase.convex_core.gjk",
            "contacts.pose",
            "spatial",
            "rotation",
        )
    )
    Array, Real = lanes.Array, lanes.Real

    @ti.kernel
    def kernel(
        states: Array(Real, 1), parameters: Array(Real, 1), scratch: Array(Real, 1), topology: Array(ti.i32, 1),
        contacts: Array(Real, 1), frames: Array(Real, 2), found: Array(Real, 2), features: ti.template(),
    ):  # fmt: skip
        for i in range(frames.shape[0]):
            world = view.WorldView(states, parameters, scratch, topology, i, i, features)
            world.attach(states, contacts)
            w = view.LaneView(world, 0)
            p = spatial.Vec3(frames[i, 0], frames[i, 1], frames[i, 2])
            q = rotation.Quat(spatial.Vec3(frames[i, 3], frames[i, 4], frames[i, 5]), frames[i, 6])
            kind, a, b, n, d = gjk.nearest_points(w, 0, pose.Pose(p, q).placed())
            found[i, 0] = 1.0 * kind
            found[i, 1] = a.x
            found[i, 2] = a.y
            found[i, 3] = a.z
            found[i, 4] = b.x
            found[i, 5] = b.y
            found[i, 6] = b.z
            found[i, 7] = n.x
            found[i, 8] = n.y
            found[i, 9] = n.z
            found[i, 10] = d

    answer = np.zeros((len(poses), 11))
    contacts = state.buffer("contacts").array
    scratch = state.scratch()
    with compiler.compiler_options(place):
        kernel(
            state.array("state"), state.array("parameters"), scratch, state.array("topology"), contacts,
            poses, answer, replace(state.features, **dict.fromkeys((*LAWS, *CONTACTS), True)),
        )  # fmt: skip
    return answer


def separation(one: Collider, two: Collider, poses: np.ndarray) -> np.ndarray:
    """(N,) signed distances: the largest gap along any normal of a face, or pair of edges, of the two hulls.

    It is exact for overlapping hulls, and below the distance where two corners are nearest.
    """
    sides = [(np.array(each.points), hull_features(np.array(each.points), each.faces)) for each in (one, two)]
    (a, mine), (b, other) = sides
    edges = [edge_directions(points, each.faces) for points, each in ((a, one), (b, two))]
    gaps = []
    for pose in poses:
        p, q = pose[:3], pose[3:]
        here = rotate(q, a) + p
        crossed = np.cross(rotate(q, edges[0])[:, None], edges[1][None]).reshape(-1, 3)
        crossed = crossed[np.linalg.norm(crossed, axis=1) > 1e-9]
        crossed /= np.linalg.norm(crossed, axis=1)[:, None]
        axes = np.concatenate([-rotate(q, mine.normals), other.normals, crossed, -crossed])
        axes /= np.linalg.norm(axes, axis=1)[:, None]  # normals of faces are rounded to single precision
        gaps.append(((here @ axes.T).min(axis=0) - (b @ axes.T).max(axis=0)).max())
    return np.array(gaps)


def edge_directions(points: np.ndarray, faces) -> np.ndarray:
    """Directions of the edges of a hull, each once."""
    ends = {(min(i, j), max(i, j)) for face in faces for i, j in zip(face, face[1:] + face[:1], strict=True)}
    return np.array([points[j] - points[i] for i, j in sorted(ends)])


def random_poses(count: int, reach: float, seed: int = 3) -> np.ndarray:
    """Random poses (N, 7) within a reach."""
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=(count, 4))
    return np.concatenate(
        [rng.uniform(-reach, reach, (count, 3)), turn / np.linalg.norm(turn, axis=1)[:, None]], axis=1
    )


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hulls_have_the_distance_of_their_nearest_points(count):
    """The answer is a distance between two points of the hulls, and no direction parts them by more."""
    one, two = hull(1), hull(5)
    poses = random_poses(count, 0.3)
    found, truth = nearest(one, two, poses), separation(one, two, poses)
    kind, a, b, n, d = found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10], found[:, 10]
    assert (truth < 0.0).sum() > 0.2 * count < (truth > 0.0).sum()
    assert np.linalg.norm(n, axis=1) == pytest.approx(1.0)
    tolerance = 0.005 * min(hull_features(np.array(each.points), each.faces).inner.min() for each in (one, two))
    apart = truth > tolerance
    assert (kind[apart] == 1.0).all()
    assert np.abs((a - b - n * d[:, None])[apart]).max() < 1e-9
    support = [gap_along(one, two, pose, normal) for pose, normal in zip(poses, n, strict=True)]
    # GJK ends within 2.25e-4 of |x|, or where a tetrahedron is flatter than 1e-4 m
    assert (d - support - 2.3e-4 * d)[apart].max() < 1e-4
    assert (d - truth)[apart].min() > -1e-9
    deep = (truth < -tolerance) & (kind == 1.0)
    assert deep.sum() > 0.9 * (truth < -tolerance).sum()
    error = np.abs(d - truth)[deep]  # EPA ends within the tolerance; like PhysX's, it does not look at tiny facets
    assert np.quantile(error, 0.99) < 1.5 * tolerance
    assert error.max() < 5.0 * tolerance


def gap_along(one: Collider, two: Collider, pose: np.ndarray, n: np.ndarray) -> float:
    """The gap between two hulls along a direction from B to A."""
    here = rotate(pose[3:], np.array(one.points)) + pose[:3]
    return (here @ n).min() - (np.array(two.points) @ n).max()


def test_a_box_and_its_hull_have_the_same_distances():
    """Cores of boxes are known in closed form."""
    half = (0.1, 0.15, 0.2)
    corners = np.array(list(product((-1.0, 1.0), repeat=3))) * half
    cooked = cook_hull(corners)
    vertices = tuple(map(tuple, cooked.points.tolist()))
    cube = Collider("/hull", kind=ShapeKind.CONVEX_HULL, points=vertices, faces=cooked.faces, contact_offset=FAR)
    box = Collider("/box", kind=ShapeKind.BOX, half_extents=half, contact_offset=FAR)
    poses = random_poses(100, 0.6)
    poses = poses[np.linalg.norm(poses[:, :3], axis=1) > 0.5]
    one, two = nearest(box, hull(1), poses)[:, 10], nearest(cube, hull(1), poses)[:, 10]
    assert (one > 0.0).all()
    assert one == pytest.approx(two, rel=5e-4)
