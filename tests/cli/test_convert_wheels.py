"""`fajin convert` of robots on wheels: velocity drives that roll at v = ω r, and casters that do not hold them back."""

import numpy as np
import pytest
from pxr import Usd, UsdShade

import fajin

RADIUS, SPEED = 0.1, 5.0
LEAN = 4e-3  # [m] of the centre of mass before the axle: less than what legs need
BODY = (
    '<link name="{name}"><inertial><origin xyz="{com} 0 0"/><mass value="{mass}"/>'
    '<inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial>'
    '<collision><origin rpy="{turn} 0 0"/><geometry>{shape}</geometry></collision></link>'
)
JOINT = (
    '<joint name="{name}" type="{kind}"><origin xyz="{place}"/><parent link="{base}"/><child link="{child}"/>'
    '<axis xyz="0 1 0"/>{limit}</joint>'
)
ROUND = f'<cylinder radius="{RADIUS}" length="0.05"/>'
FRICTION_LINE = "ball: slides beside the wheels, without friction, as a caster"


def cart(limit: str = "") -> str:
    """A base on two wheels and on a ball that a fixed joint holds."""
    parts = [
        BODY.format(name="base", mass=8, i=0.1, com=LEAN, turn=0, shape='<box size="0.4 0.3 0.05"/>'),
        BODY.format(name="ball", mass=0.1, i=1e-4, com=0, turn=0, shape='<sphere radius="0.03"/>'),
        JOINT.format(name="hold", kind="fixed", place="0.15 0 -0.07", base="base", child="ball", limit=""),
    ]
    for name, side in (("left", 0.2), ("right", -0.2)):
        parts.append(BODY.format(name=name, mass=1, i=5e-3, com=0, turn=np.pi / 2, shape=ROUND))
        place = f"0 {side} 0"
        parts.append(
            JOINT.format(name=f"{name}_wheel", kind="continuous", place=place, base="base", child=name, limit=limit)
        )
    return f'<robot name="cart">{"".join(parts)}</robot>'


@pytest.fixture
def converted(run, tmp_path):
    """The scene and the report of `fajin convert --stand` of a URDF."""

    def go(text: str) -> tuple:
        (tmp_path / "cart.urdf").write_text(text)
        code, out, said = run("convert", tmp_path / "cart.urdf", "--stand")
        if "converter" in said and code:
            pytest.skip(said)
        assert code == 0, said
        return tmp_path / "cart.usda", " ".join(out.split())

    return go


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["", '<limit effort="20" velocity="30"/>'])
def test_wheels_roll(converted, run, tmp_path, limit):
    """At v = ω r to the slip that viscous rows leave, on drives with the file's effort, or unbounded ones."""
    path, text = converted(cart(limit))
    assert "does not stand" not in text
    assert FRICTION_LINE in text
    assert "left_wheel, right_wheel: wheels" in text
    scene = fajin.read(path)
    for joint in scene.articulations[0].joints:
        for axis in joint.axes:
            assert axis.drive
            assert axis.drive.stiffness == 0.0
            assert axis.drive.max_force == (20.0 if limit else np.inf)
    layer = tmp_path / "roll.usda"
    assert run("author", "drive", path, "--joint", ".*_wheel", "--target-speed", SPEED, "-o", layer)[0] == 0
    sim = fajin.Simulation(fajin.read(layer), device="cpu")
    sim.step(round(2.0 / sim.dt))
    before = np.array(sim.root_pose[0, 0, :3])
    sim.step(round(1.0 / sim.dt))
    speed = np.array(sim.root_pose[0, 0, :3]) - before
    assert np.asarray(sim.qd)[0] == pytest.approx(SPEED, rel=1e-2)
    assert speed == pytest.approx((SPEED * RADIUS, 0.0, 0.0), rel=1e-2, abs=1e-2 * SPEED * RADIUS)


