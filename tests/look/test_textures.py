"""Textures: read with their coordinates, and drawn alike by the rasteriser, the page and glTF."""

import builtins
import io
import time

import numpy as np
import pytest
from look.browser import Browser
from look.drawn import FRONT
from look.glb_file import parse
from look.look_stages import BOUND, PREVIEW, look
from look.page_parts import pixels
from PIL import Image
from pxr import UsdUtils
from usda import prim

import fajin
from fajin.usd.look.look_scene import read_look_scene
from fajin.visual.look.clustering import cluster_mesh
from fajin.visual.look.glb import glb_bytes
from fajin.visual.look.scene import linear_of
from fajin.visual.look.track import Track
from fajin.visual.motion.motion import read_motion
from fajin.visual.raster.rasterizer import PictureStyle, Rasterizer
from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

PICTURED = PREVIEW.replace("    color3f inputs:tint", "    asset inputs:picture = @image.png@\n    color3f inputs:tint")
TEXTURED = PICTURED.replace("</red.inputs:tint>", "</red/image.outputs:rgb>").replace(
    'def Shader "shader"',
    """def Shader "place"
    {
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname = "st"
        float2 outputs:result
    }
    def Shader "image"
    {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file.connect = </red.inputs:picture>
        float2 inputs:st.connect = </red/place.outputs:result>
        float3 outputs:rgb
    }
    def Shader "shader\"""",
).replace("float inputs:opacity = 0.5", "float inputs:opacity = 1")  # fmt: skip
SHEET = """int[] faceVertexCounts = [4]
int[] faceVertexIndices = [0, 1, 2, 3]
point3f[] points = [(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)]
%s
texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (
    interpolation = "%s"
)
rel material:binding = </red>"""
NORMALS = 'normal3f[] normals = [(1, 0, 0)] (\n    interpolation = "constant"\n)'
RED, GREEN, BLUE, WHITE = (230, 20, 20), (20, 230, 20), (20, 20, 230), (240, 240, 240)
QUARTERS = {(0.25, 0.25): RED, (0.25, 0.75): GREEN, (0.75, 0.25): BLUE, (0.75, 0.75): WHITE}  # (down, right): colour


