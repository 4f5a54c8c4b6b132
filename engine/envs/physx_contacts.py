"""Contacts that PhysX reports, in the place of those that steps of a simulation add up for read-outs."""

import numpy as np

from ..simulation.readout import Readout

TIMES = ("current_air_time", "last_air_time", "current_contact_time", "last_contact_time")
"""Quantities of a read-out that go on from step to step."""


class ReportedContacts:
    """Forces and times of colliders, by the law of `physics.monitors`, from the net forces of every step.

    Args:
        readout: read-out of the simulation that takes them over.
        columns: columns of the colliders in it, (C,).
    """

    def __init__(self, readout: Readout, columns: np.ndarray):
        self._readout, self._columns = readout, columns
        shape = readout.simulation.worlds, len(columns)
        self._times = tuple(np.zeros(shape, np.float32) for _ in TIMES)

    def add(self, forces: np.ndarray, h: float) -> None:
        """Take over the net forces of the steps of a call of `step`, (steps, W, C, 3) [N], steps of h [s]."""
        air, last_air, contact, last_contact = self._times
        sizes = np.linalg.norm(forces, axis=-1)
        for size in sizes:
            touches, air, contact = size > self._readout.force_threshold, air + h, contact + h
            last_air = np.where(touches & (air > h), air, last_air)
            last_contact = np.where(~touches & (contact > h), contact, last_contact)
            air, contact = np.where(touches, 0.0, air), np.where(touches, contact, 0.0)
        self._times = air, last_air, contact, last_contact
        found = dict(zip(TIMES, self._times, strict=True))
        found |= {"net_force": forces[-1].reshape(len(air), -1), "peak_force": sizes.max(0)}
        for name, values in found.items():
            self._readout.write_monitored(name, self._columns, values)
