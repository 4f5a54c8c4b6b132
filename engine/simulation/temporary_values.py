"""Values that hold for some steps only; the previous values are then restored bit by bit."""

import numpy as np

from ..device.copies_parameters import CopiesParameters
from ..device.parameters import Parameters


class TemporaryValues:
    """Temporary values of parameters: the step at which each ends, and the rows to restore."""

    def __init__(self, parameters: Parameters | CopiesParameters, worlds: int):
        self._parameters, self._worlds = parameters, worlds
        self._kept: dict[str, tuple[int, np.ndarray]] = {}  # parameter → (step, base rows)

    @property
    def names(self) -> frozenset[str]:
        """Names of the parameters that have temporary values."""
        return frozenset(self._kept)

    def base_value(self, name: str) -> np.ndarray:
        """Return the base rows of a parameter: (1, rows) shared by all worlds, or (worlds, rows)."""
        return self._kept[name][1] if name in self._kept else self._parameters[name]

    def set_until(self, name: str, until: int) -> None:
        """Make the next written values end before step `until`; ends earlier temporary values."""
        self._kept[name] = until, self.base_value(name).copy()

    def restore(self, name: str) -> None:
        """Restore the base rows of a parameter if it has temporary values."""
        if name in self._kept:
            self._parameters[name] = self._kept.pop(name)[1]

    def next(self, last: int) -> int:
        """Return the step before which temporary values end, at most `last`."""
        return min([last, *(until for until, _ in self._kept.values())])

    def expire(self, step: int) -> bool:
        """Restore the base rows of temporary values that end at `step`; return whether there were any."""
        over = [name for name, (until, _) in self._kept.items() if until <= step]
        for name in over:
            self.restore(name)
        return bool(over)

    def replace(self, name: str, rows: np.ndarray, worlds: np.ndarray) -> None:
        """Replace the base rows in some worlds; temporary values stay."""
        if name in self._kept:
            until, kept = self._kept[name]
            kept = np.broadcast_to(kept, (self._worlds, kept.shape[1])).copy()
            kept[worlds] = rows
            self._kept[name] = until, kept
