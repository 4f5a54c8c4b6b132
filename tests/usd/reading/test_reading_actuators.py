"""Newton's actuators: PD control is a drive with gains per radian, and what no drive has is an explicit law."""

from dataclasses import replace

import numpy as np
import pytest
from usda import arm, prim, stage

import fajin
from fajin.scene import Actuator, Drive, DriveType, InvalidScene

GAINS = "float newton:kp = 100\nfloat newton:kd = 5"
PD, PID = "NewtonPDControlAPI", "NewtonPIDControlAPI"


@pytest.fixture
def read(tmp_path):
    """Drive and reports of an arm with an actuator on its elbow."""

    def run(lines: str, apis: str, more: str = "", drive: str = "", drive_api: str = "", **metadata):
        motor = prim("NewtonActuator", "motor", f"rel newton:targets = </robot/elbow>\n{lines}", apis)
        scene = fajin.read(stage(tmp_path, arm(drive, drive_api), motor, more, **metadata))
        return scene.articulations[0].joints[-1].axes[0].drive, [(r.code, r.prim) for r in scene.reports]

    return run


def test_pd_control_is_a_force_drive_in_radians(read):
    """effort = kp (target - q) + kd (target speed - q̇): Newton's numbers are per radian."""
    drive, reports = read(GAINS, PD)
    assert drive == Drive(DriveType.FORCE, 100.0, 5.0)
    assert reports == [("actuator-as-drive", "/motor")]


def test_its_bound_counts_where_its_schema_is_applied(read):
    bound = f"{GAINS}\nfloat newton:maxEffort = 7"
    assert read(bound, f"{PD} NewtonMaxEffortClampingAPI")[0] == Drive(DriveType.FORCE, 100.0, 5.0, 7.0)
    assert read(bound, PD)[0] == Drive(DriveType.FORCE, 100.0, 5.0)


def test_units_are_those_of_the_stage(read):
    """Effort per radian in centimetres and grams: 1e-7 N·m."""
    metadata = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
    drive, _ = read(GAINS, PD, metadata=metadata)
    assert (drive.stiffness, drive.damping) == pytest.approx((1e-5, 5e-7))


def test_a_drive_without_gains_keeps_its_target_and_the_smaller_bound(read):
    """As Isaac Lab authors them: the drive has no gains, and the actuator has them."""
    lines = "float drive:angular:physics:targetPosition = 90\nfloat drive:angular:physics:maxForce = 3"
    drive, _ = read(GAINS, PD, drive=lines, drive_api="PhysicsDriveAPI:angular")
    assert drive == replace(Drive(DriveType.FORCE, 100.0, 5.0, 3.0), target_q=pytest.approx(np.pi / 2.0))


def test_a_drive_without_gains_keeps_its_envelope(read):
    """The motor's limits hold, whoever commands it."""
    lines = "float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 90"
    apis = "PhysicsDriveAPI:angular PhysxDrivePerformanceEnvelopeAPI:angular"
    drive, _ = read(GAINS, PD, drive=lines, drive_api=apis)
    assert drive.stiffness == 100.0
    assert drive.envelope.max_actuator_velocity == pytest.approx(np.pi / 2.0)


def test_a_drive_with_gains_stays_and_the_actuator_is_reported(read):
    """Their sum has no drive of its own: two bounds, two targets."""
    drive, reports = read(
        GAINS, PD, drive="float drive:angular:physics:stiffness = 1", drive_api="PhysicsDriveAPI:angular"
    )
    assert drive.stiffness == pytest.approx(180.0 / np.pi)
    assert reports == [("actuator", "/motor")]


@pytest.mark.parametrize(
    ("lines", "apis", "law"),
    [
        ("int newton:delaySteps = 2", f"{PD} NewtonActuatorDelayAPI", Actuator(delay=2)),
        ("", f"{PD} NewtonActuatorDelayAPI", Actuator(delay=1)),
        ("float newton:constEffort = 1", PD, Actuator(constant_effort=1.0)),
        ("float newton:constEffort = 1\nfloat newton:ki = 2", PID, Actuator(2.0, constant_effort=1.0)),
        ("float newton:ki = 2\nfloat newton:integralMax = 3", PID, Actuator(2.0, 3.0)),
        (
            "float newton:saturationEffort = 9\nfloat newton:maxMotorEffort = 7\nfloat newton:velocityLimit = 5",
            f"{PD} NewtonDCMotorClampingAPI",
            Actuator(saturation_effort=9.0, max_motor_effort=7.0, no_load_speed=5.0),
        ),
        (
            "float[] newton:lookupPositions = [0, 1]\nfloat[] newton:lookupEfforts = [2, 3]",
            f"{PD} NewtonPositionBasedClampingAPI",
            Actuator(bound_positions=(0.0, 1.0), bound_efforts=(2.0, 3.0)),
        ),
    ],
)
def test_what_no_drive_has_is_an_explicit_law(read, lines, apis, law):
    """A delay is 1 step where it is not authored, and an attribute acts where its schema is applied."""
    drive, reports = read(f"{GAINS}\n{lines}", apis)
    assert drive == Drive(DriveType.FORCE, 100.0, 5.0, actuator=law)
    assert reports == [("actuator-explicit", "/motor")]


