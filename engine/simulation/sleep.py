"""Sleeping of articulations: queries, waking and putting to sleep."""

import numpy as np

from ..device.copies_state import AnyState
from ..tables.topology import ARTICULATION
from .columns import Columns
from .world_indices import Worlds, world_indices


class Sleep:
    """Sleeping articulations of a simulation, per world.

    An articulation at rest for a while falls asleep: its velocities become zero and its pose stays, at almost no cost.
    It wakes when any of its values is set, together with all articulations that maximal joints tie to it.
    """

    def __init__(self, state: AnyState, columns: Columns):
        self._state, self._columns = state, columns

    @property
    def asleep(self) -> np.ndarray:
        """Sleep flags of the articulations, (W, A) booleans in the order of `articulation`."""
        rows = self._state.layout.places["ASLEEP"][1]
        asleep = self._state.buffer("sleep").read(rows) == 1.0
        joined = self._state.model.tables["ARTICULATIONS"][:, ARTICULATION["JOINED"]]
        for first in np.flatnonzero(np.bincount(joined) > 1):
            members = np.flatnonzero(joined == first)
            asleep[:, members] = asleep[:, members].all(1, keepdims=True)
        return asleep

    def disturb(self, of: str, worlds: np.ndarray | None, columns: np.ndarray | None) -> None:
        """Wake the articulations of columns (None: all) of kind `Field.of` in these worlds; call after a write."""
        if of in ("maximal_dof", "axis", "pair_kind"):  # maximal joints and contacts may tie any; gravity acts on all
            columns = None
        if columns is not None:
            columns = np.unique(self._columns.owners[of][columns])
        self._state.wake(worlds, columns)

    def wake(self, worlds: Worlds) -> None:
        """Wake all articulations of these worlds; see `Simulation.wake`."""
        self._state.wake(world_indices(worlds, self._state.worlds))

    def put_to_sleep(self, worlds: Worlds) -> None:
        """Put all articulations of these worlds to sleep; see `Simulation.sleep`."""
        state, chosen = self._state, world_indices(worlds, self._state.worlds)
        state.sync_poses()
        if not state.sleeps:
            raise ValueError("sleep: no articulation can fall asleep here; set a sleep_threshold above 0")
        count = state.worlds if chosen is None else len(chosen)
        for name, number in (
            ("QD", 0.0),
            ("ROOT_VELOCITY", 0.0),
            ("WAKE_COUNTER", 0.0),
            ("VELOCITY_SUM", 0.0),
            ("ASLEEP", 1.0),
        ):
            buffer, rows = state.layout.places[name]
            width = rows.stop - rows.start
            state.buffer(buffer).write(np.full((count, width), number, state.float), rows, chosen)
        state.mark_state_changed()
