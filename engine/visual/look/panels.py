"""Panels of plots for a page: curves and bounds of joints over time."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .comparison import Comparison
from .pack import Buffers
from .series import Series, short_names

LABELS = {
    "q": "position",
    "error": "error of position",
    "qd": "speed",
    "effort": "effort",
    "residual": "error of mimic joints",
    "target_q": "target of position",
    "target_qd": "target of speed",
}
MOST_ROWS = 4000  # times in a plot
DASHES = [5, 4]  # [pixels] of a second curve of a joint
TARGETS = {"q": "target_q", "qd": "target_qd"}  # drawn dashed into the panel of another quantity


def add_panels(head: dict[str, Any], worlds: Sequence[Series], buffers: Buffers) -> None:
    """Add the plots of a log to a header; several worlds have equal joints and times."""
    worlds = [one.thin(MOST_ROWS) for one in worlds]
    first = worlds[0]
    head["joints"] = [{"name": n, "path": path} for n, path in zip(short_names(first.dof), first.dof, strict=True)]
    head["plottedWorlds"] = len(worlds)
    time = buffers.add(first.time.astype("f8"))
    drawn = {TARGETS[name] for name in first.quantities() if name in TARGETS}
    for quantity in first.quantities():
        columns = first.columns_of(quantity)
        if quantity in drawn or not columns:
            continue
        target = TARGETS.get(quantity, "")
        for unit, alike in by_unit(columns, partial(first.unit_of, quantity)).items():
            aimed = [i for i in alike if i in first.columns_of(target)] if target in first.values else []
            head["panels"].append(
                {
                    "title": quantity,
                    "label": LABELS[quantity],
                    "unit": unit,
                    "note": "dashed: target" if aimed else "",
                    "time": time,
                    "curves": _curves(worlds, quantity, alike, buffers)
                    + (_curves(worlds, target, aimed, buffers, dash=True) if aimed else []),
                    "bands": _bands(worlds, quantity, alike, buffers),
                }
            )


def by_unit(columns: Iterable[int], unit: Callable[[int], str]) -> dict[str, list[int]]:
    """Return {unit: its columns}: quantities of different units have plots of their own."""
    found: dict[str, list[int]] = {}
    for i in columns:
        found.setdefault(unit(i), []).append(i)
    return dict(sorted(found.items(), reverse=True))  # rad before m


def add_comparison(head: dict[str, Any], found: Comparison, names: tuple[str, str], buffers: Buffers) -> None:
    """Add the plots of a comparison: both logs, B dashed, and their difference; and its table."""
    every = max(1, len(found.time) // MOST_ROWS)
    rows = slice(None, None, every)
    dof = [joint.dof for joint in found.joints]
    head["joints"] = [{"name": n, "path": path} for n, path in zip(short_names(dof), dof, strict=True)]
    time = buffers.add(found.time[rows])
    shift = f", shifted by {found.shift * 1e3:.4g} ms" if found.shift else ""
    for unit, columns in by_unit(range(len(dof)), lambda i: found.joints[i].unit).items():
        panel = {"unit": unit, "time": time, "bands": []}
        a, b = (_plain(values[rows], columns, buffers, dash) for values, dash in ((found.a, False), (found.b, True)))
        head["panels"] += [
            panel | {"title": found.quantity, "label": LABELS.get(found.quantity, found.quantity),
                     "note": f"{names[0]}, dashed: {names[1]}{shift}", "curves": a + b},
            panel | {"title": "difference", "label": f"{names[1]} − {names[0]}", "note": "",
                     "curves": _plain((found.b - found.a)[rows], columns, buffers, False)},
        ]  # fmt: skip
    head["table"] = comparison_table(found, short_names(dof))


def comparison_table(found: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """Return caption, columns and rows of a comparison; NaN is None."""
    rows, units = [], " | ".join(sorted({joint.unit for joint in found.joints}))
    for joint, name in zip(found.joints, names, strict=True):
        late = None if np.isnan(joint.delay) else 1e3 * joint.delay
        rows.append([name, joint.rms, joint.maximum, joint.when, joint.bias, late])
    return {
        "caption": f"Error of {found.quantity} [{units}]; delays to ±{500.0 * found.resolution:.3g} ms",
        "columns": ["joint", "rms", "max", "at [s]", "bias", "delay [ms]"],
        "rows": rows,
    }


def _curves(
    worlds: Sequence[Series], quantity: str, columns: Sequence[int], buffers: Buffers, dash: bool = False
) -> list[dict[str, Any]]:
    """Return the curves of a quantity, one per joint with the values of all worlds."""
    names = short_names(worlds[0].dof)
    found = []
    for i in columns:
        values = np.concatenate([one.values[quantity][:, i] for one in worlds]).astype("f4")
        curve = {"name": names[i], "joint": i, "dash": DASHES if dash else [], "target": dash}
        found.append(curve | {"values": buffers.add(values)})
    return found


def _plain(values: np.ndarray, columns: Sequence[int], buffers: Buffers, dash: bool) -> list[dict[str, Any]]:
    """Return one curve per column."""
    return [
        {
            "name": str(i),
            "joint": i,
            "dash": DASHES if dash else [],
            "target": dash,
            "values": buffers.add(values[:, i].astype("f4")),
        }
        for i in columns
    ]


def _bands(worlds: Sequence[Series], quantity: str, columns: Sequence[int], buffers: Buffers) -> list[dict[str, Any]]:
    """Return the bounds of the joints that have any."""
    found = []
    for i in columns if quantity in worlds[0].bands else ():
        low, high = (
            np.concatenate([one.bands[quantity][side][:, i] for one in worlds]).astype("f4") for side in (0, 1)
        )
        if np.isfinite(low).any() or np.isfinite(high).any():
            found.append({"joint": i, "low": buffers.add(low), "high": buffers.add(high)})
    return found
