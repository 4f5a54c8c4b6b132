"""The one table of USD attributes: name, scene field, unit, and why an attribute is not used.

Degrees, metersPerUnit and kilogramsPerUnit end here. Rows that fill the same field stand in order of precedence: PhysX
before Newton.
"""

from math import inf

from ..scene import DriveType, SolverType
from .attribute import Attribute
from .tendon_attributes import ATTACHMENT, LENGTHS, TENDON, TENDON_AXIS
from .units import (
    ACCELERATION,
    ANGLE,
    DENSITY,
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
    SPEED,
    SPEED_SQUARED,
    TURN_RATE,
)

SLEEP_THRESHOLD = 5e-3  # [m²/s²] what PhysX takes where nothing says it
SCHEMA_THRESHOLD = 5e-5  # [stage units²/s²] what it takes where PhysxArticulationAPI is applied and does not say it

SCENE = (
    Attribute("physics:gravityDirection", "direction", (0.0, 0.0, 0.0)),
    Attribute("physics:gravityMagnitude", "magnitude", -inf, ACCELERATION, rule="any"),
    Attribute("newton:gravityEnabled", "gravity_enabled", True),
    Attribute("physxScene:timeStepsPerSecond", "rate", 60.0, RATE, rule="positive"),
    Attribute("newton:timeStepsPerSecond", "rate", 60.0, RATE, rule="positive"),
    Attribute("physxScene:solverType", "solver", SolverType.TGS, tokens={"PGS": SolverType.PGS, "TGS": SolverType.TGS}),
    Attribute("physxScene:enableExternalForcesEveryIteration", "external_forces_every_iteration", True),
    Attribute("physxScene:disableSleeping", "sleepless", False),
    Attribute("physxScene:minPositionIterationCount", "min_position_iterations", 1),
    Attribute("physxScene:maxPositionIterationCount", "max_position_iterations", 255),
    Attribute("physxScene:minVelocityIterationCount", "min_velocity_iterations", 0),
    Attribute("physxScene:maxVelocityIterationCount", "max_velocity_iterations", 255),
    Attribute("fajinScene:duration", "duration", 5.0, rule="magnitude"),
    Attribute("fajinScene:framesPerSecond", "fps", 60.0, RATE, rule="positive"),
    Attribute("fajinScene:precision", "precision", "f32", tokens={"single": "f32", "double": "f64"}),
)

ARTICULATION = (
    Attribute("physxArticulation:articulationEnabled", "enabled", True),
    Attribute("physxArticulation:solverPositionIterationCount", "position_iterations", 32),
    Attribute("physxArticulation:solverVelocityIterationCount", "velocity_iterations", 1),
    Attribute("physxArticulation:sleepThreshold", "sleep_threshold", -1.0, SPEED_SQUARED, rule="magnitude"),
)

BODY = (
    Attribute("physics:rigidBodyEnabled", "enabled", True),
    Attribute("physics:kinematicEnabled", "kinematic", False),
)

LINK = (
    Attribute("physxRigidBody:linearDamping", "linear_damping", 0.0, RATE, rule="magnitude"),
    Attribute("physxRigidBody:angularDamping", "angular_damping", 0.05, RATE, rule="magnitude"),
    Attribute("physxRigidBody:maxLinearVelocity", "max_linear_velocity", inf, SPEED, rule="nonnegative"),
    Attribute("physxRigidBody:maxAngularVelocity", "max_angular_velocity", 100.0, TURN_RATE, rule="nonnegative"),
    Attribute("physxRigidBody:disableGravity", "disable_gravity", False),
    Attribute("physxRigidBody:cfmScale", "cfm_scale", 0.025, rule="magnitude"),
)

OWN_ITERATIONS = "iterations of free bodies; an articulation has its own"
FREE_BODY = (
    Attribute(
        "physxRigidBody:enableGyroscopicForces",
        "gyroscopic",
        True,
        unused="gyroscopic forces always act on links, as in PhysX",
    ),
    Attribute("physxRigidBody:solverPositionIterationCount", "position_iterations", 16, unused=OWN_ITERATIONS),
    Attribute("physxRigidBody:solverVelocityIterationCount", "velocity_iterations", 1, unused=OWN_ITERATIONS),
    Attribute(
        "physxRigidBody:sleepThreshold",
        "sleep_threshold",
        SLEEP_THRESHOLD,
        SPEED_SQUARED,
        rule="magnitude",
        unused="of free bodies; an articulation has its own, physxArticulation:sleepThreshold",
    ),
    Attribute("physics:startsAsleep", "asleep", False, unused="an articulation starts awake, as in PhysX"),
)

