"""Fewer points in the place of many: Wu's quantisation of colours (Graphics Gems II), with x, y, z as the colour.

The box of the points is a grid of 32³ cells. It is cut, across the axis and at the place that leave the least variance,
and so are the parts, that of the largest variance first. The points of a part become their mean, rounded to 1/256.
"""

from typing import NamedTuple

import numpy as np

GRID_CELLS = 32
LEVELS = 256
GRID_MARGIN = float(np.float32(1.001))
"""Size of the grid, as a share of the box of the points."""

Place = tuple[int, int, int]


class Cells(NamedTuple):
    """A box of cells: those after `low`, up to `high`."""

    low: Place
    high: Place

    def below(self, axis: int, place: int) -> "Cells":
        """Return the part up to a place along an axis."""
        return Cells(self.low, replaced(self.high, axis, place))

    def above(self, axis: int, place: int) -> "Cells":
        """Return the part after a place along an axis."""
        return Cells(replaced(self.low, axis, place), self.high)


def replaced(place: Place, axis: int, number: int) -> Place:
    """Return a place with another number along an axis."""
    x, y, z = (number if i == axis else part for i, part in enumerate(place))
    return x, y, z


class Moments:
    """Sums over cells: of 1, x, y, z and x² + y² + z² of the points, from cell 0 on along each axis."""

    def __init__(self, levels: np.ndarray):
        counts = np.zeros((5, GRID_CELLS + 1, GRID_CELLS + 1, GRID_CELLS + 1))
        rows = np.column_stack([np.ones(len(levels)), levels, (levels * levels).sum(axis=1)])
        cells = tuple((levels // (LEVELS // GRID_CELLS) + 1).T)
        for row, sums in zip(rows.T, counts, strict=True):
            np.add.at(sums, cells, row)
        self.sums = counts.cumsum(axis=1).cumsum(axis=2).cumsum(axis=3)

    def of(self, cells: Cells) -> np.ndarray:
        """Return the sums (5,) over a box of cells."""
        total = np.zeros(5)
        for corner in np.ndindex(2, 2, 2):
            place = tuple((low, high)[end] for low, high, end in zip(*cells, corner, strict=True))
            total += (-1) ** (3 - sum(corner)) * self.sums[(slice(None), *place)]
        return total

    def variance(self, cells: Cells) -> float:
        """Return the summed squared distances from the mean; 0 of a single cell."""
        sides = np.subtract(cells.high, cells.low)
        if sides.prod() <= 1:
            return 0.0
        sums = self.of(cells)
        return float(sums[4] - squared_sums(sums))

    def cut(self, cells: Cells) -> tuple[Cells, Cells] | None:
        """Return both parts of the best cut of a box; None if there is none."""
        whole, best, found = self.of(cells), 0.0, None
        for axis in range(3):
            for place in range(cells.low[axis] + 1, cells.high[axis]):
                lower = self.of(cells.below(axis, place))
                upper = whole - lower
                if lower[0] and upper[0] and (kept := squared_sums(lower) + squared_sums(upper)) > best:
                    best, found = kept, (cells.below(axis, place), cells.above(axis, place))
        return found


def squared_sums(sums: np.ndarray) -> float:
    """Return the squared sum of the points over their number."""
    return float((sums[1:4] ** 2).sum() / sums[0])


def reduce_points(points: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` points in the place of points (N, 3)."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = (low + high) * 0.5, np.where(high > low, (high - low) * GRID_MARGIN * 0.5, 1.0)
    moments = Moments(((points - centre) / half * (LEVELS / 2) + LEVELS / 2).astype(int))
    parts, variances, widest = [Cells((0, 0, 0), (GRID_CELLS, GRID_CELLS, GRID_CELLS))], [0.0], 0
    while len(parts) < most:
        sides = moments.cut(parts[widest])
        if sides:
            parts[widest] = sides[0]
            parts.append(sides[1])
            variances[widest] = moments.variance(sides[0])
            variances.append(moments.variance(sides[1]))
        else:
            variances[widest] = 0.0
        widest = int(np.argmax(variances))
        if variances[widest] <= 0.0:
            break
    means = [np.floor(sums[1:4] / sums[0] + 0.5) for sums in map(moments.of, parts) if sums[0]]
    return (np.array(means) - LEVELS / 2) / (LEVELS / 2) * half + centre
