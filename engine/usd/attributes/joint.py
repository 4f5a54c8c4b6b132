"""Attributes of joints and of their free axes: limits, friction, drives, envelopes and states."""

from collections.abc import Collection
from dataclasses import replace
from math import inf

from ...scene import DriveType
from .attribute import Attribute
from .units import (
    ANGLE,
    EFFORT,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    ONE,
    PER_DEGREE,
    PER_EFFORT,
    PER_FORCE,
    PER_LENGTH,
    PER_RADIAN_RATE,
    PER_SPEED,
    PER_TURN_RATE,
    RATE,
    SECOND,
    SPEED,
    TURN_RATE,
    Unit,
)

JOINT = (
    Attribute("physics:jointEnabled", "enabled", True),
    Attribute("physics:excludeFromArticulation", "excluded", False),
    Attribute("physics:axis", "axis", "X", tokens={"X": "X", "Y": "Y", "Z": "Z"}),
    Attribute("physics:localPos0", "position0", (0.0, 0.0, 0.0)),  # in units of the target prim, whose scale applies
    Attribute("physics:localPos1", "position1", (0.0, 0.0, 0.0)),
    Attribute("physics:localRot0", "rotation0", (0.0, 0.0, 0.0, 1.0), rule="rotation"),
    Attribute("physics:localRot1", "rotation1", (0.0, 0.0, 0.0, 1.0), rule="rotation"),
)

LIMIT = (  # revolute and prismatic joints
    Attribute("physics:lowerLimit", "lower", -inf, ANGLE, LENGTH, rule="any"),
    Attribute("physics:upperLimit", "upper", inf, ANGLE, LENGTH, rule="any"),
)

BREAK = (  # maximal joints
    Attribute("physics:breakForce", "break_force", inf, FORCE, rule="any", unused="joint-does-not-break"),
    Attribute("physics:breakTorque", "break_torque", inf, EFFORT, rule="any", unused="joint-does-not-break"),
)

CONE = (  # spherical joints; negative means unlimited
    Attribute("physics:coneAngle0Limit", "cone0", -1.0, ANGLE, rule="any"),
    Attribute("physics:coneAngle1Limit", "cone1", -1.0, ANGLE, rule="any"),
)

AXIS_LIMIT = (  # D6 joints
    Attribute("limit:{axis}:physics:low", "lower", -inf, ANGLE, LENGTH, "any"),
    Attribute("limit:{axis}:physics:high", "upper", inf, ANGLE, LENGTH, "any"),
)

AXIS = (
    Attribute("physxJointAxis:{axis}:armature", "armature", 0.0, INERTIA, MASS, "magnitude"),
    Attribute("newton:armature", "armature", 0.0, INERTIA, MASS, "magnitude"),
    Attribute("physxJointAxis:{axis}:maxJointVelocity", "max_velocity", inf, TURN_RATE, SPEED, "nonnegative"),
    Attribute("newton:velocityLimit", "max_velocity", inf, TURN_RATE, SPEED, "nonnegative"),
)

FRICTION = (
    Attribute("physxJointAxis:{axis}:staticFrictionEffort", "static", 0.0, EFFORT, FORCE, "nonnegative"),
    Attribute("newton:friction", "static", 0.0, EFFORT, FORCE, "nonnegative"),
    Attribute("physxJointAxis:{axis}:dynamicFrictionEffort", "dynamic", 0.0, EFFORT, FORCE, "nonnegative"),
    Attribute("newton:friction", "dynamic", 0.0, EFFORT, FORCE, "nonnegative"),
    Attribute(
        "physxJointAxis:{axis}:viscousFrictionCoefficient",
        "viscous",
        0.0,
        PER_TURN_RATE,
        PER_SPEED,
        "magnitude",
    ),
    Attribute("newton:damping", "viscous", 0.0, PER_TURN_RATE, PER_SPEED, "magnitude"),
)

DRIVE = (
    Attribute(
        "drive:{axis}:physics:type",
        "type",
        DriveType.FORCE,
        tokens={"force": DriveType.FORCE, "acceleration": DriveType.ACCELERATION},
    ),
    Attribute("drive:{axis}:physics:stiffness", "stiffness", 0.0, PER_DEGREE, PER_LENGTH, "magnitude", gain=True),
    Attribute("drive:{axis}:physics:damping", "damping", 0.0, PER_TURN_RATE, PER_SPEED, "magnitude", gain=True),
    Attribute("drive:{axis}:physics:maxForce", "max_force", inf, EFFORT, FORCE, "nonnegative"),
    Attribute("drive:{axis}:physics:targetPosition", "target_q", 0.0, ANGLE, LENGTH, "finite"),
    Attribute("drive:{axis}:physics:targetVelocity", "target_qd", 0.0, TURN_RATE, SPEED, "finite"),
)