ROOT_ONLY = "only a free body or the root of a floating base starts with a velocity; give joints PhysicsJointStateAPI"
ROOT_LINK = (
    Attribute("physics:velocity", "velocity", (0.0, 0.0, 0.0), SPEED, unused=ROOT_ONLY),
    Attribute("physics:angularVelocity", "angular_velocity", (0.0, 0.0, 0.0), TURN_RATE, unused=ROOT_ONLY),
)

OWN_MASS = "the body says its mass properties itself, or does not move"
SAME_INERTIA = "physics:diagonalInertia comes first"
MASS_PROPERTIES = (
    Attribute("physics:mass", "mass", 0.0, MASS, rule="magnitude", unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute("physics:density", "density", 0.0, DENSITY, rule="magnitude", unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute(
        "physics:centerOfMass", "com", (-inf, -inf, -inf), LENGTH, rule="any", unused=OWN_MASS, of="PhysicsMassAPI"
    ),
    Attribute("physics:diagonalInertia", "inertia", (0.0, 0.0, 0.0), INERTIA, unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute("physics:principalAxes", "principal_axes", (0.0, 0.0, 0.0, 0.0), unused=OWN_MASS, of="PhysicsMassAPI"),
)

INERTIA_TENSOR = (Attribute("newton:inertia", "tensor", (), INERTIA, unused=SAME_INERTIA),)

MATERIAL = (Attribute("physics:density", "density", 0.0, DENSITY, rule="magnitude", of="PhysicsMaterialAPI"),)

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
    Attribute(f"physxDrivePerformanceEnvelope:{{axis}}:{name}", field, default, *units, "nonnegative")
    for name, field, default, *units in (
        ("maxActuatorVelocity", "max_actuator_velocity", inf, TURN_RATE, SPEED),
        ("velocityDependentResistance", "velocity_dependent_resistance", 0.0, PER_TURN_RATE, PER_SPEED),
        ("speedEffortGradient", "speed_effort_gradient", 0.0, PER_EFFORT, PER_FORCE),
    )
)

STATE = (
    Attribute("state:{axis}:physics:position", "q", 0.0, ANGLE, LENGTH, "finite"),
    Attribute("state:{axis}:physics:velocity", "qd", 0.0, TURN_RATE, SPEED, "finite"),
)

AXES = {token: token for token in ("rotX", "rotY", "rotZ", "transX", "transY", "transZ")}
MIMIC = (  # a gearing's unit is that of its own axis per that of the reference
    Attribute("physxMimicJoint:{axis}:gearing", "gearing", 1.0, rule="nonzero"),
    Attribute("physxMimicJoint:{axis}:offset", "offset", 0.0, ANGLE, LENGTH),
    Attribute("physxMimicJoint:{axis}:naturalFrequency", "natural_frequency", 0.0, RATE),
    Attribute("physxMimicJoint:{axis}:dampingRatio", "damping_ratio", 0.0),
    Attribute("physxMimicJoint:{axis}:referenceJointAxis", "reference_axis", "rotX", tokens=AXES),
)

MIMIC_OF_MANY = (  # fajin's own: q + Σ gearing q_reference + offset = 0, over all its references
    Attribute("fajinMimic:{axis}:gearings", "gearings", (), rule="all nonzero"),
    Attribute("fajinMimic:{axis}:axes", "axes", (), tokens=AXES),
    Attribute("fajinMimic:{axis}:offset", "offset", 0.0, ANGLE, LENGTH),
    Attribute("fajinMimic:{axis}:naturalFrequency", "natural_frequency", 0.0, RATE),
    Attribute("fajinMimic:{axis}:dampingRatio", "damping_ratio", 0.0),
)

NO_MIMIC = "has no effect before NewtonMimicAPI is applied to the joint"
NEWTON_MIMIC = (  # q = coef0 + coef1 q_reference
    Attribute("newton:mimicCoef1", "coef1", 1.0, rule="nonzero", unused=NO_MIMIC),
    Attribute("newton:mimicCoef0", "coef0", 0.0, ANGLE, LENGTH, unused=NO_MIMIC),
    Attribute("newton:mimicEnabled", "enabled", True, unused=NO_MIMIC),
)

HARD = "limits of articulated joints are hard, as in PhysX"
LIMIT_SPRING = tuple(  # joints outside the trees; in radians, not in degrees
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

TABLES = (
    *(SCENE, ARTICULATION, BODY, LINK, FREE_BODY, ROOT_LINK, MASS_PROPERTIES, INERTIA_TENSOR, MATERIAL, JOINT),
    *(
        LIMIT,
        CONE,
        AXIS_LIMIT,
        AXIS,
        FRICTION,
        DRIVE,
        ENVELOPE,
        STATE,
        MIMIC,
        MIMIC_OF_MANY,
        NEWTON_MIMIC,
        LIMIT_SPRING,
        DISTANCE,
    ),
    *(TENDON, LENGTHS, TENDON_AXIS, ATTACHMENT),
)
TABLE = tuple(row for table in TABLES for row in table)
