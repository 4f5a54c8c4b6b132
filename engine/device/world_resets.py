"""Resets of single worlds by one launch: rows of all buffers, of the start, given or drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..tables.resets import RESET_BUFFERS
from .buffer import NativeArray, as_input
from .compiled_kernel import launch
from .start_device import one_by_one

if TYPE_CHECKING:
    from .state import State


ARRAYS = {name if name != "state" else "states": name for name in RESET_BUFFERS}
"""Arguments of the kernel, and their arrays."""


class Span(NamedTuple):
    """Rows side by side in a buffer, and their numbers."""

    buffer: str  # of `RESET_BUFFERS`
    first: int  # place in the array of the first row of the first tile
    stride: int  # places of a tile
    numbers: np.ndarray  # (R,)


class ResetRows(NamedTuple):
    """Rows that a reset writes, as `physics.reset.reset_kernel` reads them."""

    spans: np.ndarray  # (S, 5); the first one is of the state
    start: np.ndarray  # (R,)
    words: np.ndarray  # (N, 3)
    bounds: np.ndarray  # (N, 3)
    root_words: np.ndarray  # (A, 3)
    roots: np.ndarray  # (26 A,)


def join_spans(spans: Sequence[Span], rows: int, number: type[np.floating]) -> tuple[np.ndarray, np.ndarray]:
    """Return words and numbers of spans; those that follow each other become one.

    Args:
        spans: spans in the order of their places.
        rows: rows of a tile of the state.
        number: precision of the numbers.
    """
    words: list[list[int]] = [[0, 0, rows, 0, 0]]  # which names the rows of the state, too
    count = 0
    for span in spans:
        buffer, last = RESET_BUFFERS.index(span.buffer), words[-1]
        if last[0] == buffer and last[2] == span.stride and last[1] + last[3] == span.first:
            last[3] += len(span.numbers)
        else:
            words.append([buffer, span.first, span.stride, len(span.numbers), count])
        count += len(span.numbers)
    numbers = np.concatenate([span.numbers for span in spans]) if spans else np.zeros(0)
    return np.array(words, np.int32), numbers.astype(number)


class WorldResets:
    """Launches of resets.

    Args:
        state: worlds of a simulation on the device.
    """

    def __init__(self, state: "State"):
        self._state, self._device = state, one_by_one(state.device)
        self._flat: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # arrays, and views of them
        tile, last = state.device.tile, state.worlds - 1
        self._last, self._idle = last, tile - 1 - last % tile  # lanes behind the last world
        self._worlds, self._lanes = np.zeros(state.worlds, np.int32), np.ones(state.worlds, np.int32)
        self._inputs = as_input(self._worlds), as_input(self._lanes)  # arrays that stay need no new address

    def write(self, rows: ResetRows, numbers: np.ndarray, worlds: np.ndarray) -> None:
        """Write rows of worlds; numbers are those given and drawn, (worlds, K)."""
        device, count = self._state.device, len(worlds)
        self._worlds[:count] = worlds
        if self._idle:
            self._lanes[:count] = np.where(worlds == self._last, 1 + self._idle, 1)
        launch(
            self._device, "reset", "reset_kernel",
            **{name: self._array(row) for name, row in ARRAYS.items()}, **rows._asdict(),
            numbers=as_input(numbers), worlds=self._inputs[0], lanes=self._inputs[1], tile=device.tile, tasks=count,
            workers=min(count, device.workers) if device.packed else count,
        )  # fmt: skip

    def _array(self, name: str) -> NativeArray:
        """Return an array, of a CPU without an axis of lanes; that of the results where there is none."""
        arrays = self._state.arrays((name, "results"))
        array = arrays.get(name, arrays["results"])
        if not isinstance(array, np.ndarray) or array.ndim == 1:
            return array
        known = self._flat.get(name)
        if known is None or known[0] is not array:
            known = self._flat[name] = array, array.reshape(-1)
        return known[1]
