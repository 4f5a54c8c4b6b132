"""What is read from USD to be drawn: one rule a test, on small stages."""

import numpy as np
import pytest
from look.look_stages import BOUND, PREVIEW, look
from paths import RECORDINGS, SCENES
from usda import METRES, arm, prim, stage

import fajin
from fajin.usd.look.look_scene import read_look_scene
from fajin.visual.look.scene import GUIDE, LookScene
from fajin.visual.look.track import matrices_of
from fajin.visual.look_file import read_look

SQUARE = """point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]"""
TWO = """point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    int[] faceVertexCounts = [4, 4]
    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]"""
TEXTURED = PREVIEW.replace("</red.inputs:tint>", "</red/image.outputs:rgb>").replace(
    'def Shader "shader"',
    """def Shader "image"
    {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @image.png@
        float4 inputs:fallback = (0.1, 0.2, 0.3, 1)
        float3 outputs:rgb
    }
    def Shader "shader\"""",
)
MDL = """def Material "red"
{
    token outputs:mdl:surface.connect = </red/shader.outputs:out>
    def Shader "shader"
    {
        uniform token info:implementationSource = "sourceAsset"
        asset info:mdl:sourceAsset = @OmniPBR.mdl@
        color3f inputs:diffuse_color_constant = (0.3, 0.6, 0.9)
        float inputs:metallic_constant = 0.4
        token outputs:out
    }
}
"""
COLORED = "color3f[] primvars:displayColor = [(0.1, 0.2, 0.3)]"


def world_points(scene, shape) -> np.ndarray:
    """Points of a shape in the world, with all links at rest."""
    frame = np.eye(4) if shape.link < 0 else matrices_of(scene.rest)[shape.link]
    points = scene.meshes[shape.mesh].points
    return (frame @ shape.matrix @ np.concatenate([points, np.ones((len(points), 1))], axis=1).T).T[:, :3]


def bounds(scene, shape) -> list:
    """Least and greatest coordinates of a shape in the world."""
    points = world_points(scene, shape)
    return [points.min(0).round(5).tolist(), points.max(0).round(5).tolist()]


def moved(lines: str) -> str:
    """Translated by (1, 2, 3), turned about z by 90 degrees, and scaled."""
    return f"""double3 xformOp:translate = (1, 2, 3)
    float xformOp:rotateZ = 90
    double3 xformOp:scale = (2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
    {lines}"""


def test_a_shape_belongs_to_the_nearest_link_and_keeps_its_scale(tmp_path):
    scene = look(tmp_path, link=prim("Xform", "frame", moved(prim("Cube", "box", "double size = 1"))))
    (shape,) = scene.shapes
    assert scene.links[shape.link].path == "/robot/link"
    assert bounds(scene, shape) == [[-0.5, 1.0, 2.0], [2.5, 3.0, 6.0]]


@pytest.mark.parametrize(("scale", "noted"), [("(0, 0, 0)", False), ("(1, 0, 1)", True)])
def test_a_shape_of_no_size_is_left_out_without_a_note(tmp_path, scale, noted):
    """Links that are only frames have boxes of size 0 in descriptions; a flat box is a mistake."""
    lines = f'double size = 1\ndouble3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    scene = look(tmp_path, link=prim("Cube", "box", lines))
    assert "/robot/link/box" not in {shape.path for shape in scene.shapes}
    assert any("scale not zero" in note for note in scene.notes) is noted


def test_a_link_below_a_scaled_link_has_a_frame_without_scale(tmp_path):
    """The engine's links carry no scale, so the shape does."""
    inner = prim("Cube", "box", "double size = 1")
    lines = f'double3 xformOp:scale = (2, 2, 2)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n{inner}'
    scene = read_look_scene(fajin.read(stage(tmp_path, arm(link=lines))))
    (shape,) = scene.shapes
    np.testing.assert_allclose(np.linalg.norm(matrices_of(scene.rest)[shape.link][:3, :3], axis=0), 1.0)
    assert bounds(scene, shape) == [[-1.0] * 3, [1.0] * 3]


