"""Selection of worlds."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

Worlds: TypeAlias = ArrayLike | slice | None
"""Indices, mask or slice of worlds; None for all."""


def world_indices(worlds: Worlds, count: int) -> np.ndarray | None:
    """Return indices of worlds, from 0; None for all.

    Args:
        worlds: indices, mask or slice; None for all.
        count: number of worlds of the simulation.

    Raises:
        IndexError: no such world, or a world given twice.
    """
    if worlds is None:
        return None
    if isinstance(worlds, np.ndarray) and worlds.dtype == np.int64 and worlds.ndim == 1 and len(worlds):
        listed = worlds.tolist()
        if min(listed) >= 0 and max(listed) < count and len(set(listed)) == len(listed):
            return worlds  # the most frequent case of few worlds
    key = worlds if isinstance(worlds, slice) else np.asarray(worlds) if np.size(worlds) else slice(0)
    try:
        chosen = np.arange(count)[key].reshape(-1)
    except IndexError:
        raise IndexError(f"worlds = {worlds}: must be from 0 to {count - 1}") from None
    if len(set(chosen.tolist())) < len(chosen):
        raise IndexError(f"worlds = {worlds}: must name each world once; remove duplicates")
    return chosen
