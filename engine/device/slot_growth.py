"""Growth of the slots that pairs of colliders share: a launch in which pairs found no slot is undone, and repeated.

So no contact is lost, and a world moves as if it had had that many slots from the start. What a world keeps of its
pairs lies in the first slots of each island, before and after.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..tables.contacts import CONTACT_STATE
from ..tables.layout import STEP_RESULTS
from .buffer import Buffer, NativeArray
from .contact_slots import ContactSlots
from .parameters import Parameters
from .row_layout import RowLayout
from .schedule import DeviceSchedule

KEPT = ("state", "results", "sleep", "contacts", "statistics", "monitors")
"""Arrays that a launch changes and the next one reads; schedules change parameters, too."""

MOST_DOUBLINGS = 24
"""Doublings after which any island has a slot for each of its pairs."""

OWNERS = "WwfFHYZB"
"""Letters of the owners of rows of which every slot has as many."""


class GrowingState(Protocol):
    """The arrays of a model whose slots grow; `State` has them."""

    model: Model
    worlds: int
    device: Device
    slots: ContactSlots
    layout: RowLayout
    parameters: Parameters
    schedules: tuple[DeviceSchedule, ...]

    def arrays(self, names: Iterable[str]) -> dict[str, NativeArray]: ...
    def buffer(self, name: str) -> Buffer: ...
    def drop(self, name: str) -> None: ...
    def lay_out(self, slots: ContactSlots) -> None: ...
    def layout_of(self, slots: ContactSlots) -> RowLayout: ...


class SlotGrowth:
    """Launches of a state, each with enough slots.

    Args:
        state: the state whose slots grow.
    """

    def __init__(self, state: GrowingState):
        self._state = state
        self._before: dict[str, NativeArray] = {}  # kept, since memory is mapped page by page

    def launch(self, run: Callable[[], None]) -> None:
        """Run a launch; as long as pairs found no slot, undo it and run it with twice as many.

        Raises:
            KeyboardInterrupt: at the end of a launch, as `run` raises it.
        """
        state = self._state
        names = (*KEPT, "parameters") if state.schedules else KEPT
        while True:
            arrays = state.arrays(names)
            before = {name: self._copy(name, array) for name, array in arrays.items()}
            interrupted = None
            try:
                run()
            except KeyboardInterrupt as error:  # which a launch raises at its end
                interrupted = error
            if not self._has_lost_pairs():
                break
            for name, numbers in before.items():
                np.copyto(arrays[name], numbers)
            self._grow(state.slots.doublings + 1)
        if interrupted is not None:
            raise interrupted

    def _copy(self, name: str, array: NativeArray) -> NativeArray:
        """Return a copy of an array, in the memory of the last one."""
        kept = self._before.get(name)
        if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
            kept = self._before[name] = array.copy()
        else:
            np.copyto(kept, array)
        return kept

    def rows_of_snapshot(self, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return rows of a snapshot with as many slots as the state, which grows if the snapshot has more.

        Rows whose number of slots follows from no doubling stay as they are.
        """
        state = self._state
        count, doublings = rows["PAIR_POINTS"].shape[1] if "PAIR_POINTS" in rows else 0, 0
        if not state.slots.grow or count == state.slots.owned["W"]:
            return rows
        old = self._slots(0)
        while old.owned["W"] < count and doublings < MOST_DOUBLINGS:
            doublings += 1
            old = self._slots(doublings)
        if old.owned["W"] != count:
            return rows
        if doublings > state.slots.doublings:
            self._grow(doublings)
        return wider_rows(rows, old, state.slots, (state.layout_of(old), state.layout))

    def _slots(self, doublings: int) -> ContactSlots:
        state = self._state
        return ContactSlots(state.model, state.worlds, state.device, doublings=doublings)

    def _has_lost_pairs(self) -> bool:
        """Return whether pairs found no slot in a step of the last launch."""
        state = self._state
        return bool(state.buffer("contacts").memory[:, state.layout.places["LOST_PAIRS"][1]].any())

    def _grow(self, doublings: int) -> None:
        """Give islands the slots of so many doublings, at least as many as they have; what they keep is the same."""
        state = self._state
        kept = {name: state.buffer(name).raw for name in ("results", "contacts")}
        slots, layout = state.slots, state.layout
        state.lay_out(self._slots(doublings))
        for name in ("scratch", *kept):
            state.drop(name)
        for name, (buffer, rows) in layout.places.items():
            if buffer in kept:
                moved = moved_rows(name, slots, state.slots, (layout, state.layout))
                state.buffer(buffer).memory[:, moved] = kept[buffer].memory[:, rows]
        state.parameters.mark_topology_changed()
        state.parameters.upload()


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
