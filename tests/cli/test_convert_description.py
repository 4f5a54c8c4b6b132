"""`fajin convert`: xacro, visuals in glTF, joints without limits and robots without efforts."""

import re

import numpy as np
import pytest
from paths import ROOT
from pxr import Usd

import fajin
from fajin.conversion.converter import held_in_world
from fajin.conversion.description import is_xacro, locate, prepare_description
from fajin.scene import InvalidScene

PUP = (ROOT / "docs" / "pup.urdf").read_text()
MACRO = """<robot name="m" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="r" value="0.25"/>
<link name="a"><visual><geometry><sphere radius="${2 * r}"/></geometry></visual></link></robot>"""


def silent(text: str) -> None:
    """Print nothing."""


def test_xacro_is_expanded(tmp_path):
    pytest.importorskip("xacrodoc")
    file = tmp_path / "m.urdf.xacro"
    file.write_text(MACRO)
    made = prepare_description(file, tmp_path, (), silent)
    assert made.name == "m.urdf"
    assert 'radius="0.5"' in made.read_text()


def test_xacro_with_an_error_is_refused_in_a_line(tmp_path):
    pytest.importorskip("xacrodoc")
    file = tmp_path / "m.xacro"
    file.write_text(MACRO.replace("2 * r", "2 * wrong"))
    with pytest.raises(InvalidScene, match="wrong"):
        prepare_description(file, tmp_path, (), silent)


def test_a_cause_of_xacro_is_said_once(tmp_path):
    """Without the name of a class of Python."""
    pytest.importorskip("xacrodoc")
    file = tmp_path / "m.xacro"
    file.write_text(MACRO.replace("<link", '<xacro:include filename="$(find not_a_package)/a.xacro"/><link'))
    with pytest.raises(InvalidScene) as refused:
        prepare_description(file, tmp_path, (), silent)
    assert str(refused.value).count("not_a_package") == 1
    assert "<class" not in str(refused.value)


def test_xacro_without_its_package_names_the_extra(tmp_path, monkeypatch):
    file = tmp_path / "m.xacro"
    file.write_text(MACRO)
    monkeypatch.setattr("fajin.conversion.description._library", lambda name: None)
    with pytest.raises(InvalidScene, match=re.escape("fajin[xacro]")):
        prepare_description(file, tmp_path, (), silent)


@pytest.mark.parametrize(
    ("text", "uses"),
    [("<xacro:include/>", True), ("$(optenv X 1)", False), ("$(find a)/b", True), ("<!--\n<xacro:x/>-->", False)],
)
def test_substitutions_are_recognised(tmp_path, text, uses):
    (tmp_path / "r.urdf").write_text(text)
    assert is_xacro(tmp_path / "r.urdf") is uses


def test_variables_of_the_environment_have_their_defaults(tmp_path, monkeypatch):
    """Files that xacro expanded may still hold them; xacro is not needed, and meshes keep their places."""
    monkeypatch.setenv("FAJIN_TEST_LENGTH", "7")
    (tmp_path / "a.stl").touch()
    file = tmp_path / "r.urdf"
    file.write_text("""<robot name="r"><link name="a"><visual><origin xyz="$(optenv FAJIN_TEST_ABSENT 0 -1.5 2)"
    rpy="$(optenv FAJIN_TEST_LENGTH 1) 0 0"/><geometry><mesh filename="a.stl"/></geometry></visual></link></robot>""")
    made = tmp_path / "made"
    made.mkdir()
    text = prepare_description(file, made, (), silent).read_text()
    assert 'xyz="0 -1.5 2"' in text
    assert 'rpy="7 0 0"' in text
    assert f'filename="{tmp_path.resolve() / "a.stl"}"' in text


def test_meshes_of_packages_are_found(tmp_path):
    """In the folder of the package, above the file, or where --package says."""
    mesh = tmp_path / "arm" / "meshes" / "a.glb"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    robot = tmp_path / "arm" / "urdf" / "arm.urdf"
    assert locate("package://arm/meshes/a.glb", robot, ()) == mesh.resolve()
    assert locate("package://other/meshes/a.glb", robot, (f"other={tmp_path / 'arm'}",)) == mesh.resolve()
    assert locate("package://arm/meshes/b.glb", robot, ()) is None