def test_lengths_are_metres_whatever_the_unit(tmp_path):
    """A stage in centimetres with the same numbers is a hundredth of the size."""
    inner = prim("Xform", "frame", moved(prim("Cube", "box") + prim("Mesh", "sheet", SQUARE)))
    found = []
    for metres in (1, 0.01):
        folder = tmp_path / str(metres)
        folder.mkdir()
        scene = look(folder, link=inner, metadata=METRES.replace("metersPerUnit = 1", f"metersPerUnit = {metres}"))
        found.append([world_points(scene, shape) / metres for shape in scene.shapes])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_the_up_axis_is_kept_and_nothing_is_turned(tmp_path, up):
    metadata = METRES.replace('upAxis = "Z"', f'upAxis = "{up}"')
    scene = look(tmp_path, link=prim("Mesh", "sheet", SQUARE), metadata=metadata)
    assert scene.up == up
    assert bounds(scene, scene.shapes[0]) == [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]


def test_mirrored_shapes_stay_mirrored(tmp_path):
    lines = 'double3 xformOp:scale = (-1, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n' + SQUARE
    scene = look(tmp_path, link=prim("Mesh", "sheet", lines))
    assert bounds(scene, scene.shapes[0]) == [[-1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]


@pytest.mark.parametrize(("orientation", "side"), [("rightHanded", 1.0), ("leftHanded", -1.0)])
def test_normals_follow_the_orientation(tmp_path, orientation, side):
    scene = look(tmp_path, link=prim("Mesh", "sheet", f'{SQUARE}\nuniform token orientation = "{orientation}"'))
    np.testing.assert_allclose(scene.meshes[0].normals, [(0.0, 0.0, side)] * 4)


def test_holes_are_left_out(tmp_path):
    scene = look(tmp_path, link=prim("Mesh", "sheet", f"{TWO}\nint[] holeIndices = [1]"))
    assert bounds(scene, scene.shapes[0])[1] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("interpolation", "count"), [("vertex", 4), ("faceVarying", 4), ("uniform", 1), ("constant", 1)]
)
@pytest.mark.parametrize("name", ["normals", "primvars:normals"])
def test_authored_normals_are_used(tmp_path, name, interpolation, count):
    values = ", ".join(["(0, 3, 4)"] * count)
    lines = f'{SQUARE}\nnormal3f[] {name} = [{values}] (\n        interpolation = "{interpolation}"\n    )'
    scene = look(tmp_path, link=prim("Mesh", "sheet", lines))
    np.testing.assert_allclose(scene.meshes[0].normals, [(0.0, 0.6, 0.8)] * 4, atol=1e-6)


def test_subsets_have_surfaces_of_their_own_and_the_rest_that_of_the_mesh(tmp_path):
    subset = f"""def GeomSubset "part" (prepend apiSchemas = ["MaterialBindingAPI"])
    {{
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [1]
        {BOUND}
    }}"""
    scene = look(tmp_path, PREVIEW, link=prim("Mesh", "sheet", "\n".join([TWO, COLORED, subset])))
    part, rest = scene.shapes
    assert part.color == pytest.approx((0.8, 0.1, 0.2))
    assert rest.color == pytest.approx((0.1, 0.2, 0.3))
    assert bounds(scene, part) == [[1.0, 0.0, 1.0], [2.0, 1.0, 1.0]]
    assert bounds(scene, rest) == [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]


def test_a_preview_surface_is_read_through_connections(tmp_path):
    scene = look(tmp_path, PREVIEW, link=prim("Cube", "box", f"{BOUND}\n{COLORED}", "MaterialBindingAPI"))
    (shape,) = scene.shapes
    assert shape.color == pytest.approx((0.8, 0.1, 0.2))
    assert (shape.opacity, shape.metallic, shape.roughness) == (0.5, 0.25, 0.75)
    assert scene.notes == ()


