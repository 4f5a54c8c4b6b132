"""`fajin.author.ground`, `base_pose` and `self_collisions`: planes, heights and poses in any units and up axis."""

from math import sqrt

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom

import fajin
from fajin.quaternion import rotate
from fajin.scene import InvalidScene, ShapeKind
from fajin.stance.extents import lowest_of, shapes_of
from fajin.stance.ground import CLEARANCE, lowest_height, up_of, with_ground
from fajin.stance.tree import Tree
from fajin.usd.read.reader import read_stage

DEEP = 0.25  # [m] of the lowest collider below the origin of the base


def robot(metres: float = 1.0, up: str = "Z", anchored: bool = False, nested: bool = True) -> Usd.Stage:
    """A base with a foot: a sphere of 5 cm, 20 cm below the base along the up axis."""
    cm, x = 0.01 / metres, "(0, 1, 0)" if up == "Y" else "(0, 0, 1)"
    down = [-20.0 * cm * float(x[1 + 3 * i]) for i in range(3)]
    anchor = (
        'def PhysicsFixedJoint "hold"\n{\nrel physics:body1 = </bot/base>\npoint3f physics:localPos0 = (3, 4, 5)\n}'
        if anchored
        else ""
    )
    foot = f"""def Xform "foot" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            double3 xformOp:translate = {tuple(down)}
            uniform token[] xformOpOrder = ["xformOp:translate"]
            def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI"])
            {{
                double radius = {5.0 * cm}
            }}
        }}"""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(f"""#usda 1.0
    (
        defaultPrim = "bot"
        metersPerUnit = {metres}
        upAxis = "{up}"
    )
    def Xform "bot"
    {{
        double3 xformOp:translate = (3, 4, 5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI"])
        {{
            float physics:mass = 1
            {foot if nested else ""}
        }}
        {"" if nested else foot}
        def PhysicsPrismaticJoint "slide"
        {{
            uniform token physics:axis = "{up}"
            rel physics:body0 = </bot/base>
            rel physics:body1 = </bot/{"base/" * nested}foot>
            point3f physics:localPos0 = {tuple(down)}
        }}
        {anchor}
    }}
    """)
    return Usd.Stage.Open(layer)


def height_of(scene: fajin.Scene) -> float:
    """Height of the lowest collider of the robot [m]."""
    tree = Tree(scene.articulations[0])
    return lowest_of(shapes_of(tree, scene.colliders), tree.place(tree.q), up_of(scene))


@pytest.mark.parametrize(("metres", "up"), [(1.0, "Z"), (0.01, "Y"), (0.01, "Z")])
def test_a_ground_is_level_and_does_not_follow_the_prims_above_it(metres, up):
    """The plane of any stage is at its height in metres, with its normal up, wherever its parent is."""
    stage = robot(metres, up)
    changes = fajin.author.ground(stage, height=0.5, static_friction=0.8)
    scene = read_stage(stage)
    (plane,) = [one for one in scene.colliders if one.kind is ShapeKind.PLANE]
    axis = np.eye(3)["XYZ".index(up)]
    assert plane.pose[0] == pytest.approx(0.5 * axis)
    normal = rotate(np.array(plane.pose[1]), np.array((1.0, 0.0, 0.0)))
    assert normal == pytest.approx(axis, abs=2.0**-22)  # the sine of 45 degrees is in single precision, as in PhysX
    assert (plane.body, plane.material.static_friction, plane.material.dynamic_friction) == ("", pytest.approx(0.8), 1)
    assert not [report for report in scene.reports if "ground" in report.prim]
    assert str(changes[0]).endswith("ground.: – → Plane")


def test_a_second_ground_changes_the_first():
    stage = robot()
    fajin.author.ground(stage)
    changes = fajin.author.ground(stage, dynamic_friction=0.3)
    assert [(change.before, change.after) for change in changes] == [(1.0, pytest.approx(0.3))]
    assert len([one for one in read_stage(stage).colliders if one.kind is ShapeKind.PLANE]) == 1


@pytest.mark.parametrize("values", [{"static_friction": -1.0}, {"height": float("nan")}, {"restitution": -0.1}])
def test_a_ground_with_a_bad_value_is_refused(values):
    with pytest.raises(InvalidScene):
        fajin.author.ground(robot(), **values)


