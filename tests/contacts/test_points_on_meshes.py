"""Which points of a box on a triangle mesh are solved, and in which order, which depends on the origin of the mesh."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import G, H, cube
from pit import box_in_a_pit
from recorded_contacts import ROUND_OFF

import fajin
from fajin.scene import Collider, Scene, ShapeKind

HALF = 0.2
PLACE = np.array((0.31, -0.23))


def mesh(origin: np.ndarray) -> Collider:
    """Squares of 0.15 m in the plane z = 0, with the origin of the mesh somewhere else in it."""
    line = 0.15 * np.arange(-14, 15)
    points = [(x - origin[0], y - origin[1], 0.0) for x in line for y in line]
    n = len(line)
    squares = [(n * i + j, n * i + j + n, n * i + j + n + 1, n * i + j + 1) for i in range(n - 1) for j in range(n - 1)]
    faces = tuple(face for a, b, c, d in squares for face in ((a, b, c), (a, c, d)))
    place = ((*origin.tolist(), 0.0), (0.0, 0.0, 0.0, 1.0))
    return Collider("/mesh", kind=ShapeKind.TRIANGLE_MESH, points=tuple(points), faces=faces, pose=place)


@pytest.mark.parametrize("origin", [(0.0, 0.0), (1.0, 0.0), (0.7, -0.6), (-0.4, 0.9)])
def test_the_first_point_of_a_box_is_the_farthest_from_the_origin_of_the_mesh(origin):
    """The second is the farthest from it; wherever the middle of the mesh's vertices is."""
    body, shape = cube("box", HALF, 2.0, (*PLACE.tolist(), HALF + 0.004))
    colliders = (replace(shape, contact_offset=0.01), mesh(np.array(origin)))
    sim = fajin.Simulation(Scene("box", (body,), (0.0, 0.0, -G), H, colliders=colliders), device="cpu")
    sim.step()
    points = np.asarray(sim.contacts.point, float)[:, :2]
    corners = PLACE + HALF * np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])
    first = corners[np.argmax(np.linalg.norm(corners - origin, axis=1))]
    assert len(points) == 6
    np.testing.assert_allclose(points[0], first, rtol=0, atol=1e-5)
    np.testing.assert_allclose(points[1], 2 * PLACE - first, rtol=0, atol=1e-5)


def test_a_box_in_a_pit_moves_as_in_physx(tmp_path):
    """It meets one triangle at more points than stay: those beside the line of the first two are on both sides of it.

    The positions were recorded from PhysX 5 (ovphysx 0.7.0) after 1, 10 and 60 steps. Points chosen otherwise move the
    box by 3e-5 m in the first step, and by 5e-4 m in 60.
    """
    sim = fajin.Simulation(fajin.read(box_in_a_pit(tmp_path)), device="cpu")
    recorded = {
        1: (0.09747267, 0.050256222, 0.10659401),
        10: (0.091738194, 0.05439381, 0.112935424),
        60: (0.08462338, 0.055959877, 0.10508329),
    }
    done = 0
    for steps, position in recorded.items():
        sim.step(steps - done)
        done = steps
        np.testing.assert_allclose(np.asarray(sim.link_pose)[0, 0, :3], position, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("kind", [ShapeKind.SPHERE, ShapeKind.CAPSULE, ShapeKind.BOX])
def test_normals_on_tiny_triangles_have_length_one(kind):
    """Triangles of 0.2 mm, whose sides have a cross product of 4e-8 m²."""
    line = 2e-4 * np.arange(-9, 10)
    n = len(line)
    points = tuple((x, y, 0.0) for x in line for y in line)
    corners = [(n * i + j, n * i + j + n, n * i + j + n + 1, n * i + j + 1) for i in range(n - 1) for j in range(n - 1)]
    faces = tuple(face for a, b, c, d in corners for face in ((a, b, c), (a, c, d)))
    ground = Collider("/mesh", kind=ShapeKind.TRIANGLE_MESH, points=points, faces=faces, contact_offset=1e-5)
    body, shape = cube("body", 1e-3, 1e-3, (5e-5, 7e-5, 1e-3))
    half = {} if kind is ShapeKind.BOX else {"radius": 1e-3, "half_height": 3e-4}
    shape = replace(shape, kind=kind, contact_offset=1e-5, **half)
    sim = fajin.Simulation(Scene("tiny", (body,), (0.0, 0.0, -G), H, colliders=(shape, ground)), device="cpu")
    sim.step()
    assert len(sim.contacts) > 0
    np.testing.assert_allclose(np.abs(sim.contacts.normal), [(0.0, 0.0, 1.0)] * len(sim.contacts), atol=1e-6)