def test_visuals_in_gltf_become_obj(tmp_path):
    """With their vertices and colours."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=(1.0, 0.5, 0.0, 1.0))
    )
    box.export(tmp_path / "box.glb")
    shape = '<geometry><mesh filename="box.glb"/></geometry>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a"><visual>{shape}</visual></link></robot>')
    lines: list[str] = []
    made = prepare_description(tmp_path / "r.urdf", tmp_path, (), lines.append).read_text()
    obj = tmp_path / "visual_0" / "box.obj"
    assert str(obj) in made
    corners = [list(map(float, line.split()[1:])) for line in obj.read_text().splitlines() if line.startswith("v ")]
    assert np.ptp(corners, axis=0) == pytest.approx((1.0, 2.0, 3.0))
    assert "Kd 1.0000 0.50" in obj.with_suffix(".mtl").read_text()
    assert len(lines) == 1


def test_visuals_in_gltf_without_a_library_are_left_out_in_a_line(tmp_path, monkeypatch):
    shape = '<geometry><mesh filename="box.glb"/></geometry>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a"><visual>{shape}</visual></link></robot>')
    monkeypatch.setattr("fajin.conversion.description._library", lambda name: None)
    lines: list[str] = []
    assert prepare_description(tmp_path / "r.urdf", tmp_path, (), lines.append) == tmp_path / "r.urdf"
    assert lines == ["1 visuals in .glb are left out: pip install 'fajin[glb]' converts them"]


@pytest.mark.slow
def test_a_robot_without_efforts_stands_on_unbounded_drives(run, tmp_path):
    """And revolute joints without limits turn freely; the converter locks them."""
    text = re.sub(r' effort="[^"]*"', ' effort="0"', PUP)
    text, count = re.subn(
        r'(<joint name="fl_hip".*?)lower="[^"]*" upper="[^"]*"', r"\1", text, count=1, flags=re.DOTALL
    )
    assert count == 1
    (tmp_path / "pup.urdf").write_text(text)
    code, out, said = run("convert", tmp_path / "pup.urdf", "--stand")
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    robot = fajin.read(tmp_path / "pup.usda").articulations[0]
    axes = [joint.axes[0] for joint in robot.joints if joint.axes]
    assert all(axis.drive and axis.drive.stiffness > 0.0 and axis.drive.max_force == np.inf for axis in axes)
    assert sum(axis.upper == np.inf for axis in axes) == 1
    assert "fl_hip: revolute without limits" in " ".join(out.split())


@pytest.mark.slow
def test_meshes_that_are_not_found_are_named(run, tmp_path):
    """The converter leaves them out and succeeds."""
    mesh = '<visual><geometry><mesh filename="package://pup/gone.stl"/></geometry></visual>'
    (tmp_path / "pup.urdf").write_text(PUP.replace("<visual>", mesh + "<visual>", 1))
    code, _, said = run("convert", tmp_path / "pup.urdf")
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    (line,) = [line for line in said.splitlines() if "not converted" in line]
    assert "gone.stl" in line
    assert "--package NAME=FOLDER" in line


@pytest.mark.slow
def test_materials_without_opacity_become_opaque(run, tmp_path):
    """`Tr 1` of OBJ is opaque in some programs and invisible in others."""
    (tmp_path / "m.obj").write_text(
        "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "m.mtl").write_text("newmtl m\nKd 0.6 0.6 0.6\nTr 1.0\n")
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    (tmp_path / "pup.urdf").write_text(PUP.replace("<visual>", mesh + "<visual>", 1))
    code, out, said = run("convert", tmp_path / "pup.urdf")
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    assert "materials of opacity 0, made opaque" in " ".join(out.split())
    stage = Usd.Stage.Open(str(tmp_path / "pup.usda"))
    opacities = [prim.GetAttribute("inputs:opacity").Get() for prim in stage.TraverseAll()]
    assert 1.0 in opacities
    assert 0.0 not in opacities


TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
BODY = f'<link name="{{}}"><inertial><mass value="{{}}"/>{TENSOR}</inertial></link>'
ENDS = '<parent link="foot"/><child link="{}"/></joint>'
CART = f"""<robot name="cart"><link name="foot"/>{BODY.format("trunk", 5)}{BODY.format("lid", 1)}{BODY.format("arm", 1)}
<joint name="up" type="fixed"><origin xyz="0 0 0.5"/>{ENDS.format("trunk")}
<joint name="on" type="fixed"><origin xyz="0.1 0.2 0.9" rpy="0 0 1"/>{ENDS.format("lid")}
<joint name="at" type="continuous"><origin xyz="0 1 0" rpy="0.5 0 0"/>{ENDS.format("arm")}
</robot>"""


@pytest.mark.slow
@pytest.mark.parametrize("base", ["--fixed-base", "--floating-base"])
def test_a_robot_whose_root_link_has_no_mass_stays_whole(run, tmp_path, base):
    """The converter leaves the link out; its children keep their places, and fall together."""
    (tmp_path / "cart.urdf").write_text(CART)
    code, out, said = run("convert", tmp_path / "cart.urdf", base)
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    assert "on, at: hold the children of the root link" in " ".join(out.split())
    scene = fajin.read(tmp_path / "cart.usda")
    (robot,) = scene.articulations
    places = {link.path.rpartition("/")[2]: link.pose[0] for link in robot.links}
    assert robot.fixed_base is (base == "--fixed-base")
    assert places["trunk"] == pytest.approx((0.0, 0.0, 0.5))
    assert places["lid"] == pytest.approx((0.1, 0.2, 0.9))
    assert places["arm"] == pytest.approx((0.0, 1.0, 0.0))
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    sim.step(30)
    fallen = np.asarray(sim.link_pose)[0, :, 2] - [link.pose[0][2] for link in robot.links]
    assert np.ptp(fallen) < 1e-4
    assert bool(fallen.max() < -0.1) is (base == "--floating-base")


def test_the_children_of_a_world_link_stay_apart(tmp_path):
    """A table beside an arm is not one robot with it."""
    for name, whole in (("world", True), ("foot", False)):
        (tmp_path / "r.urdf").write_text(CART.replace("foot", name))
        assert held_in_world(tmp_path / "r.urdf") is whole
