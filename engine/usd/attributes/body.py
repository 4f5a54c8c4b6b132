"""Attributes of rigid bodies and of prims that define their mass."""

from math import inf

from .attribute import Attribute
from .units import DENSITY, INERTIA, LENGTH, MASS, RATE, SPEED, SPEED_SQUARED, TURN_RATE

SLEEP_THRESHOLD = 5e-3  # [m²/s²] PhysX's default
SCHEMA_THRESHOLD = 5e-5  # [stage units²/s²] PhysX's default where PhysxArticulationAPI is applied without a threshold

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

LOCKS = "locks-of-free-bodies"
OWN_ITERATIONS = "free-body-iterations"
FREE_BODY = (
    Attribute(
        "physxRigidBody:enableGyroscopicForces",
        "gyroscopic",
        True,
        unused="gyroscopic-on-links",
    ),
    Attribute("physxRigidBody:lockedPosAxis", "locked_positions", 0, unused=LOCKS),
    Attribute("physxRigidBody:lockedRotAxis", "locked_rotations", 0, unused=LOCKS),
    Attribute("physxRigidBody:enableCCD", "ccd", False, unused="continuous-collision"),
    Attribute("physxRigidBody:enableSpeculativeCCD", "speculative_ccd", False, unused="speculative-collision"),
    Attribute("physxRigidBody:solverPositionIterationCount", "position_iterations", 16, unused=OWN_ITERATIONS),
    Attribute("physxRigidBody:solverVelocityIterationCount", "velocity_iterations", 1, unused=OWN_ITERATIONS),
    Attribute(
        "physxRigidBody:sleepThreshold",
        "sleep_threshold",
        SLEEP_THRESHOLD,
        SPEED_SQUARED,
        rule="magnitude",
        unused="free-body-sleep-threshold",
    ),
    Attribute("physics:startsAsleep", "asleep", False, unused="articulation-starts-awake"),
)

ROOT_ONLY = "velocity-of-link"
ROOT_LINK = (
    Attribute("physics:velocity", "velocity", (0.0, 0.0, 0.0), SPEED, unused=ROOT_ONLY),
    Attribute("physics:angularVelocity", "angular_velocity", (0.0, 0.0, 0.0), TURN_RATE, unused=ROOT_ONLY),
)

OWN_MASS = "mass-not-used"
SAME_INERTIA = "tensor-overridden"
MASS_PROPERTIES = (
    Attribute("physics:mass", "mass", 0.0, MASS, rule="magnitude", unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute("physics:density", "density", 0.0, DENSITY, rule="magnitude", unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute(
        "physics:centerOfMass", "com", (-inf, -inf, -inf), LENGTH, rule="point", unused=OWN_MASS, of="PhysicsMassAPI"
    ),
    Attribute("physics:diagonalInertia", "inertia", (0.0, 0.0, 0.0), INERTIA, unused=OWN_MASS, of="PhysicsMassAPI"),
    Attribute("physics:principalAxes", "principal_axes", (0.0, 0.0, 0.0, 0.0), unused=OWN_MASS, of="PhysicsMassAPI"),
)

INERTIA_TENSOR = (Attribute("newton:inertia", "tensor", (), INERTIA, unused=SAME_INERTIA),)

MATERIAL = (Attribute("physics:density", "density", 0.0, DENSITY, rule="magnitude", of="PhysicsMaterialAPI"),)
