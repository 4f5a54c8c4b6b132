"""Rows of parameters that all worlds share on a GPU: up to a tile of parameters side by side, a number of each per row.

A kernel reads a number of a shared parameter at row · tile, as that of a world's own. A line of a cache has numbers of
32 parameters instead of 32 times one number, so that few lines have them all.
"""

from collections.abc import Mapping

import numpy as np


class SharedRows:
    """Places of parameters in a block of rows of `tile` numbers each.

    Args:
        counts: number of rows of each parameter.
        tile: parameters that lie side by side.
    """

    def __init__(self, counts: Mapping[str, int], tile: int):
        names, self.first = sorted(counts, key=lambda name: -counts[name]), {}
        """First element of each parameter; the next ones follow at distances of `tile`."""
        rows = 0
        for start in range(0, len(names), tile):  # of similar length, so that few places stay empty
            group = names[start : start + tile]
            self.first |= {name: rows * tile + column for column, name in enumerate(group)}
            rows += counts[group[0]]
        self.block = np.zeros((rows, tile))
        self._counts, self._tile = dict(counts), tile

    def write(self, name: str, numbers: np.ndarray) -> None:
        """Replace the numbers of a parameter in `block`."""
        row, column = divmod(self.first[name], self._tile)
        self.block[row : row + self._counts[name], column] = numbers
