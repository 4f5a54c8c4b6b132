"""Attributes of mimic joints."""

from .attribute import Attribute
from .units import ANGLE, LENGTH, RATE

AXES = {token: token for token in ("rotX", "rotY", "rotZ", "transX", "transY", "transZ")}
MIMIC = (  # a gearing's unit is that of its own axis per that of the reference
    Attribute("physxMimicJoint:{axis}:gearing", "gearing", 1.0),
    Attribute("physxMimicJoint:{axis}:offset", "offset", 0.0, ANGLE, LENGTH),
    Attribute("physxMimicJoint:{axis}:naturalFrequency", "natural_frequency", 0.0, RATE),
    Attribute("physxMimicJoint:{axis}:dampingRatio", "damping_ratio", 0.0),
    Attribute("physxMimicJoint:{axis}:referenceJointAxis", "reference_axis", "rotX", tokens=AXES),
)

MIMIC_OF_MANY = (  # fajin's own schema: q + Σ gearing q_reference + offset = 0, over all its references
    Attribute("fajinMimic:{axis}:gearings", "gearings", (), rule="all nonzero"),
    Attribute("fajinMimic:{axis}:axes", "axes", (), tokens=AXES),
    Attribute("fajinMimic:{axis}:offset", "offset", 0.0, ANGLE, LENGTH),
    Attribute("fajinMimic:{axis}:naturalFrequency", "natural_frequency", 0.0, RATE),
    Attribute("fajinMimic:{axis}:dampingRatio", "damping_ratio", 0.0),
)

NO_MIMIC = "mimic-not-applied"
NEWTON_MIMIC = (  # q = coef0 + coef1 q_reference
    Attribute("newton:mimicCoef1", "coef1", 1.0, unused=NO_MIMIC),
    Attribute("newton:mimicCoef0", "coef0", 0.0, ANGLE, LENGTH, unused=NO_MIMIC),
    Attribute("newton:mimicEnabled", "enabled", True, unused=NO_MIMIC),
)
