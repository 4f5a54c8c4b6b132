"""Degrees, metersPerUnit, kilogramsPerUnit and the up axis end at the reader: inside there are SI units and radians."""

from dataclasses import replace
from math import inf, isclose, pi

import pytest
from usda import METRES, ROOT, arm, body, joint, stage

import fajin
from fajin.scene import Drive, DriveType, Friction

DEGREE = pi / 180.0
EPS = 2.0**-22  # two float32 ulp: attributes are floats
AXIS = "PhysicsDriveAPI:{0} PhysxJointAxisAPI:{0} PhysicsJointStateAPI:{0} NewtonJointAPI"


def authored(effort: float, length: float, angle: float, instance: str, kind: str = "force") -> str:
    """A joint with effort 6, position 2 and speed 3 in it, in units of the given sizes."""
    position = angle if instance == "angular" else length
    per_position = effort / position
    massless = 1.0 / angle if instance == "angular" else 1.0
    gain = per_position if kind == "force" else massless
    return f"""
        float drive:{instance}:physics:stiffness = {4.0 / gain}
        float drive:{instance}:physics:damping = {5.0 / gain}
        float drive:{instance}:physics:maxForce = {6.0 / effort}
        float drive:{instance}:physics:targetPosition = {2.0 / position}
        float drive:{instance}:physics:targetVelocity = {3.0 / position}
        uniform token drive:{instance}:physics:type = "{kind}"
        float physxJointAxis:{instance}:armature = {0.5 / (effort if instance == "angular" else effort / length)}
        float physxJointAxis:{instance}:maxJointVelocity = {9.0 / position}
        float physxJointAxis:{instance}:staticFrictionEffort = {0.8 / effort}
        float physxJointAxis:{instance}:dynamicFrictionEffort = {0.7 / effort}
        float physxJointAxis:{instance}:viscousFrictionCoefficient = {0.6 / per_position}
        float state:{instance}:physics:position = {1.5 / position}
        float state:{instance}:physics:velocity = {1.25 / position}
        float physics:lowerLimit = {-1.0 / position}
        float physics:upperLimit = {2.5 / position}"""


def elbow(path):
    """The only moving axis of a scene."""
    (axis,) = (axis for a in fajin.read(path).articulations for j in a.joints for axis in j.axes)
    return axis


def flat(axis) -> list[float]:
    """All numbers of an axis."""
    drive, friction = vars(axis.drive), vars(axis.friction)
    numbers = {**vars(axis), **drive, **friction}
    return [float(value) for value in numbers.values() if isinstance(value, int | float)]


@pytest.mark.parametrize("length", [1.0, 0.01, 0.0254])
@pytest.mark.parametrize("mass", [1.0, 0.001])
@pytest.mark.parametrize("kind", ["force", "acceleration"])
@pytest.mark.parametrize("instance", ["angular", "linear"])
def test_every_number_of_a_joint_is_si_whatever_the_stage_units(tmp_path, length, mass, kind, instance):
    """value_SI = value · kg^a · m^b · (π/180)^c, with the exponents of the quantity."""
    effort = mass * length ** (2 if instance == "angular" else 1)
    metadata = f'metersPerUnit = {length}\n    kilogramsPerUnit = {mass}\n    upAxis = "Z"'
    joint = "PhysicsRevoluteJoint" if instance == "angular" else "PhysicsPrismaticJoint"
    lines = authored(effort, length, DEGREE, instance, kind)
    axis = elbow(stage(tmp_path, arm(lines, AXIS.format(instance), joint), metadata=metadata))
    drive = Drive(DriveType[kind.upper()], 4.0, 5.0, 6.0, 2.0, 3.0)
    expected = replace(
        axis, lower=-1.0, upper=2.5, drive=drive, friction=Friction(0.8, 0.7, 0.6), armature=0.5, max_velocity=9.0
    )
    expected = replace(expected, q=1.5, qd=1.25)
    assert axis.drive.type is drive.type
    assert all(isclose(a, b, rel_tol=EPS) for a, b in zip(flat(axis), flat(expected), strict=True)), axis


