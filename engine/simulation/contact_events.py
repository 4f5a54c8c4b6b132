"""Events of contacts: which pair of colliders touched from when to when, and how hard."""

import numpy as np

from .contacts import read_pair_forces
from .simulation import Simulation
from .world_indices import Worlds, world_indices

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
        self._begin: dict[tuple[int, int], float] = {}
        self._peak: dict[tuple[int, int], float] = {}
        self._ended: list[tuple] = []

    def update(self) -> None:
        """Read the contacts of the last step."""
        now = self.simulation.time
        (worlds, pairs), forces = read_pair_forces(self.simulation._state)
        sizes = np.linalg.norm(forces, axis=1).tolist()
        touching = dict(zip(zip(worlds.tolist(), pairs.tolist(), strict=True), sizes, strict=True))
        for key in [key for key in self._begin if key not in touching]:
            self._ended.append((*key, self._begin.pop(key), now, self._peak.pop(key), False))
        for key, force in touching.items():
            self._begin.setdefault(key, now)
            self._peak[key] = max(self._peak.get(key, 0.0), force)

    @property
    def table(self) -> np.ndarray:
        """Events by begin: world, pair (its place in `Simulation.pair`), begin and end [s], peak force [N], lasts.

        An event that `lasts` has not ended; its end is the present time.
        """
        now = self.simulation.time
        open_ones = [(*key, begin, now, self._peak[key], True) for key, begin in self._begin.items()]
        found = np.array([*self._ended, *open_ones], EVENT)
        return np.sort(found, order=("begin", "world", "pair"))

    def reset(self, worlds: Worlds = None) -> None:
        """Forget the events of these worlds (None: all); call it after `Simulation.reset` or `load`.

        Raises:
            IndexError: no such world.
        """
        chosen = world_indices(worlds, self.simulation.worlds)
        gone = set(range(self.simulation.worlds) if chosen is None else chosen.tolist())
        self._begin = {key: value for key, value in self._begin.items() if key[0] not in gone}
        self._peak = {key: value for key, value in self._peak.items() if key[0] not in gone}
        self._ended = [event for event in self._ended if event[0] not in gone]
