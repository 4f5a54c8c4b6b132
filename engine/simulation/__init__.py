"""`Simulation`, the one object a user holds, and what it does: named quantities, stepping, recording, snapshots."""

from .simulation import Simulation

__all__ = ["Simulation"]
