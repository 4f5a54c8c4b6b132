"""Bad colliders give one line or a report, and never a collider that a step cannot bear."""

import numpy as np
import pytest
from usda import MASS, arm, prim, stage

import fajin
from fajin.model.model import compile
from fajin.scene import WORLD, InvalidScene, ShapeKind
from fajin.tables.topology import TABLES

COLLIDES = "PhysicsCollisionAPI"
MESH = "{}\nint[] faceVertexCounts = [{}]\nint[] faceVertexIndices = [{}]\n"
SQUARE = "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]"
MOST = 1_000_000
"""Triangles that a mesh may have."""
BALL = prim("Sphere", "ball", "double radius = 0.1", COLLIDES)
PYRAMID = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"


def read_mesh(folder, lines: str, on_link: bool = True) -> fajin.Scene:
    """A scene with a mesh collider, on a link as a hull or in the world as triangles."""
    shape = prim("Mesh", "shape", lines, COLLIDES)
    return fajin.read(stage(folder, *((arm(link=shape),) if on_link else (arm(), shape))))


def outcome(read, *given) -> tuple[fajin.Scene | None, str]:
    """The scene that a reading returns, or the message that it raises."""
    try:
        return read(*given), ""
    except InvalidScene as error:
        return None, str(error)


def codes(scene: fajin.Scene) -> set[str]:
    return {report.code for report in scene.reports}


def test_points_in_one_place_do_not_collide_as_a_hull(tmp_path):
    """Reported."""
    points = "point3f[] points = [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]"
    scene = read_mesh(tmp_path, MESH.format(points, "3, 3", "0, 1, 2, 0, 2, 3"))
    assert scene.colliders == ()
    assert "hull-without-volume" in codes(scene)


@pytest.mark.parametrize(
    "lines",
    [
        MESH.format("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]", "3", "0, 1, 2"),
        MESH.format(SQUARE, "3, 3", "0, 1, 2, 0, 2, 3"),
    ],
    ids=["three points", "flat"],
)
def test_a_sheet_collides_as_a_slab(tmp_path, lines):
    """Recorded: 1.1 % of its longest side thick."""
    scene = read_mesh(tmp_path, lines)
    points = np.array(scene.colliders[0].points)
    longest, thickness = np.ptp(points, axis=0).max(), np.ptp(points, axis=0).min()
    assert thickness == pytest.approx(0.011 * longest, rel=1e-6)


@pytest.mark.parametrize("value", ["nan", "inf", "1e39"])
@pytest.mark.parametrize("on_link", [True, False])
def test_points_that_are_not_finite_do_not_collide(tmp_path, value, on_link):
    """One line that names the prim, or a report of it."""
    lines = MESH.format(
        PYRAMID.replace("(0, 0, 1)", f"(0, 0, {value})"), "3, 3, 3, 3", "0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3"
    )
    scene, message = outcome(read_mesh, tmp_path, lines, on_link)
    assert "\n" not in message
    assert "/shape" in message or all(np.isfinite(collider.points).all() for collider in scene.colliders)


@pytest.mark.parametrize("indices", ["0, 1, 9", "0, 1, -1", "0, 1"])
def test_faces_that_name_no_point_are_refused_or_reported(tmp_path, indices):
    lines = MESH.format(PYRAMID, "3", indices)
    scene, message = outcome(read_mesh, tmp_path, lines, False)
    assert "/shape" in message or scene.colliders == ()


def test_open_meshes_and_flat_triangles_collide_in_the_world(tmp_path):
    """A mesh of the world need not be closed; a triangle without area has no effect."""
    lines = MESH.format(SQUARE, "3, 3, 3", "0, 1, 2, 0, 2, 3, 0, 0, 1")
    (found,) = read_mesh(tmp_path, lines, on_link=False).colliders
    assert found.kind is ShapeKind.TRIANGLE_MESH


@pytest.mark.slow
@pytest.mark.parametrize(("triangles", "collides"), [(1, True), (MOST, True), (MOST + 1, False)])
def test_a_mesh_of_more_than_a_million_triangles_is_reported(tmp_path, triangles, collides):
    """One polygon of n + 2 corners has n triangles; the report says how many there are and may be."""
    corners = ", ".join(["0, 1, 2, 3"] * ((triangles + 5) // 4)).split(", ")[: triangles + 2]
    scene = read_mesh(tmp_path, MESH.format(SQUARE, triangles + 2, ", ".join(corners)), on_link=False)
    assert len(scene.colliders) == collides
    reasons = [report.reason for report in scene.reports if report.code == "mesh-too-large"]
    assert len(reasons) == (not collides)
    assert all("1,000,001 triangles, more than 1,000,000" in reason for reason in reasons)


def test_the_tree_of_a_mesh_has_every_triangle_once(tmp_path):
    """Boxes of the tree hold the triangles of their leaves, and each triangle is in one leaf."""
    side = 12
    points = ", ".join(f"({i}, {j}, {i * j % 3})" for i in range(side + 1) for j in range(side + 1))
    faces = [(i, i + side + 1, i + side + 2, i + 1) for i in range(side * (side + 1)) if i % (side + 1) < side]
    corners = ", ".join(str(corner) for face in faces for corner in face)
    lines = MESH.format(f"point3f[] points = [{points}]", ", ".join(["4"] * len(faces)), corners)
    shape = prim("Mesh", "shape", lines, COLLIDES)
    model = compile(fajin.read(stage(tmp_path, arm(link=MASS + "\n" + BALL), shape)))
    triangles, bounds = model.tables["TRIANGLES"], model.tables["BOUNDS"]
    assert len({tuple(sorted(triangle)) for triangle in triangles.tolist()}) == len(triangles) == 2 * side * side
    words = TABLES["BOUNDS"]
    leaves = bounds[bounds[:, words["SKIP"]] == np.arange(1, len(bounds) + 1)]
    spans = leaves[:, [words["TRIANGLE"], words["TRIANGLE_END"]]]
    assert [n for first, end in spans.tolist() for n in range(first, end)] == list(range(len(triangles)))


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("Sphere", "double radius = -1"),
        ("Capsule", "double height = -1"),
        ("Cube", "double size = -2"),
        ("Cone", "double radius = nan"),
    ],
)
def test_sizes_that_are_negative_or_not_finite_do_not_collide(tmp_path, kind, line):
    """One line that names the attribute, or a report."""
    scene, message = outcome(fajin.read, stage(tmp_path, arm(link=prim(kind, "shape", line, COLLIDES))))
    if scene is None:
        assert line.split()[1] in message
    else:
        assert scene.colliders == ()
        assert "shape-without-size" in codes(scene)


def test_a_collider_within_a_robot_but_on_no_body_is_static(tmp_path):
    """PhysX takes it as part of the world; it collides with the robot's links."""
    shape = prim("Cube", "shape", "double size = 0.1", COLLIDES)
    (found,) = fajin.read(stage(tmp_path, arm(extra=shape))).colliders
    assert found.body == WORLD