@pytest.mark.parametrize(("metres", "up"), [(1.0, "Z"), (0.01, "Y")])
@pytest.mark.parametrize(("anchored", "nested"), [(False, True), (True, True), (False, False)])
def test_a_base_touches_the_ground(metres, up, anchored, nested):
    """The lowest collider is at the plane's height, not in it; the joint that holds a base in the world moves along."""
    stage = robot(metres, up, anchored, nested)
    fajin.author.ground(stage, height=-0.2)
    changes = fajin.author.base_pose(stage, touch=True)
    scene = read_stage(stage)
    eps = 10.0 * float(np.finfo(np.float32).eps)  # of positions of some metres, in float32
    assert height_of(scene) == pytest.approx(-0.2, abs=eps)
    assert height_of(scene) > -0.2 + 0.5 * CLEARANCE
    assert changes[0].si_after["XYZ".index(up)] == pytest.approx(DEEP - 0.2, abs=eps)
    assert not [report for report in scene.reports if report.code == "base-offset"]
    links = [np.array(stage.GetPrimAtPath(link.path).GetAttribute("xformOp:translate").Get() or (0, 0, 0)) for link in
             scene.articulations[0].links]  # fmt: skip
    if not nested:
        assert links[0] - links[1] == pytest.approx(0.2 / metres * np.eye(3)["XYZ".index(up)], abs=1e-5)


def test_a_base_takes_a_pose():
    stage, turn = robot(), (0.0, 0.0, sqrt(0.5), sqrt(0.5))
    fajin.author.base_pose(stage, position=(1.0, 2.0, 3.0), rotation=turn, robot="bot")
    place, found = read_stage(stage).articulations[0].links[0].pose
    assert place == pytest.approx((1.0, 2.0, 3.0))
    assert found == pytest.approx(turn)
    with pytest.raises(InvalidScene, match="there are /bot/base"):
        fajin.author.base_pose(stage, height=1.0, robot="cat")


def test_a_pose_keeps_the_type_of_an_orientation_out_of_order():
    """Ops in another order are ordered anew; attributes stay those that are there."""
    stage = robot()
    base = UsdGeom.Xformable(stage.GetPrimAtPath("/bot/base"))
    base.AddOrientOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Quatf(1))
    base.AddTranslateOp().Set((0, 0, 1))
    fajin.author.base_pose(stage, position=(1.0, 2.0, 3.0))
    assert base.GetXformOpOrderAttr().Get() == ["xformOp:translate", "xformOp:orient"]
    assert base.GetPrim().GetAttribute("xformOp:orient").GetTypeName() == Sdf.ValueTypeNames.Quatf
    assert read_stage(stage).articulations[0].links[0].pose[0] == pytest.approx((1.0, 2.0, 3.0))


@pytest.mark.parametrize("on", [True, False])
def test_self_collisions_are_switched(on):
    stage = robot()
    (change,) = [c for c in fajin.author.self_collisions(stage, on) if "Collisions" in c.attribute]
    assert read_stage(stage).articulations[0].self_collisions is on is change.after


def test_a_scene_gets_a_ground_below_its_lowest_collider():
    """Of a session: the file does not change; a scene with a plane is refused."""
    scene = read_stage(robot())
    grounded, height = with_ground(scene)
    assert height == pytest.approx(lowest_height(scene, up_of(scene))) == pytest.approx(5.0 - DEEP)
    with pytest.raises(InvalidScene, match="a scene without a level plane"):
        with_ground(grounded)


def test_kinematics_are_those_of_the_engine():
    """Poses of links, to float64's round-off times the length of the chain, and Jacobians by differences."""
    scene = fajin.read("scenes/arm7.usda")
    tree = Tree(scene.articulations[0])
    q = np.linspace(-0.7, 0.9, len(tree.q))
    sim = fajin.Simulation(scene, device="cpu", precision="f64", contacts=False)
    sim.q = q[[tree.names.index(name) for name in sim.dof]]
    pose, names = np.asarray(sim.link_pose)[0], list(sim.link)
    placed = tree.place(q)
    for path, i in tree.links.items():
        assert placed.positions[i] == pytest.approx(pose[names.index(path), :3], abs=1e-12)
    step, near = 1e-6, 1e-5
    for dof in range(len(q)):
        ahead = tree.place(q + step * np.eye(len(q))[dof])
        slope = (ahead.positions[-1] - placed.positions[-1]) / step
        assert tree.jacobian(placed, len(tree.links) - 1, placed.positions[-1])[:, dof] == pytest.approx(
            slope, abs=1e-5
        )
        slope = (tree.com(ahead) - tree.com(placed)) / step
        assert tree.com_jacobian(placed)[:, dof] == pytest.approx(slope, abs=near)
