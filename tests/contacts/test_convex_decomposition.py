"""Convex decomposition: hulls without what protrudes little, voxels, patches, merging, and masses that PhysX has."""

import numpy as np
import pytest
from usda import arm, prim, stage

import fajin
from fajin.geometry import convex_decomposition
from fajin.geometry.coarse_hull import LEAST, coarse_hull
from fajin.geometry.convex_decomposition import Decomposition, decompose
from fajin.geometry.hull_merging import merge_hulls
from fajin.geometry.nearest_on_mesh import move_onto_mesh
from fajin.geometry.point_reduction import reduce_points
from fajin.geometry.voxels import make_voxels
from fajin.usd.read import mesh_pieces

CUBE = np.array(list(np.ndindex(2, 2, 2)), float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = np.array([corners for a, b, c, d in FACES for corners in ((a, b, c), (a, c, d))])
CORNER = ((0.0, 0.0), (0.3, 0.0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.4), (0.0, 0.4))
CUT, SCHEMA = "physxConvexDecompositionCollision", "PhysxConvexDecompositionCollisionAPI"


def corner():
    """Two beams of 0.1 m at a right angle, 0.15 m high."""
    count = len(CORNER)
    points = np.array([(*corner, z) for z in (0.0, 0.15) for corner in CORNER], np.float32)
    sides = [(i, (i + 1) % count) for i in range(count)]
    faces = [face for i, j in sides for face in ((i, j, j + count), (i, j + count, i + count))]
    fan = [(0, k, k + 1) for k in range(1, count - 1)]
    faces += [(a, c, b) for a, b, c in fan] + [(a + count, b + count, c + count) for a, b, c in fan]
    return points, np.array(faces)


def box_between(low, high):
    """The points of a box."""
    return np.asarray(low) + CUBE * (np.asarray(high, float) - low)


def test_a_hull_leaves_out_what_protrudes_by_less_than_a_hundredth_of_half_its_sides():
    """d = 0.01 (x + y + z) / 2: a point over a face counts beyond it, not below."""
    box = box_between((0.0, 0.0, 0.0), (100.0, 60.0, 40.0))
    least = LEAST * 100.0
    for height, vertices in ((0.9 * least, 8), (1.1 * least, 9)):
        hull = coarse_hull(np.vstack([box, [50.0, 30.0, 40.0 + height]]))
        assert len(hull.points) == vertices
        assert hull.volume == pytest.approx(240_000.0 + (vertices - 8) * 100.0 * 60.0 * height / 3.0)


def test_hulls_of_grids_have_the_volume_of_their_box():
    """Coplanar points and points on edges, of which a grid consists, are no corners."""
    grid = np.array(list(np.ndindex(9, 7, 5)), float) * 100.0
    hull = coarse_hull(np.random.default_rng(0).permutation(grid))
    assert hull.volume == pytest.approx(8 * 6 * 4 * 1e6)
    assert len(hull.points) == 8


def test_points_on_a_line_have_no_hull():
    assert coarse_hull(np.arange(5.0)[:, None] * [1.0, 2.0, 3.0]) is None


def test_voxels_of_a_box_are_its_surface_and_what_it_encloses():
    """The longest side has max(32, 1.5 N^0.33) voxels, and no other voxel is full."""
    grid = make_voxels(box_between((1.0, 2.0, 3.0), (5.0, 4.1, 4.05)), TRIANGLES, 10_000)
    assert grid.surface.shape[0] == 32
    full = grid.surface | grid.inside
    sides = np.ptp(np.argwhere(full), axis=0) + 1
    assert full.sum() == sides.prod()
    assert grid.inside.sum() == (sides - 2).prod()
    assert grid.side == pytest.approx(4.0 / 31.0)


def test_walls_between_two_voxels_are_closed():
    """An angle with a wall at half a voxel, to round-off: full voxels contain its volume."""
    outline = ((0.0, 0.0), (0.4, 0.0), (0.4, 0.15), (0.12, 0.15), (0.12, 0.3), (0.0, 0.3))
    points = np.array([(*corner, z) for z in (0.0, 0.6) for corner in outline], np.float32).astype(float)
    grid = make_voxels(points, corner()[1], 100_000)
    wall = (grid.surface.shape[2] - 1) * 0.15 / 0.6
    assert wall % 1.0 == 0.5
    assert (grid.surface | grid.inside).sum() * grid.side**3 >= (0.4 * 0.15 + 0.12 * 0.15) * 0.6


def test_hulls_merge_while_that_adds_no_volume_and_until_few_enough_are_left():
    """Two boxes side by side become one at no cost; of others, the pair that adds least volume."""
    boxes = [
        (0, 0, 0, 100, 100, 100),
        (100, 0, 0, 200, 100, 100),
        (0, 150, 0, 100, 250, 100),
        (0, 900, 0, 100, 999, 100),
    ]
    pieces = [coarse_hull(box_between(box[:3], box[3:])) for box in boxes]
    assert sorted(hull.volume for hull in merge_hulls(pieces, 2e7, 32)) == pytest.approx([9.9e5, 1e6, 2e6])
    assert len(merge_hulls(pieces, 2e7, 2)) == 2
    assert 9.9e5 in [pytest.approx(hull.volume) for hull in merge_hulls(pieces, 2e7, 2)]


def test_points_are_reduced_to_the_means_of_their_parts():
    """Four heaps of points become their means, within a level of the grid of 256."""
    heaps = np.array([(0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (0.0, 8.0, 0.0), (10.0, 8.0, 4.0)])
    points = np.concatenate([heap + np.random.default_rng(1).uniform(-0.1, 0.1, (9, 3)) for heap in heaps])
    found = reduce_points(points, 4)
    found = found[np.lexsort(found.T)]
    assert found == pytest.approx(heaps[np.lexsort(heaps.T)], abs=0.1 + 10.2 / 256.0)


def test_points_near_a_mesh_move_onto_it():
    """To the foot on a face, to an edge beside it; those farther than the bound stay."""
    triangle = np.array([[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]])
    points = np.array([(0.2, 0.2, 0.3), (0.5, -0.2, 0.0), (0.2, 0.2, 0.9)])
    moved = move_onto_mesh(points, triangle, 0.5)
    assert moved == pytest.approx(np.array([(0.2, 0.2, 0.0), (0.5, 0.0, 0.0), (0.2, 0.2, 0.9)]))


@pytest.mark.parametrize(
    ("schema", "lines", "mass"),
    [
        (SCHEMA, "", 9.626617431640625),
        (SCHEMA, f"int {CUT}:voxelResolution = 50000", 10.62904),
        (SCHEMA, f"bool {CUT}:shrinkWrap = true", 9.05357),
        ("", "", 10.461641),
        ("", f"int {CUT}:voxelResolution = 50000", 10.62904),
        ("", f"bool {CUT}:shrinkWrap = true", 9.113637),
    ],
)
def test_the_mass_of_a_corner_is_that_of_physx(tmp_path, monkeypatch, schema, lines, mass):
    """Recorded with 1000 kg/m³: two parts, each larger than the beams by a voxel, unless they are wrapped.

    Voxels are coarser by default where the schema of decompositions is not applied.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    points, faces = corner()
    lines += f"\npoint3f[] points = {[tuple(point) for point in points.tolist()]}"
    lines += f"\nint[] faceVertexCounts = {[3] * len(faces)}\nint[] faceVertexIndices = {faces.ravel().tolist()}"
    lines += '\nuniform token physics:approximation = "convexDecomposition"'
    shape = prim("Mesh", "shape", lines, f"PhysicsCollisionAPI PhysicsMeshCollisionAPI {schema}")
    scene = fajin.read(stage(tmp_path, arm(link=shape)), trusted=True)
    assert len(scene.colliders) == 2
    assert scene.articulations[0].links[1].mass == pytest.approx(mass, rel=2e-6)
    assert not [report for report in scene.reports if report.code == "hull-of-parts"]


def test_values_out_of_range_become_the_nearest_one():
    assert Decomposition(0, 200, 5, 0.0).within() == Decomposition(1, 64, 10_000, 0.01)


def test_a_mesh_of_too_many_patches_is_not_cut(monkeypatch):
    """The reader takes the hulls of its connected parts."""
    monkeypatch.setattr(convex_decomposition, "MOST_PATCHES", 1)
    assert decompose(*corner(), Decomposition()) == []


def test_parts_are_read_again_from_the_cache(tmp_path, monkeypatch):
    """A file that is damaged is written anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    points, faces = corner()
    parts = mesh_pieces.convex_parts(points, faces, Decomposition())
    monkeypatch.setattr(mesh_pieces, "decompose", None)
    again = mesh_pieces.convex_parts(points, faces, Decomposition())
    assert all((one == two).all() for one, two in zip(parts, again, strict=True))
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (file,) = (tmp_path / "fajin" / "parts").glob("*.npz")
    file.write_bytes(file.read_bytes()[:100])
    assert len(mesh_pieces.convex_parts(points, faces, Decomposition())) == len(parts)
    assert len(mesh_pieces.read_parts(file)) == len(parts)
