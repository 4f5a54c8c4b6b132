"""Bodies and joints become trees: roots, fixed bases, stacked and reversed joints, frames and axes."""

from math import inf, pi, sqrt

import pytest
from usda import MASS, ROOT, arm, aside, body, joint, prim, stage

import fajin
from fajin.scene import WORLD, JointType

HINGE, FIXED, D6 = "PhysicsRevoluteJoint", "PhysicsFixedJoint", "PhysicsJoint"


def read_one(path):
    """The only articulation of a scene."""
    (articulation,) = fajin.read(path).articulations
    return articulation


@pytest.mark.parametrize("place", ["above", "base", "joint", "xform"])
def test_a_fixed_joint_to_the_world_fixes_the_base_wherever_the_root_is_applied(tmp_path, place):
    """The API may sit above the bodies, on the base or on the joint; a prim that is no body is the world as well."""
    apis = {name: ROOT if place == name else "" for name in ("above", "base", "joint")}
    world = "/robot/frame" if place == "xform" else ""
    parts = (
        prim("Xform", "frame"),
        body("link"),
        body("base", apis=apis["base"]),
        joint("anchor", FIXED, world, "/robot/base", apis=apis["joint"]),
        joint("elbow", HINGE, "/robot/base", "/robot/link"),
    )
    above = ROOT if place in ("above", "xform") else ""
    articulation = read_one(stage(tmp_path, prim("Xform", "robot", "\n".join(parts), above)))
    assert articulation.fixed_base
    assert articulation.links[0].path == "/robot/base"
    assert [j.path for j in articulation.joints] == ["/robot/elbow"]


def test_a_hinge_to_the_world_is_a_joint(tmp_path):
    """Its frame is the one in the world and the base is not fixed."""
    parts = body("arm", apis=ROOT), joint("hinge", HINGE, "", "/arm", "point3f physics:localPos0 = (1, 2, 3)")
    articulation = read_one(stage(tmp_path, *parts))
    (hinge,) = articulation.joints
    assert not articulation.fixed_base
    assert (hinge.body0, hinge.body1, hinge.frame0[0]) == (WORLD, "/arm", (1.0, 2.0, 3.0))
    assert len(hinge.axes) == 1


def test_a_floating_base_is_rooted_at_the_body_with_the_api(tmp_path):
    """No joint to the world: the API's body is the root."""
    parts = body("a"), body("b", apis=ROOT), joint("j", HINGE, "/a", "/b")
    articulation = read_one(stage(tmp_path, *parts))
    assert articulation.links[0].path == "/b"
    assert not articulation.fixed_base


def test_a_floating_base_under_the_api_is_rooted_at_the_centre_of_its_graph(tmp_path):
    """The body with the least greatest distance; among equals the one with more neighbours, then the first."""
    bodies = [body(name) for name in "abcde"]
    pairs = (("a", "b"), ("b", "c"), ("c", "d"), ("c", "e"))
    joints = [joint(f"j{i}", HINGE, f"/robot/{p}", f"/robot/{q}") for i, (p, q) in enumerate(pairs)]
    articulation = read_one(stage(tmp_path, prim("Xform", "robot", "\n".join([*bodies, *joints]), ROOT)))
    assert articulation.links[0].path == "/robot/c"


def test_stacked_joints_are_all_kept_in_their_order(tmp_path):
    """Joints between one pair of bodies do not close a loop."""
    names = ("z", "a", "m")
    axes = ('uniform token physics:axis = "Y"', 'uniform token physics:axis = "Z"', aside(0.1))
    pairs = zip(names, axes, strict=True)
    stack = "\n".join(joint(name, HINGE, "/robot/base", "/robot/link", axis) for name, axis in pairs)
    articulation = read_one(stage(tmp_path, arm(extra=stack)))
    assert [j.path for j in articulation.joints] == ["/robot/elbow", *(f"/robot/{name}" for name in names)]


