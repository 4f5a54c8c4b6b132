"""Text plots of curves for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

PLOT_WIDTH, HEIGHT = 64, 14
MARKS = "●·×"


def text_plot(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], across: str, reference: float | None = 1.0
) -> str:
    """Return a text plot of curves y(x) by name, the first on top.

    Args:
        curves: x and y by name; x begins at 0.
        across: the label of x with its unit.
        reference: the height of a line to compare with; the plot includes it and 0. None: only the curves count.
    """
    x_end = max(x[-1] for x, _ in curves.values()) or 1.0
    bounds = () if reference is None else (0.0, reference)
    low = min(*bounds, *(min(y) for _, y in curves.values()), float("inf"))
    high = max(*bounds, *(max(y) for _, y in curves.values()), float("-inf"))
    high = high if high > low else low + 1.0
    cells = [[" "] * PLOT_WIDTH for _ in range(HEIGHT)]
    if reference is not None:
        _draw(cells, "─", [(i / PLOT_WIDTH, (reference - low) / (high - low)) for i in range(PLOT_WIDTH)])
    for (x, y), mark in reversed(list(zip(curves.values(), MARKS, strict=False))):
        _draw(cells, mark, [(a / x_end, (b - low) / (high - low)) for a, b in zip(*_dense(x, y), strict=True)])
    labels = {0: f"{high:.3g}", HEIGHT - 1: f"{low:.3g}"}
    lines = [f"{labels.get(row, ''):>6} │{''.join(cells[row]).rstrip()}" for row in range(HEIGHT)]
    lines += [
        f"{'':>6} └{'─' * PLOT_WIDTH}",
        f"{'':>7}0{f'{x_end:.3g}':>{PLOT_WIDTH}}",
        f"{'':>8}{across:^{PLOT_WIDTH}}",
    ]
    return "\n".join((*lines, *(f"{'':>8}{mark} {name}" for name, mark in zip(curves, MARKS, strict=False))))


def _dense(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the curve sampled at every column."""
    import numpy as np

    places = np.linspace(x[0], x[-1], 4 * PLOT_WIDTH)
    return places, np.interp(places, x, y)


def _draw(cells: list[list[str]], mark: str, points: list[tuple[float, float]]) -> None:
    for x, y in points:
        cells[round((1.0 - y) * (HEIGHT - 1))][min(int(x * PLOT_WIDTH), PLOT_WIDTH - 1)] = mark
