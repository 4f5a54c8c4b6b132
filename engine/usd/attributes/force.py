"""Attributes of forces on bodies; the unit of force and torque depends on the mode."""

from .attribute import Attribute
from .units import ACCELERATION, EFFORT, FORCE, Unit

FORCES = (
    Attribute("physxForce:forceEnabled", "enabled", True),
    Attribute("physxForce:mode", "acceleration", True, tokens={"force": False, "acceleration": True}),
    Attribute("physxForce:worldFrameEnabled", "world", False),
    Attribute("physxForce:force", "force", (0.0, 0.0, 0.0), FORCE),
    Attribute("physxForce:torque", "torque", (0.0, 0.0, 0.0), EFFORT),
)

ACCELERATIONS = (
    Attribute("physxForce:force", "force", (0.0, 0.0, 0.0), ACCELERATION),
    Attribute("physxForce:torque", "torque", (0.0, 0.0, 0.0), Unit(time=-2)),
)
