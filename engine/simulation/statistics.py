"""Statistics accumulated while worlds step: host side of `layout.STATISTICS`. The law is `physics.statistics`."""

import numpy as np

from ..device.row_layout import STATISTIC_WIDTHS, statistic_rows
from ..tables.layout import INFINITE, STATISTICS
from .simulation import Simulation


class Statistics:
    """Statistics of every step of a simulation from now on, in all worlds, until `stop`.

    Args:
        sim: the simulation.
        last: number of steps from now after which a world is no longer counted, (W,); None for no end.
    """

    def __init__(self, sim: Simulation, last: np.ndarray | None = None):
        state = self._state = sim._synced_state()
        places = statistic_rows(state.layout.counts, state.features.contacts)
        self._places = dict(zip(STATISTIC_WIDTHS, places, strict=True))
        self._buffer = state.count_statistics()
        size = places[-1].stop
        rows = np.zeros((sim.worlds, size), state.float)
        rows[:, self._rows("END_STEP")] = INFINITE if last is None else np.reshape(last, (-1, 1))
        rows[:, self._rows("TARGET")] = INFINITE  # no target is infinite: a response begins with the first step
        rows[:, self._rows("LAST_Q")] = sim.read("q")
        rows[:, self._rows("LAST_QD")] = sim.read("qd")
        self._buffer.write(rows, slice(0, size))

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one statistic of every world, (W, D), (W, A), or (W, links of the model) in a scene with contacts."""
        return self._buffer.read(self._rows(name))

    @property
    def ended(self) -> np.ndarray:
        """Number of counted steps per world, (W,): up to its last step, or its last one with finite numbers."""
        return self["STEPS"].min(1).astype(np.int64)

    def finished(self, done: int) -> bool:
        """Return whether nothing is left to count after `done` steps."""
        return bool(((self.ended < done) | (self.ended >= self["END_STEP"].min(1))).all())

    def nonfinite(self, done: int) -> np.ndarray:
        """Return indices of the worlds that became non-finite before their end, after `done` steps."""
        return np.flatnonzero(self.ended < np.minimum(self["END_STEP"].min(1), done))

    def end(self, worlds: np.ndarray) -> None:
        """Stop counting these worlds."""
        ended = np.repeat(self.ended[worlds, None], len(self._rows("END_STEP")), 1)
        self._buffer.write(ended.astype(self._state.float), self._rows("END_STEP"), worlds)

    def stop(self) -> None:
        """Stop counting and discard the statistics."""
        self._state.drop("statistics")

    def _rows(self, name: str) -> np.ndarray:
        before = dict.fromkeys(STATISTIC_WIDTHS, 0)
        for other, owner, width, _ in STATISTICS:
            if other == name:
                place = self._places[owner]
                return np.arange(place.start + before[owner], place.stop, STATISTIC_WIDTHS[owner])
            before[owner] += width
        raise KeyError(name)