@pytest.mark.slow
def test_casters_get_a_material_and_wheels_do_not(converted):
    """The friction of two materials is the least of both."""
    path, _ = converted(cart())
    stage = Usd.Stage.Open(str(path))
    bound = {}
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if "PhysicsCollisionAPI" in prim.GetAppliedSchemas():
            material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
            bound[str(prim.GetPath())] = material.GetPrim().GetName() if material else ""
    assert [path for path, name in bound.items() if name == "casterMaterial"] == [
        path for path in bound if "/ball" in path
    ]
    friction = {one.path: one.material for one in fajin.read(path).colliders}
    (ball,) = [path for path in friction if "/ball" in path]
    assert friction[ball].static_friction == friction[ball].dynamic_friction == 0.0
    assert friction[ball].friction_combine.name == "MIN"


@pytest.mark.slow
def test_a_wheel_on_a_swivel_without_an_effort_turns_freely(converted):
    """A description without efforts drives the wheels at the base, and no wheel of a caster."""
    swivel = BODY.format(name="fork", mass=0.2, i=1e-3, com=0, turn=0, shape='<box size="0.02 0.02 0.02"/>')
    fork = JOINT.format(name="swivel", kind="continuous", place="0.15 0 -0.04", base="base", child="fork", limit="")
    text = cart().replace('"base"/><child link="ball"', '"fork"/><child link="ball"')
    text = text.replace('name="hold" type="fixed"><origin xyz="0.15 0 -0.07"', 'name="roll" type="continuous"><origin'
                        ' xyz="0 0 -0.03"')  # fmt: skip
    text = text.replace("</robot>", swivel + fork.replace('xyz="0 1 0"', 'xyz="0 0 1"') + "</robot>")
    path, _ = converted(text)
    drives = {
        joint.path.rpartition("/")[2]: joint.axes[0].drive is not None
        for joint in fajin.read(path).articulations[0].joints
        if joint.axes
    }
    assert drives == {"left_wheel": True, "right_wheel": True, "swivel": False, "roll": False}


RIM = 16  # corners
OFF = 0.02  # [m] of the mesh's middle from the joint, along the axis


def rim() -> str:
    """An OBJ of a wheel about z whose rim is a polygon."""
    angles = np.arange(RIM) * 2.0 * np.pi / RIM
    ends = [(RADIUS * np.cos(a), RADIUS * np.sin(a), z) for z in (OFF - 0.025, OFF + 0.025) for a in angles]
    sides = [(i, (i + 1) % RIM, RIM + (i + 1) % RIM, RIM + i) for i in range(RIM)]
    faces = [*sides, tuple(range(RIM))[::-1], tuple(range(RIM, 2 * RIM))]
    return "\n".join(
        ["v {:.9g} {:.9g} {:.9g}".format(*p) for p in ends] + ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    )


@pytest.mark.slow
def test_wheels_of_meshes_roll_on_cylinders(run, tmp_path):
    """The report names wheels with corners; the option gives them cylinders of the corners' radius."""
    (tmp_path / "rim.obj").write_text(rim())
    (tmp_path / "cart.urdf").write_text(cart().replace(ROUND, '<mesh filename="rim.obj"/>'))
    code, out, said = run("convert", tmp_path / "cart.urdf", "--stand")
    if "converter" in said and code:
        pytest.skip(said)
    assert "left, right: wheels of hulls" in " ".join(out.split())
    words = ("--stand", "--cylinder-wheels", "--overwrite")
    code, out, said = run("convert", tmp_path / "cart.urdf", *words)
    assert code == 0, said
    assert "left, right: roll on cylinders instead of hulls" in " ".join(out.split())
    scene = fajin.read(tmp_path / "cart.usda")
    kinds = {one.body.rpartition("/")[2]: one for one in scene.colliders if one.body.endswith(("left", "right"))}
    assert len([one for one in scene.colliders if one.body.endswith(("left", "right"))]) == 2
    for wheel in kinds.values():
        assert wheel.kind.name == "CYLINDER"
        assert (wheel.radius, wheel.half_height) == pytest.approx((RADIUS, 0.025), rel=1e-5)
    sim = fajin.Simulation(scene, device="cpu")
    sim.target_qd = SPEED
    sim.step(round(2.0 / sim.dt))
    before = np.array(sim.root_pose[0, 0, :3])
    sim.step(round(1.0 / sim.dt))
    assert np.linalg.norm(np.array(sim.root_pose[0, 0, :3]) - before) == pytest.approx(SPEED * RADIUS, rel=1e-2)