def test_a_reversed_joint_stays_as_authored(tmp_path):
    """body0 may be the link farther from the root."""
    parts = body("base", apis=ROOT), body("link"), joint("j", HINGE, "/link", "/base")
    (j,) = read_one(stage(tmp_path, *parts)).joints
    assert (j.body0, j.body1) == ("/link", "/base")


def test_joints_may_come_before_their_bodies(tmp_path):
    """The order of prims does not matter."""
    parts = joint("j", HINGE, "/base", "/link"), body("link"), body("base", apis=ROOT)
    articulation = read_one(stage(tmp_path, *parts))
    assert [link.path for link in articulation.links] == ["/base", "/link"]


def test_a_joint_may_name_a_prim_inside_a_body(tmp_path):
    """X_body,joint = X_body,child · X_child,joint; the child's scale moves the origin."""
    child = prim(
        "Xform",
        "hand",
        """double3 xformOp:translate = (1, 0, 0)
        double3 xformOp:scale = (2, 2, 2)
        quatd xformOp:orient = (0.5, 0.5, 0.5, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]""",
    )
    parts = (
        body("base", MASS + "\n" + child, ROOT),
        body("link"),
        joint("j", HINGE, "/base/hand", "/link", "point3f physics:localPos0 = (3, 0, 0)"),
    )
    (j,) = read_one(stage(tmp_path, *parts)).joints
    assert j.body0 == "/base"
    assert j.frame0[0] == pytest.approx((1.0, 6.0, 0.0))  # 2 · 3 along the child's x, which is the base's y
    assert j.frame0[1] == pytest.approx((0.5, 0.5, 0.5, 0.5))


def test_the_scale_of_a_body_moves_its_joints_and_its_centre_of_mass(tmp_path):
    """localPos and centerOfMass are scaled by the body's world scale; mass and inertia are not."""
    scaled = MASS + '\n    double3 xformOp:scale = (2, 3, 4)\n    uniform token[] xformOpOrder = ["xformOp:scale"]'
    parts = (
        body("base", scaled, ROOT),
        body("link"),
        joint("j", HINGE, "/base", "/link", "point3f physics:localPos0 = (1, 1, 1)"),
    )
    articulation = read_one(stage(tmp_path, *parts))
    assert articulation.links[0].com == pytest.approx((0.2, 0.6, 1.2))
    assert articulation.links[0].mass == 2.0
    assert articulation.joints[0].frame0[0] == pytest.approx((2.0, 3.0, 4.0))


