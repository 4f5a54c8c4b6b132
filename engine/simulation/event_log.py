"""Log of events: what lasts from one update to a later one, as contacts and overlaps with triggers."""

from collections.abc import Collection

import numpy as np

from .world_indices import Worlds, world_indices

Key = tuple[int, ...]
"""World of an event, and what takes part in it."""


class EventLog:
    """Events of W worlds by key, with their begin and end [s]."""

    def __init__(self, worlds: int):
        self._worlds = worlds
        self.begin: dict[Key, float] = {}
        """Begin of the events that last [s]."""
        self._ended: list[tuple] = []

    def update(self, now: float, keys: Collection[Key]) -> None:
        """End, at time `now` [s], the events whose keys are missing; begin those of new keys."""
        for key in [key for key in self.begin if key not in keys]:
            self._ended.append((*key, self.begin.pop(key), now, False))
        for key in keys:
            self.begin.setdefault(key, now)

    def rows(self, now: float) -> list[tuple]:
        """Return (*key, begin, end, lasts) of all events; the end of an event that lasts is `now` [s]."""
        return [*self._ended, *((*key, begin, now, True) for key, begin in self.begin.items())]

    def forget(self, worlds: Worlds) -> np.ndarray:
        """Forget the events of worlds (None: all), and return the numbers of these worlds.

        Raises:
            IndexError: no such world.
        """
        chosen = world_indices(worlds, self._worlds)
        gone = np.arange(self._worlds) if chosen is None else chosen
        numbers = set(gone.tolist())
        self.begin = {key: begin for key, begin in self.begin.items() if key[0] not in numbers}
        self._ended = [event for event in self._ended if event[0] not in numbers]
        return gone
