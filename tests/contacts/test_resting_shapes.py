"""Shapes of all kinds come to rest on a triangle mesh, a box and a hull at their own height."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from bodies_on_ground import G, H

import fajin
from fajin.geometry.convex_hull import cook_hull
from fajin.scene import Articulation, Collider, Link, Scene, ShapeKind

HEIGHT = 0.1
UPRIGHT = (0.0, -float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5)))  # x to z


def cube_hull(half: float) -> Collider:
    """A cube as a convex hull."""
    points = np.array(list(product((-half, half), repeat=3)))
    cooked = cook_hull(points)
    vertices = tuple(map(tuple, cooked.points.tolist()))
    return Collider("/hull", kind=ShapeKind.CONVEX_HULL, points=vertices, faces=cooked.faces)


def terrain(ridge: float = 0.0) -> Collider:
    """A mesh of 16 × 8 squares of 0.5 m, with ridges along y of this height."""
    points = [(0.5 * i - 4.0, 0.5 * j - 2.0, ridge * (i % 2)) for i in range(17) for j in range(9)]
    squares = [(9 * i + j, 9 * i + j + 9, 9 * i + j + 10, 9 * i + j + 1) for i in range(16) for j in range(8)]
    faces = tuple(face for a, b, c, d in squares for face in ((a, b, c), (a, c, d)))
    return Collider("/mesh", kind=ShapeKind.TRIANGLE_MESH, points=tuple(points), faces=faces)


SHAPES = {
    "sphere": Collider("", kind=ShapeKind.SPHERE, radius=HEIGHT),
    "capsule": Collider("", kind=ShapeKind.CAPSULE, radius=HEIGHT, half_height=0.15),
    "box": Collider("", kind=ShapeKind.BOX, half_extents=(HEIGHT,) * 3),
    "hull": cube_hull(HEIGHT),
    "cylinder": Collider("", kind=ShapeKind.CYLINDER, radius=0.12, half_height=HEIGHT, pose=((0.0,) * 3, UPRIGHT)),
    "cone": Collider("", kind=ShapeKind.CONE, radius=0.12, half_height=HEIGHT, pose=((0.0,) * 3, UPRIGHT)),
}


def settle(supports, steps: int = 120) -> np.ndarray:
    """Heights of the shapes above z = 0 after `steps` steps; they start 5 mm above it, 1.2 m apart."""
    bodies, colliders = [], list(supports)
    for i, (name, shape) in enumerate(SHAPES.items()):
        path = f"/{name}"
        inertia = tuple(tuple(0.004 * (a == b) for b in range(3)) for a in range(3))
        place = ((1.2 * i - 3.1, 0.07, HEIGHT + 0.005), (0.0, 0.0, 0.0, 1.0))
        link = Link(path, pose=place, inertia=inertia)
        bodies.append(Articulation(path, (link,), (), free=True))
        colliders.append(replace(shape, path=f"{path}/shape", body=path))
    sim = fajin.Simulation(Scene("rest", tuple(bodies), (0.0, 0.0, -G), H, colliders=tuple(colliders)), device="cpu")
    sim.step(steps)
    return np.array([sim.link_pose[0][list(sim.link).index(f"/{name}")][2] for name in SHAPES])


def test_shapes_rest_on_a_flat_mesh():
    """To the thousandth of a metre."""
    assert settle([terrain()]) == pytest.approx(HEIGHT, abs=1e-3)


def test_shapes_rest_on_boxes_and_hulls():
    box = Collider(
        "/box", kind=ShapeKind.BOX, half_extents=(2.0, 2.0, 0.5), pose=((-2.0, 0.0, -0.5), (0.0, 0.0, 0.0, 1.0))
    )
    hull = replace(cube_hull(2.0), pose=((2.0, 0.0, -2.0), (0.0, 0.0, 0.0, 1.0)))
    assert settle([box, hull]) == pytest.approx(HEIGHT, abs=1e-3)


def test_a_turned_box_touches_the_triangles_below_its_lowest_corner():
    """Its bounding box along the mesh's axes is that of the box as it is turned: no triangle is missed."""
    worlds, deep, half = 64, 2e-3, np.array([0.9, 0.03, 0.05])
    rng = np.random.default_rng(5)
    turns = rng.normal(size=(worlds, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    x, y, z, w = turns.T
    down = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)  # z in the axes of the box
    heights = np.abs(down) @ half - deep
    inertia = tuple(tuple(0.004 * (a == b) for b in range(3)) for a in range(3))
    link = Link("/box", pose=((0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0)), inertia=inertia)
    box = Collider("/box/shape", kind=ShapeKind.BOX, half_extents=tuple(half), body="/box")
    body = Articulation("/box", (link,), (), free=True)
    sim = fajin.Simulation(Scene("turned", (body,), (0.0, 0.0, -G), H, colliders=(terrain(), box)), worlds, "cpu")
    pose = np.array(sim.root_pose)
    pose[:, 0, :2], pose[:, 0, 2], pose[:, 0, 3:] = (0.13, 0.07), heights, turns
    sim.root_pose = pose
    sim.step()
    contacts = sim.contacts
    deepest = [min(contacts.gap[contacts.world == i], default=np.inf) for i in range(worlds)]
    assert np.array(deepest) == pytest.approx(-deep, abs=2e-5)


def test_nothing_falls_through_ridges():
    """All edges and corners of a mesh hold what lies on them."""
    heights = settle([terrain(0.1)], 240)
    assert heights.min() > 0.05