def test_bodies_may_be_nested(tmp_path):
    """A body inside another has its own world pose and its own mass."""
    move = 'double3 xformOp:translate = (0, 0, 1)\n    uniform token[] xformOpOrder = ["xformOp:translate"]\n'
    inner = body("inner", MASS + "\n" + move)
    outer = body("outer", "\n".join((MASS, move, inner)), ROOT)
    articulation = read_one(stage(tmp_path, outer, joint("j", HINGE, "/outer", "/outer/inner")))
    assert [link.pose[0] for link in articulation.links] == [(0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]


def test_a_kinematic_body_is_part_of_the_world(tmp_path):
    """A joint to it holds on to the world."""
    parts = (
        body("floor", MASS + "\nbool physics:kinematicEnabled = 1"),
        body("arm", apis=ROOT),
        joint("j", FIXED, "/floor", "/arm"),
    )
    articulation = read_one(stage(tmp_path, *parts))
    assert articulation.fixed_base
    assert [link.path for link in articulation.links] == ["/arm"]


def test_robots_of_one_stage_are_articulations_of_one_scene(tmp_path):
    """Each in the order of the stage, with its own iterations."""
    second = arm(root="int physxArticulation:solverPositionIterationCount = 300\n").replace("/robot/", "/twin/")
    scene = fajin.read(stage(tmp_path, arm(), second.replace('"robot"', '"twin"')))
    assert [a.path for a in scene.articulations] == ["/robot", "/twin"]
    assert [a.position_iterations for a in scene.articulations] == [32, 255]


def test_instances_of_a_robot_are_robots(tmp_path):
    """Bodies and joints inside instanced references are found under the paths of each instance."""
    (tmp_path / "robot.usda").write_text(
        stage(tmp_path, arm())
        .read_text()
        .replace("(\n    metersPerUnit", '(\n    defaultPrim = "robot"\n    metersPerUnit')
    )
    copies = "".join(
        f'def Xform "r{i}" (\n    instanceable = true\n    references = @./robot.usda@\n)\n{{\n}}\n' for i in range(3)
    )
    scene = fajin.read(stage(tmp_path, copies))
    assert [a.path for a in scene.articulations] == ["/r0", "/r1", "/r2"]
    assert [j.path for a in scene.articulations for j in a.joints] == [f"/r{i}/elbow" for i in range(3)]
    assert all(a.fixed_base for a in scene.articulations)


@pytest.mark.parametrize(
    ("axis", "quaternion"),
    [("X", (0.0, 0.0, 0.0, 1.0)), ("Y", (0.5, 0.5, 0.5, 0.5)), ("Z", (0.5, -0.5, 0.5, 0.5))],
)
def test_a_spherical_joint_is_turned_to_twist_and_swing(tmp_path, axis, quaternion):
    """Joint x, y, z are authored X, Y, Z; for axis Y they are Y, Z, X; for axis Z they are Z, -X, -Y."""
    lines = (
        f'uniform token physics:axis = "{axis}"\nfloat physics:coneAngle0Limit = 30\nfloat physics:coneAngle1Limit = 90'
    )
    (j,) = read_one(stage(tmp_path, arm(lines, kind="PhysicsSphericalJoint"))).joints
    assert j.type is JointType.SPHERICAL
    assert j.frame0[1] == pytest.approx(quaternion)
    assert j.frame1[1] == pytest.approx(quaternion)
    assert [a.token for a in j.axes] == ["rotX", "rotY", "rotZ"]
    assert [a.upper for a in j.axes] == pytest.approx([float("inf"), 0.5235988, 1.5707963])
    assert all(a.lower == -a.upper for a in j.axes)


def test_a_d6_joint_has_the_rotations_that_are_not_locked(tmp_path):
    """A lower limit above the upper one locks an axis; free translations are held and reported."""
    lines = """float limit:rotX:physics:low = 1
        float limit:rotX:physics:high = -1
        float limit:rotZ:physics:low = -90
        float limit:rotZ:physics:high = 90
        float limit:transX:physics:low = 1
        float limit:transX:physics:high = -1"""
    apis = "PhysicsLimitAPI:rotX PhysicsLimitAPI:rotZ PhysicsLimitAPI:transX"
    scene = fajin.read(stage(tmp_path, arm(lines, apis, D6)))
    (j,) = scene.articulations[0].joints
    assert [(a.token, a.lower) for a in j.axes] == [("rotY", float("-inf")), ("rotZ", pytest.approx(-1.5707963))]
    assert {r.attribute for r in scene.reports if r.prim == j.path} == {"transY", "transZ"}


@pytest.mark.parametrize("kind", [HINGE, "PhysicsPrismaticJoint"])
@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_joint_of_one_axis_names_it(tmp_path, kind, axis):
    """The token says which axis of the joint frame moves."""
    (j,) = read_one(stage(tmp_path, arm(f'uniform token physics:axis = "{axis}"', kind=kind))).joints
    assert [a.token for a in j.axes] == [("rot" if kind == HINGE else "trans") + axis]


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "expected"),
    [
        ("PhysicsPrismaticJoint", "-0.1", "inf", (0.0, 0.0)),
        ("PhysicsPrismaticJoint", "0.1", "-0.1", (0.0, 0.0)),
        (HINGE, "10", "-10", (0.0, 0.0)),
        (HINGE, "0", "inf", (0.0, 0.0)),
        (HINGE, "-inf", "90", (0.0, 0.0)),
    ],
)
def test_limits_that_are_none_are_what_physx_makes_of_them_and_reported(tmp_path, kind, lower, upper, expected):
    """A joint with one finite limit, or with exchanged ones, stands at 0."""
    lines = f"float physics:lowerLimit = {lower}\nfloat physics:upperLimit = {upper}"
    scene = fajin.read(stage(tmp_path, arm(lines, kind=kind)))
    (axis,) = scene.articulations[0].joints[0].axes
    assert (axis.lower, axis.upper) == expected
    assert any("physics:lowerLimit" in report.attribute for report in scene.reports)


