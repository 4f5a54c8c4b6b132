"""States that no user can set: what an explosion leaves behind."""

from typing import Any

import numpy as np

import fajin


def break_state(sim: fajin.Simulation, name: str, key: Any, value: float = np.nan) -> None:
    """Put a number that is not finite into a field, as a step does that fails."""
    values = np.array(getattr(sim, name))
    values[key] = value
    sim._fields.write_known(name, values)