def test_a_material_of_an_ancestor_is_inherited(tmp_path):
    inner = prim("Xform", "frame", f"{BOUND}\n" + prim("Cube", "box"), "MaterialBindingAPI")
    assert look(tmp_path, PREVIEW, link=inner).shapes[0].color == pytest.approx((0.8, 0.1, 0.2))


def test_constants_of_mdl_are_read(tmp_path):
    (shape,) = look(tmp_path, MDL, link=prim("Cube", "box", BOUND, "MaterialBindingAPI")).shapes
    assert shape.color == pytest.approx((0.3, 0.6, 0.9))
    assert shape.metallic == pytest.approx(0.4)


def test_a_texture_is_noted_and_its_fallback_drawn(tmp_path):
    scene = look(tmp_path, TEXTURED, link=prim("Cube", "box", BOUND, "MaterialBindingAPI"))
    assert scene.shapes[0].color == pytest.approx((0.1, 0.2, 0.3))
    assert scene.notes == ("/robot/link/box: its texture image.png is missing",)


def test_a_material_of_physics_alone_does_not_colour(tmp_path):
    inner = prim("Cube", "box", f"rel material:binding:physics = </red>\n{COLORED}", "MaterialBindingAPI")
    assert look(tmp_path, PREVIEW, link=inner).shapes[0].color == pytest.approx((0.1, 0.2, 0.3))


def test_a_varying_display_colour_is_drawn_as_its_mean_and_noted(tmp_path):
    lines = f"""{TWO}
    color3f[] primvars:displayColor = [(1, 0, 0), (0, 0, 1)] (
        interpolation = "uniform"
    )"""
    scene = look(tmp_path, link=prim("Mesh", "sheet", lines))
    assert scene.shapes[0].color == (0.5, 0.0, 0.5)
    assert scene.notes == ("/robot/link/sheet: its display colour varies, the mean is drawn",)


def test_a_display_colour_of_an_ancestor_is_inherited(tmp_path):
    scene = look(tmp_path, link=prim("Xform", "frame", f"{COLORED}\n" + prim("Cube", "box")))
    assert scene.shapes[0].color == pytest.approx((0.1, 0.2, 0.3))


def test_guides_are_drawn_on_request_and_proxies_without_a_sibling_to_render(tmp_path):
    purpose = 'uniform token purpose = "{}"'.format
    alone = prim("Xform", "alone", prim("Cube", "box", purpose("proxy")))
    both = prim("Xform", "both", prim("Cube", "low", purpose("proxy")) + prim("Cube", "high", purpose("render")))
    guide = prim("Cube", "guide", purpose("guide"), "PhysicsCollisionAPI")
    scene = look(tmp_path, link=alone + both + guide)
    assert [shape.path.rpartition("link/")[2] for shape in scene.visuals] == ["alone/box", "both/high"]
    assert [shape.path.rpartition("/")[2] for shape in scene.colliders] == ["guide"]


def test_what_is_invisible_is_not_drawn(tmp_path):
    hidden = prim("Xform", "frame", 'token visibility = "invisible"\n' + prim("Cube", "box"))
    scene = look(tmp_path, link=hidden + prim("Sphere", "ball"))
    assert [shape.path for shape in scene.shapes] == ["/robot/link/ball"]


def test_colliders_stand_in_for_missing_visual_shapes(tmp_path):
    guide = prim("Cube", "box", 'uniform token purpose = "guide"', "PhysicsCollisionAPI")
    scene = look(tmp_path, link=guide)
    assert [shape.path for shape in scene.visuals] == ["/robot/link/box"]
    assert scene.notes == ("no link has a visual shape: its colliders are drawn",)


def test_bones_stand_in_for_missing_geometry(tmp_path):
    """They go from the joint that carries a link to its other joints."""
    lines = "point3f physics:localPos0 = (0, 0, 0.5)\npoint3f physics:localPos1 = (0, 0, -0.5)"
    scene = read_look_scene(fajin.read(stage(tmp_path, arm(lines))))
    assert scene.notes == ("no link has geometry: bones between the joints are drawn",)
    assert {shape.link for shape in scene.visuals} == {0, 1}
    bone = next(shape for shape in scene.visuals if shape.link == 0 and shape.mesh == 0)
    assert bounds(scene, bone)[1][2] == 0.5


