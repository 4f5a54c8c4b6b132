"""Rules for attributes that are not used: namespaces, neutral values, and what joints outside the trees do not use.

The table of dispositions has the reason of each name.
"""

from math import inf

from ..attributes.body import SAME_INERTIA
from ..attributes.contact import NO_CONTACT
from ..dispositions import FOREIGN, MUJOCO
from ..dispositions.other_tools import PATTERNS

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
}
SUMMARISED = (  # codes with one diagnostic for all attributes
    *(NO_CONTACT, "engine-internal", FOREIGN, SAME_INERTIA),
    *("no-effect-here", "not-read", "output-only", "newton-only"),
)
NAMESPACES = (
    "physics:",
    "physx",
    "newton:",
    "fajin",
    "drive:",
    "limit:",
    "state:",
    "omniphysics:",
    "deformablePose:",
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
    **{pattern: 0.0 for pattern, code in PATTERNS.items() if code == MUJOCO},
}