def test_clamps_in_another_order_than_here_are_reported(read):
    """Newton clamps in the order of the applied schemas; the results differ where two bounds exclude each other."""
    lines = "float newton:saturationEffort = 9\nfloat newton:velocityLimit = 5\nfloat newton:maxEffort = 3"
    motor, most = "NewtonDCMotorClampingAPI", "NewtonMaxEffortClampingAPI"
    _, reports = read(f"{GAINS}\n{lines}", f"{PD} {motor} {most}")
    assert reports == [("actuator-explicit", "/motor")]
    _, reports = read(f"{GAINS}\n{lines}", f"{PD} {most} {motor}")
    assert reports == [("actuator-explicit", "/motor"), ("actuator-clamp-order", "/motor")]


def test_an_explicit_law_has_the_units_of_the_stage(read):
    """Efforts in centimetres and grams: 1e-7 N·m; positions and speeds of a rotation are in radians."""
    metadata = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
    lines = (
        f"{GAINS}\nfloat newton:ki = 2\nfloat newton:integralMax = 3\nfloat newton:velocityLimit = 5\n"
        "float newton:saturationEffort = 9\nfloat[] newton:lookupPositions = [1]\nfloat[] newton:lookupEfforts = [4]"
    )
    drive, _ = read(lines, f"{PID} NewtonDCMotorClampingAPI NewtonPositionBasedClampingAPI", metadata=metadata)
    law = drive.actuator
    assert (drive.stiffness, law.integral_gain, law.saturation_effort) == pytest.approx((1e-5, 2e-7, 9e-7))
    assert (law.integral_max, law.no_load_speed, *law.bound_positions) == (3.0, 5.0, 1.0)
    assert law.bound_efforts == pytest.approx((4e-7,))


@pytest.mark.parametrize(
    ("lines", "attribute"),
    [
        ("float[] newton:lookupEfforts = [1]", "newton:lookupEfforts"),
        ("", "newton:lookupEfforts"),
        ("float[] newton:lookupPositions = [1, 0]\nfloat[] newton:lookupEfforts = [1, 1]", "newton:lookupPositions"),
        ("float[] newton:lookupPositions = [1]\nfloat[] newton:lookupEfforts = [-1]", "newton:lookupEfforts"),
    ],
)
def test_bounds_by_position_without_meaning_are_refused(read, lines, attribute):
    with pytest.raises(InvalidScene, match=f"/motor.{attribute}"):
        read(f"{GAINS}\n{lines}", f"{PD} NewtonPositionBasedClampingAPI")


@pytest.mark.parametrize(
    ("lines", "apis"),
    [
        (GAINS, f"{PD} {PID}"),
        ("asset newton:modelPath = @net.pt@", "NewtonNeuralControlAPI"),
        (GAINS, ""),
    ],
)
def test_what_no_drive_has_is_reported_once_and_the_joint_has_no_motor(read, lines, apis):
    """Half an actuator would be another one."""
    assert read(lines, apis) == (None, [("actuator", "/motor")])


def test_a_delay_of_0_is_none(read):
    assert read(f"{GAINS}\nint newton:delaySteps = 0", f"{PD} NewtonActuatorDelayAPI")[0] is not None


def test_of_two_actuators_the_first_counts(read):
    other = prim("NewtonActuator", "other", f"rel newton:targets = </robot/elbow>\n{GAINS}", PD)
    assert read(GAINS, PD, other)[1] == [("actuator-as-drive", "/motor"), ("actuator", "/other")]


def test_a_misplaced_gain_is_reported(tmp_path):
    """On a joint, Newton's gains act no more than in Newton."""
    (report,) = fajin.read(stage(tmp_path, arm("float newton:kp = 3"))).reports
    assert report.attribute == "newton:kp"
