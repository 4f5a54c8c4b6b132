"""Attributes that are not used, with the reason; the complement of the attribute table.

The first matching pattern applies. A name that matches neither the table nor a pattern is reported as unknown.
"""

from math import inf

from .attributes.body import SAME_INERTIA
from .attributes.joint import HARD
from .attributes.mimic import NO_MIMIC

RETIRED = "PhysX has retired this name and ignores it; author {successor}"
CONTACT = "contacts: not simulated yet"
ENGINE = "PhysX's internal organisation; without effect on the motion here"
FOREIGN = "describes how another tool made or simulates the file"
MUJOCO = "only MuJoCo's motion depends on it; author a drive, friction or a tendon instead"
UNUSED = {  # attribute name pattern: why it is not used
    "physxJoint:armature": RETIRED.format(successor="physxJointAxis:<axis>:armature or newton:armature"),
    "physxJoint:maxJointVelocity": RETIRED.format(successor="physxJointAxis:<axis>:maxJointVelocity"),
    "physxJoint:jointFriction": RETIRED.format(successor="physxJointAxis:<axis>:staticFrictionEffort"),
    "newton:limit*": HARD,
    "physxDrivePerformanceEnvelope:*": "an envelope bounds the drive of its axis, but there is no drive",
    "physxMimicJoint:*:referenceJoint": "has no effect before PhysxMimicJointAPI:<axis> is applied to the joint",
    "newton:mimicJoint": NO_MIMIC,
    "fajinMimic:*:references": "has no effect before FajinMimicAPI:<axis> is applied to the joint",
    "physics:breakForce": "articulated joints do not break",
    "physics:breakTorque": "articulated joints do not break",
    "physxRigidBody:retainAccelerations": "user forces on links: not simulated yet",
    "physxForce:*": "user forces on links: not simulated yet",
    "newton:maxSolverIterations": "an articulation's iterations are physxArticulation:solverPositionIterationCount",
    "newton:jointsAddMobility": "joints between one pair of bodies always add up to one joint here",
    "*:stabilizationThreshold": CONTACT,
    "physics:simulationOwner": "a stage must have one physics scene",
    "physxScene:bounce*": CONTACT,
    "physxScene:friction*": CONTACT,
    "physxScene:enableCCD": CONTACT,
    "physxScene:enableStabilization": CONTACT,
    "physxScene:solveArticulationContactLast": CONTACT,
    "physxScene:maxBiasCoefficient": CONTACT,
    "physxScene:invertCollisionGroupFilter": CONTACT,
    "physxScene:*": ENGINE,
    "physxArticulation:enabledSelfCollisions": CONTACT,
    "newton:selfCollisionEnabled": CONTACT,
    "physxRigidBody:*ontact*": CONTACT,
    "physxRigidBody:maxDepenetrationVelocity": CONTACT,
    "physxRigidBody:enable*CCD": CONTACT,
    "physics:collisionEnabled": CONTACT,
    "physics:approximation": CONTACT,
    "physics:filtered*": CONTACT,
    "physics:*riction": CONTACT,
    "physics:restitution": CONTACT,
    "newton:contact*": CONTACT,
    "newton:*ingFriction": CONTACT,
    "newton:torsionalFriction": CONTACT,
    "physx*ollision*": CONTACT,
    "physxMaterial:*": CONTACT,
    "physics:tensor:*": FOREIGN,
    "physics:newton:*": FOREIGN,
    "physics:engine": FOREIGN,
    "physics:JointEquivalentInertia": FOREIGN,
    "state:*:appliedForce": FOREIGN,
    **dict.fromkeys(
        ("mjc:stiffness", "mjc:springdamper", "mjc:damping", "mjc:frictionloss", "mjc:armature", "mjc:body:gravcomp"),
        MUJOCO,
    ),
    **dict.fromkeys(("mjc:option:density", "mjc:option:viscosity", "mjc:option:wind", "mjc:coef[234]"), MUJOCO),
    "mjc:*": FOREIGN,
    "urdf:limit:*": FOREIGN,
    "urdf:safety_controller:*": FOREIGN,
    "urdf:calibration:*": FOREIGN,
}
OF_TREES = "it acts only on joints of an articulation's tree, as in PhysX"
BREAKING = "joints that break: not simulated yet"
OUTSIDE = {  # attribute name pattern: why a maximal joint does not use it
    "physxJointAxis:*": OF_TREES,
    "physxDrivePerformanceEnvelope:*": OF_TREES,
    "physxMimicJoint:*": OF_TREES,
    "newton:*": OF_TREES,
    "fajinMimic:*": OF_TREES,
    "state:*": OF_TREES,
    "physxLimit:*": "the joint does not have this axis, or the axis has no limit",
    "physics:break*": BREAKING,
}
SUMMARISED = (CONTACT, ENGINE, FOREIGN, SAME_INERTIA)  # reasons with one diagnostic for all attributes
NAMESPACES = (
    "physics:",
    "physx",
    "newton:",
    "fajin",
    "drive:",
    "limit:",
    "state:",
)  # other names with these prefixes are reported, too
NEUTRAL = {  # values without an effect: 0 in every component, or infinite
    "physics:break*": inf,
    "physxJoint:maxJointVelocity": inf,
    "physxJoint:*": 0.0,
    "physxLimit:*": 0.0,
    "physics:*elocity": 0.0,
    "physics:mass": 0.0,
    "physics:density": 0.0,
    "physics:startsAsleep": 0.0,
    "physxRigidBody:retainAccelerations": 0.0,
    **{pattern: 0.0 for pattern, reason in UNUSED.items() if reason == MUJOCO},
}