def test_a_stiffness_of_one_per_degree_is_57_per_radian(tmp_path):
    """1 N·m/deg = 180/π N·m/rad."""
    path = stage(tmp_path, arm("float drive:angular:physics:stiffness = 1", "PhysicsDriveAPI:angular"))
    assert isclose(elbow(path).drive.stiffness, 180.0 / pi, rel_tol=1e-15)


def test_flt_max_is_no_bound(tmp_path):
    """Converters write FLT_MAX where they mean infinity; a large number stays one."""
    lines = """float drive:angular:physics:maxForce = 3.4028235e38
        float physics:lowerLimit = -3.4028235e38
        float physics:upperLimit = inf
        float physxJointAxis:angular:maxJointVelocity = 1e9"""
    axis = elbow(stage(tmp_path, arm(lines, AXIS.format("angular"))))
    assert (axis.drive.max_force, axis.lower, axis.upper) == (inf, -inf, inf)
    assert isclose(axis.max_velocity, 1e9 * DEGREE)


@pytest.mark.parametrize(
    ("metadata", "scene", "gravity"),
    [
        (METRES, "", (0.0, 0.0, -9.81)),
        ('metersPerUnit = 0.01\n    upAxis = "Y"', "", (0.0, -9.81, 0.0)),
        ('metersPerUnit = 0.01\n    upAxis = "Y"', "float physics:gravityMagnitude = 100", (0.0, -1.0, 0.0)),
        (METRES, "vector3f physics:gravityDirection = (3, 0, 4)", (0.6 * 9.81, 0.0, 0.8 * 9.81)),
        (METRES, "float physics:gravityMagnitude = 0", (0.0, 0.0, 0.0)),
        (METRES, "bool newton:gravityEnabled = 0", (0.0, 0.0, 0.0)),
    ],
)
def test_gravity_points_down_the_up_axis_with_9_81_where_nothing_is_authored(tmp_path, metadata, scene, gravity):
    """Direction (0, 0, 0) is down, a negative magnitude is 9.81 m/s², lengths are in stage units."""
    read = fajin.read(stage(tmp_path, arm(), metadata=metadata, scene=scene)).gravity
    assert all(isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in zip(read, gravity, strict=True))


def test_lengths_of_links_and_frames_are_metres(tmp_path):
    """Positions, centres of mass and velocities scale with metersPerUnit, inertias with its square."""
    root = """float physics:mass = 2
        point3f physics:centerOfMass = (10, 20, 30)
        float3 physics:diagonalInertia = (100, 200, 300)
        float physxRigidBody:maxLinearVelocity = 700
        vector3f physics:velocity = (100, 0, 0)
        vector3f physics:angularVelocity = (0, 0, 180)
        double3 xformOp:translate = (0, 0, 250)
        uniform token[] xformOpOrder = ["xformOp:translate"]"""
    frame = "point3f physics:localPos0 = (50, 0, 0)"
    parts = (
        body("base", root, f"{ROOT} PhysxRigidBodyAPI"),
        body("link"),
        joint("elbow", "PhysicsRevoluteJoint", "/base", "/link", frame),
    )
    (articulation,) = fajin.read(
        stage(tmp_path, *parts, metadata='metersPerUnit = 0.01\n    upAxis = "Z"')
    ).articulations
    link = articulation.links[0]
    assert link.pose[0] == pytest.approx((0.0, 0.0, 2.5))
    assert link.com == pytest.approx((0.1, 0.2, 0.3), rel=EPS)
    assert [link.inertia[i][i] for i in range(3)] == pytest.approx([0.01, 0.02, 0.03], rel=EPS)
    assert link.max_linear_velocity == pytest.approx(7.0)
    assert link.velocity == pytest.approx((1.0, 0.0, 0.0))
    assert link.angular_velocity == pytest.approx((0.0, 0.0, pi))
    assert articulation.joints[0].frame0[0] == pytest.approx((0.5, 0.0, 0.0))


def test_units_that_are_not_authored_are_reported(tmp_path):
    """USD's fallbacks are centimetres and Y up; both surprise."""
    scene = fajin.read(stage(tmp_path, arm(), metadata='doc = ""'))
    assert scene.meters_per_unit == 0.01
    assert {"metersPerUnit", "upAxis"} <= {report.attribute for report in scene.reports}
