"""Pictures of logs by matplotlib: a small plot per joint and quantity, or one per quantity of many joints."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fajin.look.series import Series

MOST_JOINTS = 8  # with a plot of their own
SIZE = (3.8, 2.4)  # [inches] of a plot
STYLES = ("-", "--", ":", "-.")


def draw_series(series: "list[Series]", path: Path) -> None:
    """Draw logs over each other.

    Raises:
        OutputError: matplotlib is missing, or the file cannot be written.
    """
    from fajin.look.series import short_names
    from fajin.selection import match_names
    from fajin.tools.plots import figure

    first = series[0]
    quantities = [
        name for name in first.quantities() if name not in ("target_q", "target_qd") and first.columns_of(name)
    ]
    alone = len(first.dof) <= MOST_JOINTS
    joints: list[list[int]] = [[i] for i in range(len(first.dof))] if alone else [list(range(len(first.dof)))]
    names = short_names(first.dof)
    columns = [match_names(first.dof, one.dof) for one in series]
    with figure(path, len(quantities) * len(joints), len(quantities), SIZE) as axes:
        places = iter(axes)
        for group in joints:
            for quantity in quantities:
                place = next(places)
                for one, style, known in zip(series, STYLES * len(series), columns, strict=False):
                    for i in group:
                        if (name := known.get(first.dof[i])) and quantity in one.values:
                            label = one.name if alone else f"{names[i]} {one.name if series[1:] else ''}".strip()
                            _draw(place, one, (quantity, one.dof.index(name)), (style, label, alone and one is first))
                title = f"{names[group[0]]}: {quantity}" if alone else quantity
                place.set(title=title, xlabel="time [s]", ylabel=f"{quantity} [{first.unit_of(quantity, group[0])}]")
                if series[1:] or not alone or f"target_{quantity}" in first.values:
                    place.legend(frameon=False, fontsize="small")


def _draw(place: Any, series: "Series", which: tuple[str, int], look: tuple[str, str, bool]) -> None:
    """Draw a curve; of a joint with a plot of its own also the target and the bounds."""
    import numpy as np

    (quantity, i), (style, label, whole) = which, look
    place.plot(series.time, series.values[quantity][:, i], style, linewidth=1.2, label=label)
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
