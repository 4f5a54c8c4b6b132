"""`Simulation`, the main object of a user: named fields, stepping, recording, snapshots."""

from .simulation import Simulation

__all__ = ["Simulation"]