def test_an_axis_of_a_d6_joint_with_one_limit_stands_at_0(tmp_path):
    """As those of other joints do; it stays a degree of freedom. It is told."""
    lines = "float limit:rotY:physics:low = -30\nfloat limit:rotZ:physics:low = -30\nfloat limit:rotZ:physics:high = 30"
    scene = fajin.read(stage(tmp_path, arm(lines, "PhysicsLimitAPI:rotY PhysicsLimitAPI:rotZ", D6)))
    x, y, z = scene.articulations[0].joints[0].axes
    assert (x.lower, x.upper, y.lower, y.upper) == (-inf, inf, 0.0, 0.0)
    assert (z.lower, z.upper) == pytest.approx((-pi / 6, pi / 6))
    assert "limit:rotY" in {report.attribute for report in scene.reports}


@pytest.mark.parametrize(("upper", "expected"), [(180.0, (-pi / 6, pi)), (181.0, (0.0, 0.0))])
def test_an_axis_of_a_d6_joint_with_a_limit_beyond_half_a_turn_stands_at_0(tmp_path, upper, expected):
    """PhysX refuses the limit. It is told."""
    lines = f"float limit:rotY:physics:low = -30\nfloat limit:rotY:physics:high = {upper}"
    scene = fajin.read(stage(tmp_path, arm(lines, "PhysicsLimitAPI:rotY", D6)))
    axis = scene.articulations[0].joints[0].axes[1]
    assert (axis.lower, axis.upper) == pytest.approx(expected)
    assert ("limit:rotY" in {report.attribute for report in scene.reports}) == (upper > 180.0)


def test_a_cone_beyond_half_a_turn_is_closed_on_that_axis(tmp_path):
    """The other angle stays. It is told."""
    lines = "float physics:coneAngle0Limit = 200\nfloat physics:coneAngle1Limit = 90"
    scene = fajin.read(stage(tmp_path, arm(lines, kind="PhysicsSphericalJoint")))
    _, y, z = scene.articulations[0].joints[0].axes
    assert (y.lower, y.upper) == (0.0, 0.0)
    assert (z.lower, z.upper) == pytest.approx((-pi / 2, pi / 2))
    assert any("coneAngle0Limit" in report.attribute for report in scene.reports)


@pytest.mark.parametrize(("degrees", "used"), [(179.0, 179.0), (-181.0, 0.0), (725.0, 0.0)])
def test_a_target_of_a_d6_joint_beyond_half_a_turn_is_0(tmp_path, degrees, used):
    """PhysX refuses it. It is told."""
    name = "drive:rotY:physics:targetPosition"
    scene = fajin.read(stage(tmp_path, arm(f"float {name} = {degrees}", "PhysicsDriveAPI:rotY", D6)))
    axis = scene.articulations[0].joints[0].axes[1]
    assert axis.drive.target_q == pytest.approx(used * pi / 180)
    assert (name in {report.attribute for report in scene.reports}) == (used != degrees)


def test_a_quaternion_of_any_length_is_a_rotation(tmp_path):
    """localRot is normalised."""
    (j,) = read_one(stage(tmp_path, arm("quatf physics:localRot0 = (2, 2, 0, 0)"))).joints
    assert j.frame0[1] == pytest.approx((sqrt(0.5), 0.0, 0.0, sqrt(0.5)))
