"""Growth of the slots that pairs of colliders share: a launch in which pairs found no slot is undone, and repeated.

So no contact is lost, and a world moves as if it had had that many slots from the start. What a world keeps of its
pairs lies in the first slots of each island, before and after.
"""

from collections.abc import Callable, Mapping

import numpy as np

from ..tables.contacts import CONTACT_STATE
from ..tables.layout import STEP_RESULTS
from .contact_slots import ContactSlots
from .row_layout import RowLayout

KEPT = ("state", "results", "sleep", "contacts", "statistics", "monitors")
"""Arrays that a launch changes and the next one reads."""

MOST_DOUBLINGS = 24
"""Doublings after which any island has a slot for each of its pairs."""

OWNERS = "WwfFHYZB"
"""Letters of the owners of rows of which every slot has as many."""


class SlotGrowth:
    """Launches of a state, each with enough slots.

    Args:
        arrays: the arrays of the state by name.
        has_lost: returns whether pairs found no slot in the last launch.
        grow: doubles the slots.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], has_lost: Callable[[], bool], grow: Callable[[], None]):
        self._arrays, self._has_lost, self._grow = arrays, has_lost, grow

    def launch(self, run: Callable[[], None]) -> None:
        """Run a launch; as long as pairs found no slot, undo it and run it with twice as many.

        Raises:
            KeyboardInterrupt: at the end of a launch, as `run` raises it.
        """
        while True:
            kept = {name: self._arrays[name].copy() for name in KEPT if name in self._arrays}
            interrupted = None
            try:
                run()
            except KeyboardInterrupt as error:  # which a launch raises at its end
                interrupted = error
            if not self._has_lost():
                break
            for name, numbers in kept.items():
                np.copyto(self._arrays[name], numbers)
            self._grow()
        if interrupted is not None:
            raise interrupted


def moved_rows(name: str, old: ContactSlots, new: ContactSlots, layouts: tuple[RowLayout, RowLayout]) -> np.ndarray:
    """Return the rows of a larger room in a buffer, for every row of the quantity `name` in the smaller one.

    Args:
        name: a row of `CONTACT_STATE` or `STEP_RESULTS`.
        old: slots before.
        new: slots after, at least as many of each island.
        layouts: rows before and after.
    """
    before, after = (layout.places[name][1] for layout in layouts)
    count = before.stop - before.start
    if OWNER[name] not in OWNERS or not old.owned["W"]:
        return after.start + np.arange(count)
    width = count // old.owned["W"]  # of a slot
    starts, ends = old.first[:-1], old.first[1:]
    shifts = np.repeat(new.first[:-1] - starts, ends - starts)
    return after.start + (shifts[:, None] * width + np.arange(count).reshape(-1, width)).ravel()


def wider_rows(
    rows: Mapping[str, np.ndarray], old: ContactSlots, new: ContactSlots, layouts: tuple[RowLayout, RowLayout]
) -> dict[str, np.ndarray]:
    """Return rows of worlds by name, (worlds, n), of which those of slots have the places of a larger room."""
    found = dict(rows)
    for name in (name for name in rows if OWNER.get(name, "none") in OWNERS):
        place = layouts[1].places[name][1]
        found[name] = np.zeros((len(rows[name]), place.stop - place.start), rows[name].dtype)
        found[name][:, moved_rows(name, old, new, layouts) - place.start] = rows[name]
    return found


OWNER = {name: owner for name, owner, *_ in (*STEP_RESULTS, *CONTACT_STATE)}
"""Letters of owners by the names of their rows."""
