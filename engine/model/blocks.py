"""Rows of an array that grows by blocks: what has a row per pair of colliders is never a list."""

from typing import Any

import numpy as np


class Blocks:
    """Blocks of rows with equal widths, which NumPy reads as one array."""

    def __init__(self):
        self._blocks: list[np.ndarray] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, block: np.ndarray) -> None:
        """Append rows."""
        self._blocks.append(block)
        self._count += len(block)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return all rows; a new array unless there is one block with this type."""
        return np.concatenate(self._blocks, dtype=dtype) if self._blocks else np.zeros(0, dtype)