def test_links_that_mostly_lack_shapes_are_noted():
    """The file of this robot has one cylinder."""
    scene = read_look_scene(fajin.read(RECORDINGS / "robots" / "simple_humanoid.drive.usda"))
    assert scene.notes[-1].endswith("links that joints move have no visual shape; --show colliders draws theirs")


def test_what_carries_the_links_is_found_once(monkeypatch):
    """Not once per shape: a hall of a thousand arms has thousands of both."""
    found, carriers = [], LookScene.carriers.fget
    monkeypatch.setattr(LookScene, "carriers", property(lambda look: found.append(look) or carriers(look)))
    assert len(read_look_scene(fajin.read(RECORDINGS / "robots" / "anymal_c.drive.usda")).visuals) > 1
    assert len(found) == 1


def test_a_level_plane_is_the_floor_and_not_a_shape(tmp_path):
    lines = """uniform token axis = "Z"
    double3 xformOp:translate = (0, 0, -0.25)
    uniform token[] xformOpOrder = ["xformOp:translate"]"""
    plane = prim("Plane", "ground", lines, "PhysicsCollisionAPI")
    scene = look(tmp_path, plane, link=prim("Cube", "box"))
    assert scene.floor == -0.25
    assert [shape.path for shape in scene.shapes] == ["/robot/link/box"]


def test_a_type_that_is_not_drawn_is_noted(tmp_path):
    scene = look(tmp_path, prim("Points", "cloud", "point3f[] points = [(0, 0, 0)]"), link=prim("Cube", "box"))
    assert scene.notes == ("/cloud: Points is not drawn",)


@pytest.mark.parametrize(
    ("axis", "reach"), [("X", [1.5, 0.25, 0.25]), ("Y", [0.25, 1.5, 0.25]), ("Z", [0.25, 0.25, 1.5])]
)
def test_primitives_lie_along_their_axis(tmp_path, axis, reach):
    lines = f'uniform token axis = "{axis}"\ndouble radius = 0.25\ndouble height = 3'
    scene = look(tmp_path, link=prim("Cylinder", "rod", lines))
    np.testing.assert_allclose(np.ptp(world_points(scene, scene.shapes[0]), axis=0) / 2, reach, atol=1e-5)


def test_instances_of_a_point_instancer_are_drawn_where_they_are(tmp_path):
    lines = """rel prototypes = [</stars/box>]
    int[] protoIndices = [0, 0, 0]
    int64[] ids = [7, 8, 9]
    int64[] invisibleIds = [8]
    point3f[] positions = [(0, 0, 0), (5, 0, 0), (0, 3, 0)]
    float3[] scales = [(1, 1, 1), (1, 1, 1), (2, 2, 2)]
    """ + prim("Cube", "box", "double size = 1")
    scene = look(tmp_path, prim("PointInstancer", "stars", lines), link=prim("Cube", "box"))
    found = [bounds(scene, shape) for shape in scene.shapes if shape.path.startswith("/stars")]
    assert found == [[[-0.5] * 3, [0.5] * 3], [[-1.0, 2.0, -1.0], [1.0, 4.0, 1.0]]]
    assert len(scene.meshes) == 2


def test_instances_share_their_mesh(tmp_path):
    text = 'def Xform "{}" (\n    instanceable = true\n    references = </_part>\n)\n{{\n}}\n'
    part = 'class Xform "_part"\n{\n' + prim("Mesh", "sheet", SQUARE) + "}\n"
    scene = look(tmp_path, part, text.format("one"), text.format("two"), link=prim("Cube", "box"))
    assert len([shape for shape in scene.shapes if shape.link < 0]) == 2
    assert len(scene.meshes) == 2


