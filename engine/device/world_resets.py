"""Resets of single worlds by one launch: rows of all buffers, of the start, given or drawn."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..tables.resets import RESET_BUFFERS
from .buffer import NativeArray, as_input
from .compiled_kernel import launch
from .start_device import one_by_one

if TYPE_CHECKING:
    from .state import State


ARRAYS = {name if name != "state" else "states": name for name in RESET_BUFFERS}
"""Arguments of the kernel, and their buffers."""


class ResetRows(NamedTuple):
    """Rows that a reset writes, as `physics.reset.reset_kernel` reads them."""

    words: np.ndarray  # (R, 4)
    start: np.ndarray  # (R, 3)
    root_words: np.ndarray  # (A, 3)
    roots: np.ndarray  # (26 A,)


class WorldResets:
    """Launches of resets.

    Args:
        state: worlds of a simulation on the device.
    """

    def __init__(self, state: "State"):
        self._state, self._device = state, one_by_one(state.device)
        self._counts = as_input(np.array([state.layout.sizes[name] for name in RESET_BUFFERS], np.int32))
        self._flat: dict[str, np.ndarray] = {}
        tile, last = state.device.tile, state.worlds - 1
        self._last, self._idle = last, tile - 1 - last % tile  # lanes behind the last world

    def write(self, rows: ResetRows, numbers: np.ndarray, worlds: np.ndarray) -> None:
        """Write rows of worlds; numbers are those given and drawn, (worlds, K)."""
        device, at = self._state.device, worlds.astype(np.int32)
        lanes = np.ones_like(at)
        if self._idle:
            lanes[at == self._last] += self._idle
        launch(
            self._device, "reset", "reset_kernel",
            **{name: self._array(row) for name, row in ARRAYS.items()}, counts=self._counts,
            words=rows.words, start=rows.start, root_words=rows.root_words, roots=rows.roots,
            numbers=as_input(numbers), worlds=as_input(at), lanes=as_input(lanes), tile=device.tile, tasks=len(at),
            workers=min(len(at), device.workers) if device.packed else len(at),
        )  # fmt: skip

    def _array(self, name: str) -> NativeArray:
        """Return the array of a buffer, of a CPU without an axis of lanes."""
        array = self._state.buffer(name).array
        if not isinstance(array, np.ndarray) or array.ndim == 1:
            return array
        if name not in self._flat or self._flat[name].ctypes.data != array.ctypes.data:
            self._flat[name] = array.reshape(-1)
        return self._flat[name]
