"""Attributes of surface velocities."""

from .attribute import Attribute
from .units import SPEED, TURN_RATE

SURFACE = (
    Attribute("physxSurfaceVelocity:surfaceVelocityEnabled", "enabled", True),
    Attribute("physxSurfaceVelocity:surfaceVelocityLocalSpace", "local", True),
    Attribute("physxSurfaceVelocity:surfaceVelocity", "linear", (0.0, 0.0, 0.0), SPEED),
    Attribute("physxSurfaceVelocity:surfaceAngularVelocity", "angular", (0.0, 0.0, 0.0), TURN_RATE),
)
