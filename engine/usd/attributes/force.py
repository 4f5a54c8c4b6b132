"""Attributes of forces on bodies; `body_forces` takes mass and inertia out of the units of accelerations."""

from .attribute import Attribute
from .units import EFFORT, FORCE

FORCES = (
    Attribute("physxForce:forceEnabled", "enabled", True),
    Attribute("physxForce:mode", "acceleration", True, tokens={"force": False, "acceleration": True}),
    Attribute("physxForce:worldFrameEnabled", "world", False),
    Attribute("physxForce:force", "force", (0.0, 0.0, 0.0), FORCE),
    Attribute("physxForce:torque", "torque", (0.0, 0.0, 0.0), EFFORT),
)
