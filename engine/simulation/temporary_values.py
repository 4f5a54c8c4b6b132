"""Values that hold for some steps only: then what was there before comes back, bit by bit."""

import numpy as np

from ..device.parameters import Parameters


class TemporaryValues:
    """What of the parameters passes: until which step, and what comes back then."""

    def __init__(self, parameters: Parameters, worlds: int):
        self._parameters, self._worlds = parameters, worlds
        self._kept: dict[str, tuple[int, np.ndarray]] = {}  # parameter → (step, its rows that last)

    def base_value(self, name: str) -> np.ndarray:
        """Rows of a parameter without what passes: (1, rows) shared by all worlds, or (worlds, rows)."""
        return self._kept[name][1] if name in self._kept else self._parameters[name]

    def set_until(self, name: str, until: int) -> None:
        """What is set now passes at the end of the step before `until`; it ends what was passing."""
        self._kept[name] = until, self.base_value(name).copy()

    def restore(self, name: str) -> None:
        """Bring back what lasts, if anything passes."""
        if name in self._kept:
            self._parameters[name] = self._kept.pop(name)[1]

    def next(self, last: int) -> int:
        """The step before which something passes, at most `last`."""
        return min([last, *(until for until, _ in self._kept.values())])

    def expire(self, step: int) -> bool:
        """Bring back what lasts before a step, where something passed until then; returns whether anything did."""
        over = [name for name, (until, _) in self._kept.items() if until <= step]
        for name in over:
            self.restore(name)
        return bool(over)

    def replace(self, name: str, rows: np.ndarray, worlds: np.ndarray) -> None:
        """Have other rows last in some worlds; what passes there passes on."""
        if name in self._kept:
            until, kept = self._kept[name]
            kept = np.broadcast_to(kept, (self._worlds, kept.shape[1])).copy()
            kept[worlds] = rows
            self._kept[name] = until, kept
