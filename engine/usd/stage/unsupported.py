"""Attributes that are not used, with the code of the reason; the complement of the attribute table.

The first matching pattern applies. A name that matches neither the table nor a pattern is reported as unknown.
"""

from math import inf

from ..attributes.body import SAME_INERTIA
from ..attributes.contact import NO_CONTACT
from ..attributes.joint import HARD
from ..attributes.mimic import NO_MIMIC

RETIRED, CONTACT, ENGINE, FOREIGN = "retired-name", NO_CONTACT, "engine-internal", "other-tool"
MUJOCO = "mujoco-only"
UNUSED = {  # attribute name pattern: code of the reason why it is not used
    "physxJoint:armature": RETIRED,
    "physxJoint:maxJointVelocity": RETIRED,
    "physxJoint:jointFriction": RETIRED,
    "newton:limit*": HARD,
    "physxDrivePerformanceEnvelope:*": "envelope-without-drive",
    "physxMimicJoint:*:referenceJoint": NO_MIMIC,
    "newton:mimicJoint": NO_MIMIC,
    "fajinMimic:*:references": NO_MIMIC,
    "physics:breakForce": "joint-does-not-break",
    "physics:breakTorque": "joint-does-not-break",
    "physxRigidBody:retainAccelerations": "retained-accelerations",
    "physxForce:*": "user-forces",
    "newton:maxSolverIterations": "articulation-iterations",
    "newton:jointsAddMobility": "joints-add-up",
    "*:stabilizationThreshold": CONTACT,
    "physxTrigger:*": "trigger-events",
    "physics:simulationOwner": "physics-scene-owner",
    "physxScene:bounceThreshold*": CONTACT,
    "physxScene:friction*": CONTACT,
    "physxScene:enableCCD": CONTACT,
    "physxScene:enableStabilization": CONTACT,
    "physxScene:solveArticulationContactLast": CONTACT,
    "physxScene:maxBiasCoefficient": CONTACT,
    "physxScene:*": ENGINE,
    "physxArticulation:enabledSelfCollision*": CONTACT,
    "newton:selfCollision*": CONTACT,
    "physxRigidBody:*ontact*": CONTACT,
    "physxRigidBody:maxDepenetration*": CONTACT,
    "physxRigidBody:enable*CCD": CONTACT,
    "physics:collision*": CONTACT,
    "physics:approx*": CONTACT,
    "physics:filtered*": CONTACT,
    "physics:invertFilteredGroups": CONTACT,
    "physics:mergeGroup": CONTACT,
    "physics:*riction": CONTACT,
    "physics:restitution*": CONTACT,
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
RELATED = {  # attribute name pattern: the schema or attribute that its reason names
    "physxJoint:armature": "physxJointAxis:<axis>:armature",
    "physxJoint:maxJointVelocity": "physxJointAxis:<axis>:maxJointVelocity",
    "physxJoint:jointFriction": "physxJointAxis:<axis>:staticFrictionEffort",
    "physxMimicJoint:*": "PhysxMimicJointAPI:<axis>",
    "newton:mimic*": "NewtonMimicAPI",
    "fajinMimic:*": "FajinMimicAPI:<axis>",
}
OF_TREES = "of-trees"
OUTSIDE = {  # attribute name pattern: code of the reason why a maximal joint does not use it
    "physxJointAxis:*": OF_TREES,
    "physxDrivePerformanceEnvelope:*": OF_TREES,
    "physxMimicJoint:*": OF_TREES,
    "newton:*": OF_TREES,
    "fajinMimic:*": OF_TREES,
    "state:*": OF_TREES,
    "physxLimit:*": "limit-not-there",
    "physics:break*": "joint-breaks",
}
SUMMARISED = (CONTACT, ENGINE, FOREIGN, SAME_INERTIA)  # codes with one diagnostic for all attributes
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
    **{pattern: 0.0 for pattern, code in UNUSED.items() if code == MUJOCO},
}
