"""`fajin convert`: mimic tags on fixed joints, fixed and floating bases, and a line that makes the robot move."""

import shutil

import numpy as np
import pytest
from usda import MASS, joint, prim, stage

import fajin
from fajin.conversion.conversion import drive_over
from fajin.conversion.converter import ConverterError
from fajin.conversion.layer_options import LayerOptions
from fajin.stance.ground import CLEARANCE

INERTIA = '<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>'
BODY = f'<link name="{{}}"><inertial><mass value="1"/>{INERTIA}</inertial></link>'
ROBOT = f"""<robot name="m">{"".join(map(BODY.format, "abc"))}
<joint name="ab" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
<joint name="bc" type="fixed"><parent link="b"/><child link="c"/><mimic joint="ab" multiplier="1"/></joint></robot>"""


@pytest.fixture
def convert(run, tmp_path, monkeypatch):
    """Convert the robot with options; return its path and what is printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.urdf").write_text(ROBOT)

    def converts(*words) -> tuple[str, str]:
        try:
            code, out, said = run("convert", "m.urdf", "--overwrite", *words)
        except ConverterError:
            pytest.skip("no converter")
        if "converter" in said and code:
            pytest.skip(said)
        assert code == 0, said
        return "m.usda", out

    yield converts
    shutil.rmtree(tmp_path / "m.converted", ignore_errors=True)


def test_a_mimic_tag_on_a_fixed_joint_is_a_note(convert):
    path, out = convert()
    assert "no errors, no warnings" in out
    (report,) = [report for report in fajin.read(path).reports if report.code == "mimic-of-fixed-joint"]
    assert report.prim.endswith("/bc")


@pytest.mark.parametrize(
    ("option", "fixed"),
    [
        ((), True), pytest.param(("--fixed-base",), True, marks=pytest.mark.slow),
        pytest.param(("--floating-base",), False, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_the_base_is_fixed_or_floats(convert, option, fixed):
    path, out = convert(*option)
    robot = fajin.read(path).articulations[0]
    assert robot.fixed_base is fixed
    assert ("so that PhysX fixes the base" in " ".join(out.split())) is fixed
    assert not [finding for finding in fajin.check.check(path) if finding.severity.value != "note"]


ABOVE = 'double3 xformOp:translate = (0, 0, 2)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
CRATE = prim("Cube", "crate", f"{ABOVE}double size = 1", "PhysicsRigidBodyAPI PhysicsCollisionAPI")
WHEEL = prim(
    "Cube", "wheel", f"{MASS}\n{ABOVE}double size = 1", "PhysicsRigidBodyAPI PhysicsMassAPI PhysicsCollisionAPI"
)
TURNED = joint("axle", "PhysicsRevoluteJoint", "", "/wheel", "point3f physics:localPos0 = (0, 0, 2)")


@pytest.mark.parametrize(("prims", "fixed"), [((CRATE,), False), ((WHEEL, TURNED), True)], ids=["object", "hangs"])
def test_what_has_no_base_gets_a_ground(tmp_path, prims, fixed):
    """An object, and what turns about the world: a plane where the lowest collider touches it; nothing is moved."""
    path = tmp_path / "on_ground.usda"
    drive_over(stage(tmp_path, *prims), path, LayerOptions(fixed_base=fixed, on_ground=True, collide=False))
    scene = fajin.read(path)
    (plane,) = [one for one in scene.colliders if one.kind.name == "PLANE"]
    assert plane.pose[0] == pytest.approx((0.0, 0.0, 1.5), abs=2 * CLEARANCE)
    sim = fajin.Simulation(scene)
    before = sim.link_pose[0].copy()
    sim.step(60)
    assert np.abs(sim.link_pose[0] - before).max() < 1e-3


@pytest.mark.slow
def test_the_last_line_makes_it_move(convert, run):
    path, out = convert()
    line = out.splitlines()[-1]
    assert line == f"see it move: fajin simulate {path} --wave"
    words = line.partition("fajin ")[2].split()
    assert run(*words, "--seconds", 1, "--joints", "log.npz")[0] == 0
    q = np.load("log.npz")["q"]
    assert np.ptp(q) > 0.2
    assert abs(q).max() < 1.0


@pytest.mark.slow
def test_a_file_that_is_no_robot_is_named(run, tmp_path):
    """Such as a part that other files include; nothing is written."""
    part = tmp_path / "part.xml"
    part.write_text('<mujoco><worldbody><geom name="g" size=".1"/></worldbody></mujoco>')
    code, out, said = run("convert", part)
    if "converter" in said and "must be" not in said:
        pytest.skip(said)
    assert (code, out) == (2, "")
    assert f"{part}: must be a stage with a rigid body that can move" in said
    assert [path.name for path in tmp_path.iterdir()] == ["part.xml"]


LEG = """<robot name="leg"><link name="{root}">{inertial}{shape}</link><link name="b">{inertial}{shape}</link>
<joint name="ab" type="revolute"><parent link="{root}"/><child link="b"/><origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/></joint></robot>"""


@pytest.mark.slow
def test_the_ground_of_a_robot_that_hangs_in_the_world_is_below_it(run, tmp_path):
    """A slide holds its base at a height."""
    inertial = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    text = LEG.format(root="a", inertial=inertial, shape=shape).replace("revolute", "prismatic")
    text = text.replace(f'<link name="a">{inertial}{shape}', '<link name="a">')
    (tmp_path / "leg.urdf").write_text(text)
    code, out, said = run("convert", tmp_path / "leg.urdf", "--ground")
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    (plane,) = [one for one in fajin.read(tmp_path / "leg.usda").colliders if one.kind.name == "PLANE"]
    assert plane.pose[0] == pytest.approx((0.0, 0.0, -0.4), abs=2 * CLEARANCE)
    text = " ".join(out.split())
    assert "ground: a plane at height -0.4 m" in text
    assert "base: hangs on joints of the world" in text


@pytest.mark.slow
@pytest.mark.parametrize(("root", "fixed"), [("a", False), ("world", True)])
def test_a_robot_is_put_on_a_ground(run, tmp_path, root, fixed):
    """A plane, a base at the height at which the lowest collider touches it, and no contacts between its links."""
    inertial = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    (tmp_path / "leg.urdf").write_text(LEG.format(root=root, inertial=inertial, shape=shape))
    code, out, said = run("convert", tmp_path / "leg.urdf", "--ground")
    if "converter" in said and code:
        pytest.skip(said)
    assert code == 0, said
    scene = fajin.read(tmp_path / "leg.usda")
    robot = scene.articulations[0]
    assert robot.fixed_base is fixed
    assert robot.links[0].pose[0] == pytest.approx((0.0, 0.0, 0.4), abs=2 * CLEARANCE)
    assert not robot.self_collisions
    assert [one.kind.name for one in scene.colliders].count("PLANE") == 1
    text = " ".join(out.split())
    assert "ground: a plane at height 0" in text
    assert "0.4 m high" in text
    assert "links of the robot do not collide" in text
    assert ("fixed to the world" if fixed else "floats") in text
