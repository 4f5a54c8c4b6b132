"""Joints outside the trees: which these are, their free axes, limits, drives and units."""

from math import inf, pi, radians

import pytest
from one_hold import held, told
from usda import ROOT, arm, body, joint, prim, stage

import fajin
from fajin.scene import WORLD, Distance, DriveType, JointType, TimeSamples

FIXED, HINGE, SLIDE, BALL, D6, ROPE = (
    f"Physics{kind}Joint" for kind in ("Fixed", "Revolute", "Prismatic", "Spherical", "", "Distance")
)
OUT = "bool physics:excludeFromArticulation = 1\n"
CENTIMETRES = 'metersPerUnit = 0.01\n    upAxis = "Z"'
AXES = tuple(f"{kind}{x}" for kind in ("trans", "rot") for x in "XYZ")


def test_joints_outside_the_trees_come_in_the_order_of_the_stage(tmp_path):
    """Link and world, link and link, link and body, body and body, body and world; the trees keep theirs."""
    extra = (
        joint("out", HINGE, "/robot/link", "", OUT)
        + joint("brace", FIXED, "/robot/base", "/robot/link", OUT)
        + joint("rope", ROPE, "/robot/link", "/ball", "float physics:maxDistance = 1")
        + joint("off", HINGE, "/robot/link", "", "bool physics:jointEnabled = 0")
    )
    more = joint("pin", BALL, "/ball", "/weight") + joint("nail", SLIDE, "", "/weight")
    scene = fajin.read(stage(tmp_path, arm(extra=extra), body("ball"), body("weight"), more))
    ends = {j.path: (j.body0, j.body1) for j in scene.joints}
    assert list(ends) == ["/robot/out", "/robot/brace", "/robot/rope", "/pin", "/nail"]
    assert ends["/robot/out"] == ("/robot/link", WORLD)
    assert ends["/nail"] == (WORLD, "/weight")
    assert [j.path for a in scene.articulations for j in a.joints] == ["/robot/elbow"]
    assert [a.path for a in scene.articulations if a.free] == ["/ball", "/weight"]
    assert told(scene, "/robot/out") == set()


def test_a_joint_between_what_cannot_move_is_reported(tmp_path):
    """A fixed base and the world: nothing is held, and that is said."""
    scene = fajin.read(stage(tmp_path, arm(extra=joint("idle", HINGE, "/robot/base", "", OUT))))
    assert scene.joints == ()
    assert [r.reason for r in scene.reports if r.prim == "/robot/idle"] == [
        "joins two bodies that do not move (fixed bases or the world): has no effect"
    ]
    fajin.Simulation(scene, device="cpu").step()


def test_a_robot_without_articulation_is_bodies_on_joints(tmp_path):
    """As in PhysX: nothing has joint coordinates that no root claims."""
    scene = fajin.read(stage(tmp_path, body("a"), body("b"), joint("j", HINGE, "/a", "/b")))
    assert all(a.free for a in scene.articulations)
    assert [(j.path, j.type) for j in scene.joints] == [("/j", JointType.REVOLUTE)]


@pytest.mark.parametrize(
    ("closing", "path"),
    [
        ((("a", "b"), ("b", "c"), ("c", "a")), "/robot/j1"),  # both neighbours of the root come first
        ((("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")), "/robot/j3"),
        ((("c", "d"), ("a", "b"), ("a", "c"), ("b", "d")), "/robot/j0"),  # b is nearer in the stage than c
    ],
)
def test_the_joint_that_closes_a_ring_stays_outside_the_tree(tmp_path, closing, path):
    """Breadth first from the root, in the order of the stage; it is reported, for PhysX drops it."""
    names = {name for pair in closing for name in pair}
    parts = [body("a", apis=ROOT), *(body(name) for name in sorted(names - {"a"}))]
    parts += [joint(f"j{i}", HINGE, *(f"/robot/{name}" for name in pair)) for i, pair in enumerate(closing)]
    scene = fajin.read(stage(tmp_path, prim("Xform", "robot", "\n".join(parts))))
    assert [j.path for j in scene.joints] == [path]
    assert told(scene, path) == {"physics:excludeFromArticulation"}
    assert len(scene.articulations[0].joints) == len(closing) - 1


def test_a_second_hold_on_the_world_closes_a_loop(tmp_path):
    """A joint between the world and another link than the root: PhysX keeps it as well, so there is nothing to tell."""
    scene = fajin.read(stage(tmp_path, arm(extra=joint("prop", SLIDE, "/robot/link", ""))))
    assert [j.path for j in scene.joints] == ["/robot/prop"]
    assert told(scene, "/robot/prop") == set()
    assert scene.articulations[0].fixed_base