def picture(folder, size=64, kind="png"):
    """Write a picture of four squares."""
    rows = np.zeros((size, size, 3), np.uint8)
    for (down, right), color in QUARTERS.items():
        y, x = int(2 * down) * size // 2, int(2 * right) * size // 2
        rows[y : y + size // 2, x : x + size // 2] = color
    Image.fromarray(rows).save(folder / f"image.{kind}", quality=95)


def sheet(folder, normals=NORMALS, interpolation="vertex"):
    """What is drawn of an arm with a sheet that faces +x."""
    mesh = prim("Mesh", "sheet", SHEET % (normals, interpolation), "MaterialBindingAPI")
    return look(folder, TEXTURED, link=mesh)


def assert_quarters(found: np.ndarray) -> None:
    """The squares are where the picture has them, in hue."""
    height, width = found.shape[:2]
    for (down, right), color in QUARTERS.items():
        seen = found[int(down * height), int(right * width)].astype(int)
        if color == WHITE:
            assert np.ptp(seen) < 25
        else:
            assert seen.argmax() == np.argmax(color)
            assert seen.max() > 2 * np.sort(seen)[1]


def draw(scene, size=200) -> np.ndarray:
    """The sheet from the front, cut to it."""
    track = Track(np.zeros(1), scene.rest[None, None])
    target = tuple(scene.rest[0, :3])
    style = PictureStyle((size, size), 2, "transparent", floor=False, shadows=False)
    found = Rasterizer(scene, track, style).draw(track.pose[0], FRONT.__class__(0.0, 0.0, 8.0, target, 40.0))
    rows, columns = np.nonzero(found[..., 3] == 255)
    return found[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1, :3]


@pytest.mark.parametrize("normals", ["", NORMALS])
@pytest.mark.parametrize("interpolation", ["vertex", "faceVarying"])
def test_a_texture_is_drawn_where_its_coordinates_say(tmp_path, normals, interpolation):
    """The upper row of the picture is above, its left column at -y; with and without authored normals."""
    picture(tmp_path)
    scene = sheet(tmp_path, normals, interpolation)
    (shape,) = scene.shapes
    assert scene.notes == ()
    assert (shape.texture, scene.textures[0].name) == (0, "image.png")
    np.testing.assert_allclose(shape.color, linear_of(np.array(list(QUARTERS.values()))).mean(axis=0), atol=1e-5)
    assert_quarters(draw(scene))


def test_bytes_of_a_texture_are_srgb(tmp_path):
    """The colour of the middle of a square is that of a shape with this linear colour."""
    from dataclasses import replace

    picture(tmp_path)
    scene = sheet(tmp_path)
    plain = replace(scene.shapes[0], texture=-1, color=tuple(linear_of(np.array(RED)).tolist()))
    one, other = (draw(replace(scene, shapes=(shape,)))[15, 15].astype(int) for shape in (scene.shapes[0], plain))
    assert np.abs(one - other).max() <= 2


def test_coordinates_survive_the_split_of_points_at_creases(tmp_path):
    """Triangles without area are left out of coordinates, too."""
    picture(tmp_path)
    lines = SHEET.replace("[4]", "[4, 3]").replace("[0, 1, 2, 3]", "[0, 0, 1, 0, 1, 2, 3]", 1)
    lines = lines.replace("[4, 3]", "[3, 4]")
    mesh = prim("Mesh", "sheet", lines % ("", "vertex"), "MaterialBindingAPI")
    scene = look(tmp_path, TEXTURED, link=mesh)
    assert len(scene.meshes[0].triangles) == 2
    assert_quarters(draw(scene))


@pytest.mark.parametrize("size", [64, 3000])
def test_gltf_holds_the_picture(tmp_path, size):
    """A texture of a material, coordinates from the upper row on, and a picture of at most 1024 texels."""
    picture(tmp_path, size)
    scene = sheet(tmp_path)
    document, _ = parse(glb_bytes(scene, Track(np.zeros(1), scene.rest[None, None])))
    (image,) = document["images"]
    assert document["textures"] == [{"source": 0}]
    material = document["materials"][0]["pbrMetallicRoughness"]
    assert material["baseColorTexture"] == {"index": 0}
    assert material["baseColorFactor"] == [1.0, 1.0, 1.0, 1.0]
    assert image["mimeType"] == "image/png"
    with Image.open(io.BytesIO(scene.textures[0].data)) as found:
        assert found.size == (min(size, 1024),) * 2
    assert "TEXCOORD_0" in document["meshes"][0]["primitives"][0]["attributes"]


def test_a_picture_within_a_package_is_read(tmp_path):
    """A .usdz file holds its textures."""
    picture(tmp_path)
    sheet(tmp_path)
    (source,) = tmp_path.glob("*.usda")
    assert UsdUtils.CreateNewUsdzPackage(str(source), str(tmp_path / "arm.usdz"))
    scene = read_look_scene(fajin.read(tmp_path / "arm.usdz"))
    assert (scene.notes, len(scene.textures)) == ((), 1)
    assert_quarters(draw(scene))


def test_jpeg_is_read(tmp_path):
    """And stays the file that it was."""
    picture(tmp_path, kind="jpg")
    mesh = prim("Mesh", "sheet", SHEET % (NORMALS, "vertex"), "MaterialBindingAPI")
    scene = look(tmp_path, TEXTURED.replace("image.png", "image.jpg"), link=mesh)
    assert scene.textures[0].type == "image/jpeg"
    assert scene.textures[0].data == (tmp_path / "image.jpg").read_bytes()
    assert_quarters(draw(scene))


def test_a_mesh_without_coordinates_has_the_mean_colour(tmp_path):
    """And a note; so has a mesh that is simplified for many worlds."""
    picture(tmp_path)
    scene = look(tmp_path, TEXTURED, link=prim("Cube", "box", BOUND, "MaterialBindingAPI"))
    assert scene.shapes[0].texture == -1
    assert scene.shapes[0].color == pytest.approx(scene.textures[0].color)
    assert scene.notes == ("/robot/link/box: its texture is not drawn: the mesh has no texture coordinates st",)
    assert cluster_mesh(sheet(tmp_path).meshes[0], 8).uv is not None  # too small to be simplified


def test_coordinates_without_a_texture_are_left_out(tmp_path):
    """They would only make files larger."""
    mesh = prim("Mesh", "sheet", SHEET % (NORMALS, "vertex"), "MaterialBindingAPI")
    assert look(tmp_path, PREVIEW, link=mesh).meshes[0].uv is None


def test_what_is_no_picture_is_noted(tmp_path):
    """One line for a broken file."""
    (tmp_path / "image.png").write_bytes(b"no picture")
    assert sheet(tmp_path).notes == ("/robot/link/sheet: its texture image.png is not a picture that Pillow reads",)


def test_without_pillow_the_texture_is_noted(tmp_path, monkeypatch):
    """The note says what to install."""
    picture(tmp_path)
    original = builtins.__import__

    def missing(name, *rest, **more):
        if name.partition(".")[0] == "PIL":
            raise ImportError(name)
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert sheet(tmp_path).notes == ("/robot/link/sheet: its texture image.png needs Pillow: pip install pillow",)


@pytest.mark.slow
def test_a_page_draws_the_texture(tmp_path):
    """From its data alone, the same way round."""
    picture(tmp_path)
    sheet(tmp_path)
    (source,) = tmp_path.glob("*.usda")
    motion = read_motion(source)
    (tmp_path / "a.html").write_text(motion_page(motion, MotionPageOptions(poster=False)).html())
    with Browser(size=(500, 500)) as browser:
        browser.open(tmp_path / "a.html")
        browser.wait("fajin.stage.painted === 1")
        x, y, z = motion.look.rest[1, :3].tolist()
        browser.run(
            "(() => { const s = fajin.stage; s.lines.visible = s.shade.visible = false;"
            f"s.controls.target.set({x}, {y}, {z}); s.camera.position.set({x + 4}, {y}, {z});"
            "s.controls.update(); })()"
        )
        time.sleep(1.0)
        found = pixels(browser)
        colored = np.ptp(found.astype(int), axis=-1) > 60
        rows, columns = np.nonzero(colored)
        cut = found[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        assert_quarters(cut)
        assert browser.errors == []
