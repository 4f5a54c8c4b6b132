"""Rows of the attribute table for tendons; "{axis}" in a name stands for the tendon."""

from math import inf

from .attribute import Attribute
from .units import LENGTH, ONE, PER_LENGTH, PER_SPEED, Unit

NO_TENDON = "tendon-not-used"
TENDON = tuple(  # the roots of fixed and of spatial tendons; {axis} stands for the tendon
    Attribute(f"physxTendon:{{axis}}:{name}", field, default, unit, rule=rule, unused=NO_TENDON)
    for name, field, default, unit, rule in (
        ("tendonEnabled", "enabled", True, ONE, "finite"),
        ("stiffness", "stiffness", 0.0, PER_LENGTH, "magnitude"),
        ("damping", "damping", 0.0, PER_SPEED, "magnitude"),
        ("limitStiffness", "limit_stiffness", 0.0, PER_LENGTH, "magnitude"),
        ("offset", "offset", 0.0, LENGTH, "finite"),
    )
)
LENGTHS = tuple(  # the roots of fixed tendons, the leaves of spatial tendons
    Attribute(f"physxTendon:{{axis}}:{name}", field, default, LENGTH, rule="any", unused=NO_TENDON)
    for name, field, default in (
        ("restLength", "rest_length", -inf),
        ("lowerLimit", "lower", -inf),
        ("upperLimit", "upper", inf),
    )
)
TENDON_AXIS = (  # arrays; PhysX reads the first number; default [1] in the file's units
    Attribute("physxTendon:{axis}:gearing", "gearing", (), Unit(0, 1, -1), ONE, "number", unused=NO_TENDON),
    Attribute("physxTendon:{axis}:forceCoefficient", "force_coefficient", (), rule="number", unused=NO_TENDON),
)
ATTACHMENT = (
    Attribute("physxTendon:{axis}:localPos", "position", (0.0, 0.0, 0.0), LENGTH, unused=NO_TENDON),
    Attribute("physxTendon:{axis}:gearing", "gearing", 1.0, unused=NO_TENDON),
)
