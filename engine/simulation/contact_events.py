"""Events of contacts: which pair of colliders touched from when to when, and how hard."""

import numpy as np

from .contacts import read_pair_forces
from .event_log import EventLog
from .simulation import Simulation
from .world_indices import Worlds

EVENT = np.dtype(
    [("world", "i4"), ("pair", "i4"), ("begin", "f8"), ("end", "f8"), ("peak_force", "f8"), ("lasts", "?")]
)
"""Columns of `ContactEvents.table`."""


class ContactEvents:
    """Contacts of pairs of colliders over time.

    Call `update` after every step of your loop, of one or several steps of the simulation. An event begins with the
    first update at which the pair has a contact point, and ends with the first one at which it has none.

    Args:
        simulation: simulation to read from.

    Raises:
        ValueError: the simulation has no pair of colliders.
    """

    def __init__(self, simulation: Simulation):
        if not simulation.pair:
            raise ValueError("simulation: must have a pair of colliders; apply PhysicsCollisionAPI to two shapes")
        self.simulation = simulation
        self._log = EventLog(simulation.worlds)
        self._peak: dict[tuple, float] = {}  # largest force [N] by world, pair and begin

    def update(self) -> None:
        """Read the contacts of the last step."""
        now = self.simulation.time
        (worlds, pairs), forces = read_pair_forces(self.simulation._state)
        sizes = np.linalg.norm(forces, axis=1).tolist()
        touching = dict(zip(zip(worlds.tolist(), pairs.tolist(), strict=True), sizes, strict=True))
        self._log.update(now, touching)
        for key, force in touching.items():
            event = *key, self._log.begin[key]
            self._peak[event] = max(self._peak.get(event, 0.0), force)

    @property
    def table(self) -> np.ndarray:
        """Events by begin: world, pair (its place in `Simulation.pair`), begin and end [s], peak force [N], lasts.

        An event that `lasts` has not ended; its end is the present time.
        """
        rows = self._log.rows(self.simulation.time)
        found = [(*event, end, self._peak[tuple(event)], lasts) for *event, end, lasts in rows]
        return np.sort(np.array(found, EVENT), order=("begin", "world", "pair"))

    def reset(self, worlds: Worlds = None) -> None:
        """Forget the events of these worlds (None: all); call it after `Simulation.reset` or `load`.

        Raises:
            IndexError: no such world.
        """
        gone = self._log.forget(worlds)
        self._peak = {event: force for event, force in self._peak.items() if event[0] not in gone}
