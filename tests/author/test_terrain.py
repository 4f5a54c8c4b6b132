"""`fajin.author.terrain`: a height field as a static mesh, in any units and up axis."""

import numpy as np
import pytest
from commands import fajin_here
from paths import ROOT
from pxr import Usd, UsdGeom

import fajin
from fajin.author.terrain import height_field_mesh
from fajin.scene import InvalidScene, ShapeKind
from fajin.usd.read.reader import read_stage

PENDULUM = ROOT / "scenes" / "pendulum.usda"
SPACING = 0.5
HEIGHTS = np.random.default_rng(3).uniform(-0.4, 0.4, (5, 7))


def stage_of(metres: float = 1.0, up: str = "Z") -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    UsdGeom.SetStageUpAxis(stage, up)
    return stage


def test_points_lie_on_a_grid_about_the_origin_and_triangles_face_up():
    points, faces = height_field_mesh(HEIGHTS, SPACING)
    grid = points.reshape(5, 7, 3)
    np.testing.assert_allclose(grid[:, 0, 0], np.arange(-2, 3) * SPACING)
    np.testing.assert_allclose(grid[0, :, 1], np.arange(-3, 4) * SPACING)
    assert (grid[..., 2] == HEIGHTS).all()
    a, b, c = (points[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    np.testing.assert_allclose(normals[:, 2], SPACING**2)  # twice the area in the plane
    assert len(faces) == 2 * 4 * 6


def test_steep_rises_become_vertical():
    """Of a step up along x, the lower row moves under the upper one; flat ground stays a grid."""
    heights = np.zeros((6, 4))
    heights[3:] = 0.2
    points, faces = height_field_mesh(heights, SPACING, slope_threshold=0.3)
    grid = points.reshape(6, 4, 3)
    np.testing.assert_allclose(grid[2, :, 0], grid[3, :, 0])
    np.testing.assert_allclose(grid[[0, 1, 4, 5], 0, 0], (np.array([0, 1, 4, 5]) - 2.5) * SPACING)
    a, b, c = (points[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    riser = np.abs(normals[:, 0]) > 1e-9
    assert riser.sum() == 2 * 3
    assert (normals[riser, 0] < 0.0).all()
    assert (np.abs(normals[riser, 2]) < 1e-12).all()
    kept, _ = height_field_mesh(heights, SPACING, slope_threshold=0.5)
    np.testing.assert_allclose(kept, height_field_mesh(heights, SPACING)[0])


@pytest.mark.parametrize(("metres", "up"), [(1.0, "Z"), (0.01, "Z"), (1.0, "Y"), (0.01, "Y")])
def test_the_terrain_is_a_static_mesh_of_the_scene(metres, up):
    """Rays from above meet it at the heights of the field, wherever up is."""
    stage = stage_of(metres, up)
    (first, *_) = fajin.author.terrain(stage, HEIGHTS, SPACING, static_friction=0.7)
    assert (first.prim, first.after) == ("/terrain", "Mesh")
    (collider,) = read_stage(stage).colliders
    assert (collider.kind, collider.body, len(collider.faces)) == (ShapeKind.TRIANGLE_MESH, "", 48)
    assert collider.material.static_friction == pytest.approx(0.7)
    points = np.array(collider.points)
    order = [2, 0, 1] if up == "Y" else [0, 1, 2]
    wanted, _ = height_field_mesh(HEIGHTS, SPACING)
    np.testing.assert_allclose(points[:, order], wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("heights", "options", "line"),
    [
        (np.zeros(4), {}, "heights"),
        (np.full((3, 3), np.nan), {}, "heights"),
        (HEIGHTS, {"spacing": 0.0}, "spacing"),
        (HEIGHTS, {"slope_threshold": -1.0}, "slope_threshold"),
    ],
)
def test_values_against_their_rules_are_refused(heights, options, line):
    stage = stage_of()
    with pytest.raises(InvalidScene, match=line):
        fajin.author.terrain(stage, heights, **{"spacing": SPACING, **options})
    assert not stage.GetPrimAtPath("/terrain")


def test_a_second_terrain_is_refused():
    stage = stage_of()
    fajin.author.terrain(stage, HEIGHTS, SPACING)
    with pytest.raises(InvalidScene, match="no prim yet"):
        fajin.author.terrain(stage, HEIGHTS, SPACING)


def test_the_command_reads_arrays_and_tables(tmp_path):
    np.save(tmp_path / "heights.npy", HEIGHTS)
    np.savetxt(tmp_path / "heights.csv", HEIGHTS, delimiter=",")
    found = []
    for name in ("heights.npy", "heights.csv"):
        out = tmp_path / f"{name}.usda"
        assert (
            fajin_here("author", "terrain", PENDULUM, tmp_path / name, "--spacing", "50cm", "-o", out).returncode == 0
        )
        found.append([c.points for c in fajin.read(out).colliders])
    assert found[0] == found[1]
    assert len(found[0][0]) == HEIGHTS.size
    (tmp_path / "words.csv").write_text("up,down")
    done = fajin_here("author", "terrain", PENDULUM, tmp_path / "words.csv", "-o", tmp_path / "x.usda")
    assert done.returncode == 2
    assert "must be a .npy or .csv file of numbers" in done.stderr
    assert not (tmp_path / "x.usda").exists()