def test_a_joint_beside_the_one_that_fixes_the_base_does_nothing(tmp_path):
    """Neither end of it can move."""
    scene = fajin.read(stage(tmp_path, arm(extra=joint("idle", HINGE, "/robot/base", ""))))
    assert scene.articulations[0].fixed_base
    assert [j.path for j in scene.articulations[0].joints] == ["/robot/elbow"]
    assert scene.joints == ()
    assert "/robot/idle" in {r.prim for r in scene.reports}


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [(FIXED, []), (HINGE, ["rotZ"]), (SLIDE, ["transZ"]), (BALL, ["rotX", "rotY", "rotZ"]), (D6, [*AXES]), (ROPE, [])],
)
def test_what_is_not_locked_is_an_axis(tmp_path, kind, tokens):
    """In the order of a D6 joint."""
    axis = 'uniform token physics:axis = "Z"' if kind in (HINGE, SLIDE, BALL) else ""
    _, j = held(tmp_path, kind, axis)
    assert [a.token for a in j.axes] == tokens
    assert all((a.lower, a.upper, a.drive) == (-inf, inf, None) for a in j.axes)


@pytest.mark.parametrize(("axis", "quaternion"), [("Y", (0.5, 0.5, 0.5, 0.5)), ("Z", (0.5, -0.5, 0.5, 0.5))])
def test_a_spherical_joint_is_turned_as_in_a_tree(tmp_path, axis, quaternion):
    """Measured with unequal cones: x, y, z are authored Y, Z, X for axis Y and Z, -X, -Y for axis Z."""
    lines = f'uniform token physics:axis = "{axis}"\nfloat physics:coneAngle0Limit = 20\n'
    _, j = held(tmp_path, BALL, lines + "float physics:coneAngle1Limit = 60")
    assert j.frame0[1] == j.frame1[1] == pytest.approx(quaternion)
    assert [a.upper for a in j.axes] == pytest.approx([inf, radians(20), radians(60)])


@pytest.mark.parametrize(
    ("kind", "instance", "unit"), [(HINGE, "angular", pi / 180), (SLIDE, "linear", 1.0), (D6, "rotZ", pi / 180)]
)
def test_a_drive_is_read_as_in_a_tree(tmp_path, kind, instance, unit):
    """Gains per degree; a target beyond a turn stays what it is."""
    values = {"stiffness": 3, "damping": 2, "maxForce": 5, "targetPosition": 400, "targetVelocity": 7}
    lines = "\n".join(f"float drive:{instance}:physics:{k} = {v}" for k, v in values.items())
    lines += f'\nuniform token drive:{instance}:physics:type = "acceleration"'
    _, j = held(tmp_path, kind, lines, f"PhysicsDriveAPI:{instance}")
    (drive,) = (a.drive for a in j.axes if a.drive)
    assert (drive.type, drive.max_force) == (DriveType.ACCELERATION, 5.0)
    assert (drive.stiffness, drive.damping) == pytest.approx((3 / unit, 2 / unit))
    assert (drive.target_q, drive.target_qd) == pytest.approx((400 * unit, 7 * unit))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", Distance()),
        ("float physics:minDistance = 10\nfloat physics:maxDistance = 70", Distance(0.1, pytest.approx(0.7))),
        ("float physics:maxDistance = inf\nfloat physics:minDistance = 10", Distance(0.1)),
        (
            """bool physxPhysicsDistanceJoint:springEnabled = 1
            float physxPhysicsDistanceJoint:springStiffness = 30
            float physxPhysicsDistanceJoint:springDamping = 2""",
            Distance(spring=True, stiffness=30.0, damping=2.0),
        ),
    ],
)
def test_a_distance_joint_has_bounds_and_a_spring(tmp_path, lines, expected):
    """Lengths in stage units; gains are mass over time, which have no length in them."""
    scene, j = held(tmp_path, ROPE, lines, "PhysxPhysicsDistanceJointAPI", metadata=CENTIMETRES)
    assert (j.type, j.distance, j.axes) == (JointType.DISTANCE, expected, ())
    assert ("physics:minDistance" in told(scene, "/hold")) == (expected.minimum < 0.0 and expected.maximum < 0.0)


