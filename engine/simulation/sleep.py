"""Sleeping of articulations: queries, waking and putting to sleep."""

from functools import cached_property

import numpy as np

from ..tables.topology import TABLES


class Sleep:
    """Sleeping articulations of a simulation, per world.

    An articulation at rest for a while falls asleep: its velocities become zero and its pose stays, at almost no cost.
    It wakes when any of its values is set, together with all articulations that maximal joints tie to it.
    """

    @property
    def sleeping(self) -> bool:
        """Whether any articulation can fall asleep."""
        return self._state.sleeps

    @property
    def asleep(self) -> np.ndarray:
        """Sleep flags of the articulations, (W, A) booleans in the order of `articulation`."""
        rows = self._state.places["ASLEEP"][1]
        asleep = self._state.buffer("rest").read(rows) == 1.0
        tables = self._state.model.tables
        for first, end in tables["ISLANDS"][:, [TABLES["ISLANDS"]["MEMBER"], TABLES["ISLANDS"]["MEMBER_END"]]]:
            members = tables["MEMBERS"][first:end, 0]
            asleep[:, members] = asleep[:, members].all(1, keepdims=True)
        return asleep

    def disturb(self, of: str, worlds: np.ndarray | None, columns: np.ndarray | None) -> None:
        """Wake the articulations of columns (None: all) of kind `Field.of` in these worlds; call after a write."""
        if of in ("maximal_dof", "axis"):  # maximal joints may tie any; gravity acts on all
            columns = None
        if columns is not None:
            columns = np.unique(self._owners[of][columns])
        self._state.wake(worlds, columns)

    @cached_property
    def _owners(self) -> dict[str, np.ndarray]:
        """Articulation of every column, by kind of column."""
        model = self._state.model
        links = model.owners("link")[self._links]
        return {"dof": model.owners("dof"), "link": links, "articulation": np.arange(len(self.articulation))}

    def wake(self, worlds=None) -> None:
        """Wake all articulations of these worlds (None: all) for at least 0.4 s.

        Raises:
            IndexError: no such world.
        """
        self._state.wake(self.chosen(worlds))

    def sleep(self, worlds=None) -> None:
        """Put all articulations of these worlds (None: all) to sleep with zero velocities.

        Raises:
            IndexError: no such world.
            ValueError: no articulation can fall asleep.
        """
        chosen, state = self.chosen(worlds), self._synced_state()
        if not state.sleeps:
            raise ValueError("sleep: no articulation can fall asleep here; set a sleep_threshold above 0")
        count = self.worlds if chosen is None else len(chosen)
        for name, number in (
            ("QD", 0.0),
            ("ROOT_VELOCITY", 0.0),
            ("WAKE_COUNTER", 0.0),
            ("VELOCITY_SUM", 0.0),
            ("ASLEEP", 1.0),
        ):
            buffer, rows = state.places[name]
            width = rows.stop - rows.start
            state.buffer(buffer).write(np.full((count, width), number, state.float), rows, chosen)
        state.mark_state_changed()
