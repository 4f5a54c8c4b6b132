"""Merging of hulls: the pair whose common hull adds least volume becomes one, until few enough are left.

    cost = |V_1 + V_2 - V_12| / V,     V_12: common hull, of hulls far from each other the box around both

V is the volume of the hull around the whole mesh. Pairs that cost less than 1e-5 of it are merged in any case.
"""

from heapq import heapify, heappop, heappush

import numpy as np

from .coarse_hull import CoarseHull, coarse_hull, coarse_volume

FREE = 1e-5
"""Cost of a pair that is always merged."""
PIECE_MARGIN, MERGED_MARGIN = 0.1, 0.05
"""Margins around boxes of hulls, as shares of their diagonals, within which hulls are near each other."""


def merge_hulls(pieces: list[CoarseHull], whole: float, most: int) -> list[CoarseHull]:
    """Return at most `most` hulls; `whole`: volume of the hull around all of them."""
    hulls = Hulls(pieces, whole)
    queue = []
    for i in range(len(pieces) - 2, -1, -1):
        later = np.arange(i + 1, len(pieces))
        queue += [(cost, i, j) for cost, j in zip(hulls.costs(i, later), later.tolist(), strict=True)]
    heapify(queue)
    while queue:
        least, i, j = heappop(queue)
        if i not in hulls.left or j not in hulls.left:
            continue
        if least >= FREE and len(hulls.left) <= most:
            break
        common = hulls.common(i, j)
        del hulls.left[i], hulls.left[j]
        if common is None:
            continue
        others = np.array(list(hulls.left), int)
        number = hulls.append(common, MERGED_MARGIN)
        for cost, other in zip(hulls.costs(number, others), others.tolist(), strict=True):
            heappush(queue, (cost, other, number))
    return list(hulls.left.values())


class Hulls:
    """Hulls that are left, by number, and of all numbers the volumes and the boxes with their margins."""

    def __init__(self, pieces: list[CoarseHull], whole: float):
        self.whole, self.left, self.count = whole, {}, 0
        self.volume = np.zeros(2 * len(pieces))
        self.low, self.high = np.zeros((2 * len(pieces), 3)), np.zeros((2 * len(pieces), 3))
        for piece in pieces:
            self.append(piece, PIECE_MARGIN)

    def append(self, hull: CoarseHull, margin: float) -> int:
        """Append a hull; return its number."""
        number, low, high = self.count, hull.points.min(axis=0), hull.points.max(axis=0)
        grown = np.linalg.norm(high - low) * margin
        self.left[number], self.volume[number] = hull, hull.volume
        self.low[number], self.high[number] = low - grown, high + grown
        self.count += 1
        return number

    def costs(self, number: int, others: np.ndarray) -> list[float]:
        """Return the share of the whole volume that the common hulls with other ones add."""
        low, high = self.low[number], self.high[number]
        near = ((low <= self.high[others]) & (self.low[others] <= high)).all(axis=1)
        volumes = (np.maximum(high, self.high[others]) - np.minimum(low, self.low[others])).prod(axis=1)
        for i in np.flatnonzero(near):
            volume = coarse_volume(self.points_of(number, int(others[i])))
            volumes[i] = volumes[i] if volume is None else volume
        return (np.abs(self.volume[number] + self.volume[others] - volumes) / self.whole).tolist()

    def common(self, one: int, two: int) -> CoarseHull | None:
        """Return the hull of the vertices of two hulls; None if they lie on a line."""
        return coarse_hull(self.points_of(one, two))

    def points_of(self, one: int, two: int) -> np.ndarray:
        """Return the vertices of two hulls."""
        return np.concatenate([self.left[one].points, self.left[two].points])