ENVELOPE = tuple(
    Attribute(f"physxDrivePerformanceEnvelope:{{axis}}:{name}", field, default, unit, linear, "nonnegative")
    for name, field, default, unit, linear in (
        ("maxActuatorVelocity", "max_actuator_velocity", inf, TURN_RATE, SPEED),
        ("velocityDependentResistance", "velocity_dependent_resistance", 0.0, PER_TURN_RATE, PER_SPEED),
        ("speedEffortGradient", "speed_effort_gradient", 0.0, PER_EFFORT, PER_FORCE),
    )
)

STATE = (
    Attribute("state:{axis}:physics:position", "q", 0.0, ANGLE, LENGTH, "finite"),
    Attribute("state:{axis}:physics:velocity", "qd", 0.0, TURN_RATE, SPEED, "finite"),
)

HARD = "limit-hard"
LIMIT_SPRING = tuple(  # maximal joints; in radians, not in degrees
    Attribute(f"physxLimit:{{axis}}:{name}", field, 0.0, *units, rule=rule, unused=HARD)
    for name, field, units, rule in (
        ("stiffness", "stiffness", (EFFORT, PER_LENGTH), "magnitude"),
        ("damping", "damping", (PER_RADIAN_RATE, PER_SPEED), "magnitude"),
        ("restitution", "restitution", (ONE,), "fraction"),
        ("bounceThreshold", "bounce_threshold", (RATE, SPEED), "magnitude"),
    )
)

DISTANCE = (  # distance joints; negative means unlimited
    Attribute("physics:minDistance", "minimum", -1.0, LENGTH),
    Attribute("physics:maxDistance", "maximum", -1.0, LENGTH, rule="any"),
    Attribute("physxPhysicsDistanceJoint:springEnabled", "spring", False),
    Attribute("physxPhysicsDistanceJoint:springStiffness", "stiffness", 0.0, PER_LENGTH, rule="magnitude"),
    Attribute("physxPhysicsDistanceJoint:springDamping", "damping", 0.0, PER_SPEED, rule="magnitude"),
)

PD, PID = "NewtonPDControlAPI", "NewtonPIDControlAPI"
DC_MOTOR, BY_POSITION = "NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI"
ACTUATOR = (  # Newton's PD actuators; in radians, not in degrees
    Attribute("newton:kp", "stiffness", 0.0, EFFORT, PER_LENGTH, "magnitude", of=PD),
    Attribute("newton:kd", "damping", 0.0, PER_RADIAN_RATE, PER_SPEED, "magnitude", of=PD),
    Attribute("newton:maxEffort", "max_force", inf, EFFORT, FORCE, "nonnegative", of="NewtonMaxEffortClampingAPI"),
)
ACTUATOR_LAW = (  # beside these gains and this bound
    Attribute("newton:constEffort", "constant_effort", 0.0, EFFORT, FORCE, of=PD),
    Attribute("newton:ki", "integral_gain", 0.0, Unit(1, 2, 0, -3), Unit(1, 0, 0, -3), "magnitude", of=PID),
    Attribute("newton:integralMax", "integral_max", inf, SECOND, Unit(length=1, time=1), "nonnegative", of=PID),
    Attribute("newton:saturationEffort", "saturation_effort", inf, EFFORT, FORCE, "nonnegative", of=DC_MOTOR),
    Attribute("newton:maxMotorEffort", "max_motor_effort", inf, EFFORT, FORCE, "nonnegative", of=DC_MOTOR),
    Attribute("newton:velocityLimit", "no_load_speed", inf, RATE, SPEED, "nonnegative", of=DC_MOTOR),
    Attribute("newton:lookupPositions", "bound_positions", (), ONE, LENGTH, of=BY_POSITION),
    Attribute("newton:lookupEfforts", "bound_efforts", (), EFFORT, FORCE, "magnitude", of=BY_POSITION),
    Attribute("newton:delaySteps", "delay", 1, rule="magnitude", of="NewtonActuatorDelayAPI"),
)


def with_control(rows: tuple[Attribute, ...], applied: Collection[str]) -> tuple[Attribute, ...]:
    """Return rows of an actuator with the control law that is applied to its prim: PID control has PD's attributes."""
    return tuple(replace(row, of=PID) if row.of == PD and PID in applied else row for row in rows)
