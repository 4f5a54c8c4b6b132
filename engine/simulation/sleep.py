"""What of a simulation sleeps: who asks, who wakes it, who puts it to sleep."""

from functools import cached_property

import numpy as np

from ..tables.topology import TABLES


class Sleep:
    """Sleeping articulations of a simulation, by world.

    An articulation that hardly moved for a while falls asleep: its velocities become zero and its pose stays, at next
    to no cost. It wakes when anything of it is set, and with those that joints outside the trees tie to it.
    """

    @property
    def sleeping(self) -> bool:
        """Whether anything here can fall asleep."""
        return self._state.sleeps

    @property
    def asleep(self) -> np.ndarray:
        """Which articulations are asleep, (W, A) booleans in the order of `articulation`."""
        rows = self._state.places["ASLEEP"][1]
        asleep = self._state.buffer("rest").read(rows) == 1.0
        tables = self._state.model.tables
        for first, end in tables["ISLANDS"][:, [TABLES["ISLANDS"]["MEMBER"], TABLES["ISLANDS"]["MEMBER_END"]]]:
            members = tables["MEMBERS"][first:end, 0]
            asleep[:, members] = asleep[:, members].all(1, keepdims=True)
        return asleep

    def disturb(self, of: str, worlds: np.ndarray | None, columns: np.ndarray | None) -> None:
        """Something of these columns (None: all), of what `Quantity.of` says, was set in these worlds."""
        if of in ("maximal_dof", "axis"):  # it may hold any of them, and gravity pulls all
            columns = None
        if columns is not None:
            columns = np.unique(self._owners[of][columns])
        self._state.wake(worlds, columns)

    @cached_property
    def _owners(self) -> dict[str, np.ndarray]:
        """Articulation of every column, by what the columns are."""
        model = self._state.model
        links = model.owners("link")[self._links]
        return {"dof": model.owners("dof"), "link": links, "articulation": np.arange(len(self.articulation))}

    def wake(self, worlds=None) -> None:
        """Wake all articulations of these worlds, None for all: they stay awake for 0.4 s at least.

        Raises:
            IndexError: no such world.
        """
        self._state.wake(self.chosen(worlds))

    def sleep(self, worlds=None) -> None:
        """Put all articulations of these worlds to sleep, None for all: their velocities are zero from here on.

        Raises:
            IndexError: no such world.
            ValueError: nothing can fall asleep here.
        """
        chosen, state = self.chosen(worlds), self._synced_state()
        if not state.sleeps:
            raise ValueError("sleep: nothing may fall asleep here; give an articulation a sleep_threshold")
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
