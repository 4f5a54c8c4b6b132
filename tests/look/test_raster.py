"""Pictures against geometry: areas, edges, order, clipping, shadows."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from look.drawn import FRONT, covered, scene_of, still
from paths import ROOT

from fajin.geometry.primitives import box_triangles, rectangle_triangles, sphere_triangles
from fajin.visual.look.scene import OVERLAY
from fajin.visual.look.track import Track
from fajin.visual.raster.rasterizer import PictureStyle, Rasterizer

RED, BLUE = (0.8, 0.05, 0.05), (0.05, 0.05, 0.8)
CLEAR = PictureStyle((200, 200), 4, "transparent", floor=False)
SLOPE = np.tan(np.radians(20.0))


def draw(scene, style=CLEAR, camera=FRONT, track=None) -> np.ndarray:
    """Picture of a scene at rest."""
    track = track or still()
    return Rasterizer(scene, track, style).draw(track.pose[0], camera)


def test_a_ball_covers_the_area_of_its_cone():
    """A ball of radius r at distance d covers the disc of radius tan(asin(r / d)) at distance 1."""
    picture = draw(scene_of((sphere_triangles(1.0), RED, (0, 0, 0))))
    radius = np.tan(np.arcsin(0.1)) / SLOPE * 100.0
    assert covered(picture).sum() == pytest.approx(np.pi * radius**2, rel=0.01)


def test_edges_of_a_box_are_where_they_project():
    """The near face, at distance 9, ends at ± 1 / 9; y is to the right, z above."""
    picture = draw(scene_of((box_triangles((2.0, 2.0, 1.0)), RED, (0, 0.5, 1.0))))
    rows, columns = np.nonzero(covered(picture) > 0.5)
    pixel = 100.0 / SLOPE
    expected = np.array([-0.5, 1.5]) / 9.0 * pixel + 100.0
    np.testing.assert_allclose([columns.min(), columns.max() + 1], expected, atol=1.0)
    np.testing.assert_allclose(rows.min(), 100.0 - 1.5 / 9.0 * pixel, atol=1.0)
    np.testing.assert_allclose(rows.max() + 1, 100.0 - 0.5 / 11.0 * pixel, atol=1.0)


def test_a_pixel_is_covered_by_the_share_of_its_samples():
    """The edge of a rectangle that crosses pixels at three quarters."""
    edge = (0.75 / 100.0) * SLOPE * 10.0
    scene = scene_of((box_triangles((1e-3, 8.0, 8.0)), RED, (0, edge - 4.0, 0.0)))
    row = covered(draw(scene, replace(CLEAR, samples=4)))[100]
    assert row[99] == 1.0
    assert row[100] == pytest.approx(0.75, abs=0.01)
    assert row[101] == 0.0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_is_nearer_hides_what_is_behind(order):
    parts = [(box_triangles((1, 1, 1)), RED, (2, 0, 0)), (box_triangles((1, 4, 4)), BLUE, (0, 0, 0))]
    picture = draw(scene_of(*(parts[i] for i in order)))
    assert picture[100, 100, 0] > 2 * picture[100, 100, 2]
    assert picture[100, 150, 2] > 2 * picture[100, 150, 0]


def test_shapes_that_cross_each_other_are_cut_at_the_pixel():
    """From above, the upright sheet is seen over the lying one, and hidden by its near half below."""
    sheets = (box_triangles((4, 4, 0.01)), RED, (0, 0, 0)), (box_triangles((4, 0.01, 4)), BLUE, (0, 0, 0))
    picture = draw(scene_of(*sheets), camera=replace(FRONT, azimuth=45.0, elevation=35.0)).astype(int)
    red, blue = picture[..., 0], picture[..., 2]
    assert blue[90, 100] > 2 * red[90, 100]
    assert red[110, 100] > 2 * blue[110, 100]


@pytest.mark.parametrize("distance", [1.0, 3.0, 8.0])
def test_triangles_that_cross_the_near_plane_are_cut_and_not_dropped(distance):
    """A floor that reaches behind the camera covers the lower half of the picture, up to its horizon."""
    scene = scene_of((rectangle_triangles(200.0, 200.0), RED, (0, 0, -1.0)))
    share = covered(draw(scene, camera=replace(FRONT, distance=distance)))
    assert share[120:].min() == 1.0
    assert share[:98].max() == 0.0


def test_a_translucent_shape_covers_its_opacity():
    scene = scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 0)))
    scene = replace(scene, shapes=(replace(scene.shapes[0], opacity=0.5),))
    assert covered(draw(scene))[90:110, 90:110].mean() == pytest.approx(0.5, abs=0.01)


def test_overlays_are_seen_through_other_shapes():
    scene = scene_of((box_triangles((4, 4, 4)), RED, (0, 0, 0)), (box_triangles((1, 1, 1)), BLUE, (0, 0, 0)))
    assert draw(scene)[100, 100, 0] > 100
    front = replace(scene, shapes=(scene.shapes[0], replace(scene.shapes[1], purpose=OVERLAY)))
    picture = draw(front)
    assert picture[100, 100, 2] > 2 * picture[100, 100, 0]


def ground(shadows: bool) -> np.ndarray:
    """A box above the floor, from above, with or without shadows."""
    scene = replace(scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 2.0))), floor=0.0)
    style = PictureStyle((200, 200), 2, "white", shadows=shadows)
    return draw(scene, style, replace(FRONT, elevation=85.0, distance=12.0)).astype(int)


def test_a_box_throws_its_shadow_away_from_the_sun():
    """The sun stands at (0.42, -0.36, 0.83): the shadow lies at -x and +y of the box."""
    darker = (ground(False) - ground(True)).sum(axis=2) > 30
    rows, columns = np.nonzero(darker)
    assert 100 < darker.sum() < 4000
    assert columns.mean() > 100  # +y is to the right
    assert rows.mean() < 100  # -x is above, as the camera looks from +x


@pytest.mark.parametrize("glass", [False, True])
def test_a_floor_hides_what_is_below_unless_it_is_glass(glass):
    scene = replace(scene_of((box_triangles((1, 1, 1)), RED, (0, 0, -2.0))), floor=0.0)
    raster = Rasterizer(scene, still(), PictureStyle((100, 100), 1, "white"))
    raster.framing = replace(raster.framing, glass=glass)
    picture = raster.draw(still().pose[0], replace(FRONT, elevation=60.0)).astype(int)
    assert (picture[..., 0] > 2 * picture[..., 2]).any() == glass


def test_transparent_pictures_keep_shadows():
    scene = replace(scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 2.0))), floor=0.0)
    style = PictureStyle((200, 200), 2, "transparent")
    picture = draw(scene, style, replace(FRONT, elevation=60.0))
    alpha = picture[..., 3]
    assert set(np.unique(alpha)) >= {0, 255}
    assert ((alpha > 40) & (alpha < 200) & (picture[..., :3].sum(axis=2) == 0)).sum() > 100


def test_y_up_and_z_up_scenes_look_alike():
    """Turned scenes with turned cameras give the same silhouette; the light differs."""
    parts = (box_triangles((1.0, 2.0, 3.0)), RED, (0.3, 0.2, 0.1))
    points, triangles = parts[0]
    turned = (points[:, [1, 2, 0]], triangles), RED, (0.2, 0.1, 0.3)
    camera = replace(FRONT, azimuth=30.0, elevation=20.0)
    one, other = covered(draw(scene_of(parts), camera=camera)), covered(draw(scene_of(turned, up="Y"), camera=camera))
    assert np.abs(one - other).sum() < 5.0


def test_mirrored_and_stretched_shapes_are_lit_from_the_sun():
    """Normals turn with the inverse transpose: a flattened ball is bright above and dark below."""
    scene = scene_of((sphere_triangles(1.0), (0.5, 0.5, 0.5), (0, 0, 0)))
    for scale in ((1.0, 1.0, 0.4), (-1.0, 1.0, 0.4)):
        matrix = np.diag([*scale, 1.0]).astype(np.float32)
        picture = draw(replace(scene, shapes=(replace(scene.shapes[0], matrix=matrix),))).astype(int)
        column = picture[:, 100, 1][covered(picture)[:, 100] == 1.0]
        assert column[1] > 2 * column[-2]


def test_a_shape_without_volume_is_drawn_as_what_is_left():
    scene = scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 0)))
    flat = np.diag([0.0, 1.0, 1.0, 1.0]).astype(np.float32)
    assert covered(draw(replace(scene, shapes=(replace(scene.shapes[0], matrix=flat),))))[100, 100] == 1.0


def test_worlds_are_drawn_at_their_origins():
    scene = scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 0)))
    track = still(2)
    track = Track(track.time, track.pose, np.array([(0, -2.0, 0), (0, 2.0, 0)]))
    share = covered(draw(scene, track=track))
    assert share[100, 100] == 0.0
    assert share[100, :100].sum() == pytest.approx(share[100, 100:].sum(), abs=1.0)
    assert share[100].sum() > 10.0


def test_an_empty_scene_is_the_floor_alone():
    picture = draw(scene_of(), PictureStyle((64, 48), 1))
    assert picture.shape == (48, 64, 3)
    assert picture.std() > 0.0


def test_a_pose_that_is_not_finite_is_refused():
    raster = Rasterizer(scene_of((box_triangles((1, 1, 1)), RED, (0, 0, 0))), still(), CLEAR)
    with pytest.raises(ValueError, match="must be finite"):
        raster.draw(np.full((1, 1, 7), np.nan), FRONT)


PROGRAM = """
import sys; sys.path[:0] = ["tests/support", "tests"]
from look.test_raster import digest
print(digest())
"""


def digest() -> str:
    """Digest of a picture with shadows, many triangles and samples."""
    parts = [(sphere_triangles(0.3), RED, (0.1 * i, 0.2 * i - 2.0, 0.1 * (i % 7))) for i in range(20)]
    picture = draw(replace(scene_of(*parts), floor=-0.5), PictureStyle((320, 240), 2))
    return hashlib.sha256(picture.tobytes()).hexdigest()


@pytest.mark.slow
def test_one_thread_and_two_give_the_same_bits():
    found = set()
    for threads in ("1", "2"):
        environment = os.environ | {"TI_CPU_MAX_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment, cwd=ROOT
        )
        found.add(done.stdout.strip())
    assert found == {digest()}
