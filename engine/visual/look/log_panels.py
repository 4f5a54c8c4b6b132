"""Panels that draw several logs over each other: a joint is one color, a log one pattern of dashes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...selection import match_names
from .pack import Buffers
from .panels import LABELS, MOST_ROWS, TARGETS, add_panels
from .series import Series, short_names

PATTERNS: tuple[tuple[list[int], str], ...] = (
    ([], "solid"),
    ([9, 4], "dashed"),
    ([2, 3], "dotted"),
    ([9, 3, 2, 3], "dash-dotted"),
)
"""Dashes of the logs in their order, and their names in a legend; the fifth log begins anew."""


TARGET_DASHES = [1, 4]  # dashes of targets


def add_logs(head: dict[str, Any], logs: Sequence[Series], buffers: Buffers) -> None:
    """Add the plots of one log with its targets, or of several logs over each other."""
    if len(logs) == 1:
        add_panels(head, logs, buffers)
        return
    dof, columns = joints_of(logs)
    time = shared_times(logs)
    names, place = short_names(dof), buffers.add(time)
    head["joints"] = [{"name": name, "path": path} for name, path in zip(names, dof, strict=True)]
    legend = ", ".join(f"{PATTERNS[i % len(PATTERNS)][1]}: {log.name}" for i, log in enumerate(logs))
    quantities = [name for name in LABELS if name not in TARGETS.values() and any(name in log.values for log in logs)]
    for quantity in quantities:
        curves: dict[str, list[dict[str, Any]]] = {}
        for number, log in enumerate(logs):
            for i in log.columns_of(quantity) if quantity in log.values else ():
                values = buffers.add(resample(log, quantity, i, time).astype("f4"))
                joint = columns[number][log.dof[i]]
                dash = PATTERNS[number % len(PATTERNS)][0]
                curve = {"name": names[joint], "joint": joint, "dash": dash, "target": False, "values": values}
                curves.setdefault(log.unit_of(quantity, i), []).append(curve)
        bounds, target = bands_of(logs[0], quantity, time, buffers), targets_of(logs[0], quantity, time, buffers)
        note = f"{legend}{', thin: target' if target else ''}"
        panel = {"title": quantity, "label": LABELS[quantity], "note": note, "time": place}
        for unit, alike in sorted(curves.items(), reverse=True):
            joints = {curve["joint"] for curve in alike}
            own, aimed = ([one for one in all_ if one["joint"] in joints] for all_ in (bounds, target))
            head["panels"].append(panel | {"unit": unit, "curves": alike + aimed, "bands": own})


def bands_of(log: Series, quantity: str, time: np.ndarray, buffers: Buffers) -> list[dict[str, Any]]:
    """Return the bounds of the first log's joints at other times."""
    row = np.clip(np.searchsorted(log.time, time, side="right") - 1, 0, None)
    found = []
    for joint in range(len(log.dof)) if quantity in log.bands else ():
        low, high = (bound[row, joint].astype("f4") for bound in log.bands[quantity])
        if np.isfinite(low).any() or np.isfinite(high).any():
            found.append({"joint": joint, "low": buffers.add(low), "high": buffers.add(high)})
    return found


def targets_of(log: Series, quantity: str, time: np.ndarray, buffers: Buffers) -> list[dict[str, Any]]:
    """Return the curves of the first log's targets at other times."""
    name = TARGETS.get(quantity, "")
    return [
        {"name": "target", "joint": joint, "dash": TARGET_DASHES, "target": True,
         "values": buffers.add(resample(log, name, joint, time).astype("f4"))}
        for joint in (log.columns_of(name) if name in log.values else ())
    ]  # fmt: skip


def joints_of(logs: Sequence[Series]) -> tuple[list[str], list[dict[str, int]]]:
    """Return the joints of all logs, and per log {its name: joint}; names that fit each other are one joint."""
    dof: list[str] = []
    found = []
    for log in logs:
        known = match_names(log.dof, dof)
        dof += [name for name in log.dof if name not in known]
        found.append({name: dof.index(known.get(name, name)) for name in log.dof})
    return dof, found


def shared_times(logs: Sequence[Series]) -> np.ndarray:
    """Return the times of all logs, (T,) [s]; of many, evenly spread ones."""
    times = np.unique(np.concatenate([log.time for log in logs]))
    return times if len(times) <= MOST_ROWS else np.linspace(times[0], times[-1], MOST_ROWS)


def resample(log: Series, quantity: str, column: int, time: np.ndarray) -> np.ndarray:
    """Return a quantity at other times, (T,), linear between those of the log; NaN outside and in its gaps."""
    return np.interp(time, log.time, log.values[quantity][:, column], left=np.nan, right=np.nan)
