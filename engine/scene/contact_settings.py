"""Settings of a scene that hold for all its contacts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ContactSettings:
    """Thresholds of restitution and friction."""

    bounce_threshold: float = 1e-6  # [m/s] approach speed below which a contact does not bounce
    friction_offset_threshold: float = 0.04  # [m] distance below which a point gets friction
    friction_correlation_distance: float = 0.025  # [m] distance below which a friction anchor stays valid


CONTACT_SETTINGS = ContactSettings()
"""PhysX's defaults."""
