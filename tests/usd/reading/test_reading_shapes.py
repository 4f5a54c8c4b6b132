"""Meshes, shapes and transforms whose numbers are none, or are of a type that USD cannot use."""

import pytest
from refusals import contains, refusal
from usda import MASS, arm, prim, stage

import fajin


def reports(path, word: str) -> list:
    """Reports of a scene that name an attribute."""
    return [report for report in fajin.read(path).reports if word in report.attribute]


@pytest.mark.parametrize(
    ("counts", "indices", "word"),
    [
        ("3, 3, 3, 3", "0, 1, -1, 0, 3, 1, 1, 3, 2, 0, 2, 3", "faceVertexIndices"),
        ("3, 3, 3, 3", "0, 1, 4, 0, 3, 1, 1, 3, 2, 0, 2, 3", "faceVertexIndices"),
        ("3, 3, 3", "0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3", "faceVertexCounts"),
        ("2147483647", "0, 1, 2", "faceVertexCounts"),
        ("-3, 6", "0, 1, 2", "faceVertexCounts"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_mesh_that_is_none_weighs_nothing(tmp_path, counts, indices, word):
    points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    lines = f"{points}\nint[] faceVertexCounts = [{counts}]\nint[] faceVertexIndices = [{indices}]"
    path = stage(tmp_path, arm(link=prim("Mesh", "shape", lines, "PhysicsCollisionAPI")))
    assert fajin.read(path).articulations[0].links[1].mass == 1.0
    assert any("is 0" in report.reason for report in reports(path, word))


@pytest.mark.parametrize("line", ["float size = nan", "double size = inf"])
def test_a_shape_is_finite(tmp_path, line):
    path = stage(tmp_path, arm(link=prim("Cube", "shape", line, "PhysicsCollisionAPI")))
    assert contains(refusal(path), "/robot/link/shape.size", "finite")


@pytest.mark.parametrize(
    ("line", "mass"), [("int size = 2", 8000.0), ('string size = "2"', 8000.0), ("float size = 1", 1000.0)]
)
def test_a_shape_has_the_size_that_it_says_in_any_type(tmp_path, line, mass):
    """One of another kind is dropped for USD's own size of 2, and reported."""
    path = stage(tmp_path, arm(link=prim("Cube", "shape", line, "PhysicsCollisionAPI")))
    assert fajin.read(path).articulations[0].links[1].mass == pytest.approx(mass)
    assert bool(reports(path, "size")) == ("string" in line)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ('string xformOp:translate = "x"\nuniform token[] xformOpOrder = ["xformOp:translate"]', "xformOp:translate"),
        ('bool xformOp:orient = 1\nuniform token[] xformOpOrder = ["xformOp:orient"]', "xformOp:orient"),
        ('uniform token[] xformOpOrder = ["X"]', "xformOpOrder"),
        ('string xformOpOrder = "X"', "xformOpOrder"),
    ],
)
def test_a_transform_is_of_ops_that_usd_computes(tmp_path, lines, word):
    assert contains(refusal(stage(tmp_path, arm(link=f"{MASS}\n{lines}"))), f"/robot/link.{word}", "author")


def test_an_open_mesh_weighs_what_its_hull_does(tmp_path):
    """PhysX weighs what collides."""
    lines = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3]"
    mesh = prim("Mesh", "shape", f"{lines}\nint[] faceVertexIndices = [0, 1, 2]", "PhysicsCollisionAPI")
    assert fajin.read(stage(tmp_path, arm(link=mesh))).articulations[0].links[1].mass == pytest.approx(1000.0 / 6.0)
