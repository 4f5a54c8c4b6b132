"""Pictures of logs by matplotlib: a row per joint, a column per quantity; of many joints a grid of one quantity."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .table import print_message

if TYPE_CHECKING:
    from fajin.visual.look.series import Series

MOST_JOINTS = 60  # in a picture
MOST_ROWS = 16  # of joints; more are drawn as a grid
ACROSS, GRID_WIDTH = 5, 2.8  # plots in a row of a grid, and their width [inches]
MANY_JOINTS = 6  # from which on rows are low
WIDTH, TALL, LOW = 3.8, 2.4, 1.5  # [inches] of a plot
STYLES = ("-", "--", ":", "-.")
HIDDEN = ("target_q", "target_qd")  # quantities that are drawn in the plots of others


def draw_series(series: "list[Series]", path: Path) -> None:
    """Draw logs over each other: the first joints, with a note on how to choose others.

    More than `MOST_ROWS` joints are a grid of one quantity, of those selected the first.

    Raises:
        OutputError: matplotlib is missing, or the file cannot be written.
    """
    from fajin.selection import match_names
    from fajin.tools.plots import figure
    from fajin.visual.look.series import short_names

    first = series[0]
    quantities = [name for name in first.quantities() if name not in HIDDEN and first.columns_of(name)]
    names, joints = short_names(first.dof), range(min(len(first.dof), MOST_JOINTS))
    columns = [match_names(first.dof, one.dof) for one in series]
    height, grid = LOW if len(joints) > MANY_JOINTS else TALL, len(joints) > MOST_ROWS
    left = quantities[1:] if grid else []
    quantities = quantities[:1] if grid else quantities
    across, size = (ACROSS, (GRID_WIDTH, height)) if grid else (len(quantities), (WIDTH, height))
    with figure(path, len(quantities) * len(joints), across, size) as axes:
        places = iter(axes)
        for i in joints:
            for quantity in quantities:
                place = next(places)
                for one, style, known in zip(series, STYLES * len(series), columns, strict=False):
                    name = known.get(first.dof[i])
                    if name and quantity in one.values and one.dof.index(name) in one.columns_of(quantity):
                        _draw(place, one, quantity, one.dof.index(name), style, one is first)
                if not place.lines:  # a joint without this quantity
                    place.remove()
                    continue
                place.set_title(f"{names[i]}: {quantity}", fontsize="small" if grid else "medium")
                place.ticklabel_format(axis="y", useOffset=False)
                place.set_ylabel(f"{quantity} [{first.unit_of(quantity, i)}]")
                if i in joints[-ACROSS if grid else -1 :]:
                    place.set_xlabel("time [s]")
        _add_legend(axes)
    if left:
        _note(f"{path}: {quantities[0]} of {len(joints)} joints drawn; --quantity {left[0]} draws another quantity")
    if more := len(first.dof) - len(joints):
        line = f"{path}: {len(joints)} joints drawn of {len(first.dof)}; choose {more} others by --joint"
        _note(f"{line}, or draw all by -o {path.with_suffix('.html')}")


def _note(line: str) -> None:
    print_message(f"note: {line}")


def _add_legend(axes: list[Any]) -> None:
    """Add one legend above all plots, where logs or targets must be told apart."""
    found: dict[str, Any] = {}
    for place in axes:
        for line, label in zip(*place.get_legend_handles_labels(), strict=True):
            found.setdefault(label, line)
    if len(found) > 1:
        axes[0].figure.legend(found.values(), found, loc="outside upper left", ncols=len(found), frameon=False)


def _draw(place: Any, series: "Series", quantity: str, i: int, style: str, whole: bool) -> None:
    """Draw the curve of a joint; with `whole`, as of the first log, also the target and the bounds."""
    import numpy as np

    place.plot(series.time, series.values[quantity][:, i], style, linewidth=1.2, label=series.name)
    if not whole:
        return
    color = place.lines[-1].get_color()
    target = series.values.get(f"target_{quantity}")
    seen = [series.values[quantity][:, i]]
    if target is not None and np.isfinite(target[:, i]).any():
        seen.append(target[:, i])
        place.plot(series.time, target[:, i], "--", color="0.35", linewidth=1.0, label="target")
    if quantity in series.bands:
        low, high = (bound[:, i] for bound in series.bands[quantity])
        least, most = float(np.nanmin(seen)), float(np.nanmax(seen))
        room = 0.1 * max(most - least, 1e-9)
        view = least - room, most + room
        near = [bound for bound in (low, high) if np.isfinite(bound).all()]
        for bound in near:
            place.plot(series.time, bound, ":", color=color, linewidth=0.9, alpha=0.8)
        if len(near) == 2:
            place.fill_between(series.time, low, high, color=color, alpha=0.08, linewidth=0.0)
            wide = 1.5 * (view[1] - view[0])
            if float(high.max()) > view[1] + wide or float(low.min()) < view[0] - wide:
                place.set_ylim(*view)