def test_a_mesh_whose_indices_are_out_of_range_is_noted(tmp_path):
    scene = look(
        tmp_path, link=prim("Mesh", "sheet", SQUARE.replace("[0, 1, 2, 3]", "[0, 1, 2, 9]")) + prim("Cube", "box")
    )
    assert [shape.path for shape in scene.shapes] == ["/robot/link/box"]
    assert scene.notes[0].startswith("/robot/link/sheet.faceVertexIndices")


@pytest.mark.parametrize(
    "lines", [SQUARE.replace("(1, 1, 0)", "(1e30, 1, 0)"), moved(SQUARE).replace("= (1, 2, 3)", "= (1, 2e200, 3)")]
)
def test_what_single_precision_cannot_draw_is_noted(tmp_path, lines):
    scene = look(tmp_path, link=prim("Mesh", "sheet", lines) + prim("Cube", "box"))
    assert [shape.path for shape in scene.shapes] == ["/robot/link/box"]
    assert scene.notes == ("/robot/link/sheet: is not drawn: it reaches beyond 1e+09 m",)


def test_a_missing_file_is_one_line(tmp_path):
    scene = fajin.read(stage(tmp_path, arm()))
    (tmp_path / "scene.usda").unlink()
    with pytest.raises(fajin.InvalidScene, match=r"scene.usda: must be the USD file of the scene; put it back"):
        read_look(scene)


@pytest.mark.parametrize(
    ("name", "shapes", "triangles", "colors"), [("ur10", 20, 116_072, 6), ("anymal_c", 51, 58_332, 13)]
)
def test_robots_have_their_recorded_counts(name, shapes, triangles, colors):
    scene = read_look_scene(fajin.read(SCENES / f"{name}.usda"))
    assert (len(scene.visuals), scene.triangles) == (shapes, triangles)
    assert len({shape.color for shape in scene.visuals}) == colors
    assert all(shape.purpose == GUIDE for shape in scene.colliders)
    assert scene.notes == ()


@pytest.mark.parametrize(
    ("name", "shapes", "triangles", "colors"),
    [("allegro_right", 21, 4044, 1), ("franka_panda", 17, 204, 1), ("robotiq_2f140", 15, 180, 4)],
)
def test_robots_without_meshes_have_their_recorded_counts(robots, name, shapes, triangles, colors):
    scene = read_look_scene(fajin.read(robots / f"{name}.drive.usda"))
    assert (len(scene.visuals), scene.triangles) == (shapes, triangles)
    assert len({shape.color for shape in scene.visuals}) == colors
    assert scene.notes == ()


def test_joints_have_the_axis_and_place_that_the_engine_turns_about():
    """A joint's axis, carried by its link, points along the motion of that link in the engine."""
    source = fajin.read(SCENES / "arm7.usda")
    scene = read_look_scene(source)
    sim = fajin.Simulation(source, device="cpu")
    before = matrices_of(np.array(sim.link_pose[0], float))
    for joint in scene.joints:
        sim.q = 0.0
        sim.q[:, joint.dof] = 1e-3
        after = matrices_of(np.array(sim.link_pose[0], float))[joint.link]
        turn = (after @ np.linalg.inv(before[joint.link]))[:3, :3]
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2e-3
        expected = before[joint.link][:3, :3] @ joint.axis
        np.testing.assert_allclose(axis, expected, atol=2e-3)
        place = np.append(joint.position, 1.0)
        np.testing.assert_allclose((after @ place)[:3], (before[joint.link] @ place)[:3], atol=1e-5)
    assert [joint.link for joint in scene.joints] == list(range(1, 8))
    assert [link.parent for link in scene.links] == [-1, 0, 1, 2, 3, 4, 5, 6]


def test_a_mesh_without_area_is_not_drawn(tmp_path):
    """Nor does it have an extent, which a camera would ask for."""
    flat = SQUARE.replace("(1, 0, 0), (1, 1, 0), (0, 1, 0)", "(1, 0, 0), (2, 0, 0), (3, 0, 0)")
    scene = look(tmp_path, link=prim("Mesh", "line", flat) + prim("Cube", "box", "double size = 1"))
    assert [shape.path for shape in scene.shapes] == ["/robot/link/box"]
