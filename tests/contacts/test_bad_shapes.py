"""Bad colliders give one line or a report, and never a collider that a step cannot bear."""

import numpy as np
import pytest
from usda import arm, prim, stage

import fajin
from fajin.scene import WORLD, InvalidScene, ShapeKind
from fajin.usd.read import mesh_shapes

COLLIDES = "PhysicsCollisionAPI"
MESH = "{}\nint[] faceVertexCounts = [{}]\nint[] faceVertexIndices = [{}]\n"
SQUARE = "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]"
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


@pytest.mark.parametrize(
    "lines",
    [
        MESH.format("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]", "3", "0, 1, 2"),
        MESH.format(SQUARE, "3, 3", "0, 1, 2, 0, 2, 3"),
        MESH.format("point3f[] points = [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]", "3, 3", "0, 1, 2, 0, 2, 3"),
    ],
    ids=["three points", "flat", "one place"],
)
def test_points_without_volume_do_not_collide_as_a_hull(tmp_path, lines):
    """Reported; PhysX refuses them as well."""
    scene = read_mesh(tmp_path, lines)
    assert scene.colliders == ()
    assert codes(scene) & {"hull-without-volume", "shape-without-size"}


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


def test_a_mesh_of_too_many_triangles_is_reported(tmp_path, monkeypatch):
    """The report says how many there are and may be."""
    monkeypatch.setattr(mesh_shapes, "MOST_TRIANGLES", 1)
    scene = read_mesh(tmp_path, MESH.format(SQUARE, "3, 3", "0, 1, 2, 0, 2, 3"), on_link=False)
    assert scene.colliders == ()
    (report,) = (report for report in scene.reports if report.code == "mesh-too-large")
    assert "2 triangles, more than 1" in report.reason


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