def test_the_gains_of_a_spring_that_is_off_are_told(tmp_path):
    """They have no effect before springEnabled."""
    lines = "float physxPhysicsDistanceJoint:springStiffness = 3\nfloat physics:maxDistance = 1\n"
    scene, _ = held(tmp_path, ROPE, lines, "PhysxPhysicsDistanceJointAPI")
    assert told(scene, "/hold") == {"physxPhysicsDistanceJoint:springStiffness"}
    enabled = lines + "bool physxPhysicsDistanceJoint:springEnabled = 1"
    scene, _ = held(tmp_path, ROPE, enabled, "PhysxPhysicsDistanceJointAPI")
    assert told(scene, "/hold") == set()


@pytest.mark.parametrize(
    ("name", "apis"),
    [
        ("physxJointAxis:angular:armature", "PhysxJointAxisAPI:angular"),
        ("physxJointAxis:angular:maxJointVelocity", "PhysxJointAxisAPI:angular"),
        ("newton:friction", "NewtonJointAPI"),
        ("state:angular:physics:position", "PhysicsJointStateAPI:angular"),
        ("physxMimicJoint:rotX:gearing", "PhysxMimicJointAPI:rotX"),
        ("physxDrivePerformanceEnvelope:angular:maxActuatorVelocity", "PhysxDrivePerformanceEnvelopeAPI:angular"),
    ],
)
def test_what_only_joints_of_trees_obey_is_reported(tmp_path, name, apis):
    """It says nothing about a constraint between two bodies."""
    scene, _ = held(tmp_path, HINGE, f"float {name} = 3", apis)
    (report,) = (r for r in scene.reports if r.prim == "/hold")
    assert (report.attribute, report.value) == (name, "3.0")
    assert "tree" in report.reason


SAMPLED = "float {}.timeSamples = {{\n    0: {},\n    48: {},\n}}\n"


@pytest.mark.parametrize(
    ("kind", "lines", "axis", "unit"),
    [
        (HINGE, 'uniform token physics:axis = "Y"\n', "rotY", radians(1.0)),
        (SLIDE, 'uniform token physics:axis = "Z"\n', "transZ", 0.01),
        (D6, "", "rotX", radians(1.0)),
        (D6, "", "transY", 0.01),
    ],
)
@pytest.mark.parametrize("ends", [("", "/ball"), ("/robot/link", "/ball"), ("/ball", "/other")])
def test_time_samples_of_drives_outside_the_trees_are_signals(tmp_path, kind, lines, axis, unit, ends):
    """Times are time codes over timeCodesPerSecond, 24 where none is authored; values are SI, gains per radian."""
    instance = axis if kind == D6 else {HINGE: "angular", SLIDE: "linear"}[kind]
    head = f"drive:{instance}:physics:"
    rows = [("targetPosition", 10, 20), ("targetVelocity", 3, 5), ("damping", 1, 2)]
    lines += "".join(SAMPLED.format(head + name, *values) for name, *values in rows)
    lines += OUT + f'uniform token drive:{instance}:physics:type = "acceleration"\n'
    hold = joint("hold", kind, *ends, lines, f"PhysicsDriveAPI:{instance}")
    path = stage(tmp_path, arm(), body("ball"), body("other"), hold, metadata=CENTIMETRES)
    scene = fajin.read(path)
    times = (0.0, pytest.approx(2.0))
    per_unit = pytest.approx(radians(1.0) ** -1), pytest.approx(2.0 * radians(1.0) ** -1)
    assert scene.signals == (
        TimeSamples(f"/hold:{axis}", "damping", times, per_unit if "rot" in axis else (1.0, 2.0)),
        TimeSamples(f"/hold:{axis}", "target_q", times, (pytest.approx(10 * unit), pytest.approx(20 * unit))),
        TimeSamples(f"/hold:{axis}", "target_qd", times, (pytest.approx(3 * unit), pytest.approx(5 * unit))),
    )
    assert [r for r in scene.reports if r.prim == "/hold"] == []


def test_time_samples_of_limits_outside_the_trees_are_reported(tmp_path):
    """Such limits cannot be set while a simulation runs: the value at time 0 holds."""
    lines = "float physics:upperLimit = 0\nfloat physics:lowerLimit = -90\n"
    scene, j = held(tmp_path, HINGE, lines.replace(" = 0", ".timeSamples = {\n    0: 10,\n    50: 20,\n}"))
    assert scene.signals == ()
    assert j.axes[0].upper == pytest.approx(radians(10))
    (report,) = (r for r in scene.reports if r.prim == "/hold")
    assert "time samples" in report.reason
