"""Report of a batch: how each metric depends on each setting."""

from collections import Counter

import numpy as np

from .pack import Buffers, pack_page, page_head
from .page import Page

ENDS = ("seconds", "end", "bad_dof")  # columns between settings and metrics
MOST_METRICS = 400


def report_page(columns: dict[str, np.ndarray], name: str, units: dict[str, str], command: str) -> Page:
    """Return the page of a batch.

    Args:
        columns: the table: world, settings, `ENDS`, metrics.
        name: of the batch.
        units: of metrics, by the part of their names before ":".
        command: shows a world again, with WORLD in the place of its number.
    """
    names = list(columns)
    middle = names.index(ENDS[0])
    settings = {key: numbers(columns[key]) for key in names[:middle] if key != "world"}
    metrics = {key: numbers(columns[key]) for key in names[middle:] if key not in ENDS}
    settings, metrics = _varying(settings), dict(list(_varying(metrics).items())[:MOST_METRICS])
    buffers, head = Buffers(), page_head("report", name)
    ends = Counter(map(str, columns["end"]))
    counts = ", ".join(f"{count} {end}" for end, count in ends.most_common())
    varying = f"{len(settings)} settings and {len(metrics)} metrics vary"
    head |= {
        "summary": f"{len(columns['world'])} worlds: {counts}. {varying}.",
        "command": command,
        "world": buffers.add(np.asarray(columns["world"], "u4")),
        "settings": [_column(key, values, "", buffers) for key, values in settings.items()],
        "metrics": [
            _column(key, values, units.get(key.partition(":")[0], ""), buffers) for key, values in metrics.items()
        ],
        "correlations": buffers.add(correlations(metrics, settings).astype("f4")),
    }
    if broken := ends.get("non-finite", 0):
        head["notes"].append(f"{broken} worlds became non-finite; their metrics end at that step")
    return Page("document", name, pack_page(head, buffers))


def numbers(values: np.ndarray) -> np.ndarray:
    """Return values as numbers; NaN for what is not one."""
    values = np.asarray(values)
    if values.dtype.kind in "fiub":
        return values.astype(float)
    return np.array([float(v) if isinstance(v, int | float | np.number) else np.nan for v in values.tolist()])


def ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks from 0; equal values share the mean of their ranks."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2.0)[group.ravel()]


def correlations(metrics: dict[str, np.ndarray], settings: dict[str, np.ndarray]) -> np.ndarray:
    """Return Spearman's rank correlations (metrics, settings); NaN where fewer than three worlds have both."""
    found = np.full((len(metrics), len(settings)), np.nan)
    for i, metric in enumerate(metrics.values()):
        for j, setting in enumerate(settings.values()):
            both = np.isfinite(metric) & np.isfinite(setting)
            if both.sum() < 3:
                continue
            a, b = ranks(metric[both]), ranks(setting[both])
            if a.std() > 0.0 and b.std() > 0.0:
                found[i, j] = np.corrcoef(a, b)[0, 1]
    return found


def short_column(name: str) -> str:
    """Return "overshoot:joint1" for "overshoot:/World/arm/joint1:rotZ"."""
    head, _, path = name.partition(":")
    if path.startswith("/"):
        return f"{head}:{path.rpartition('/')[2]}"
    return f"{head.rpartition('/')[2]}:{path}" if path else name


def _varying(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns with different finite values."""
    finite = {key: values[np.isfinite(values)] for key, values in columns.items()}
    return {key: columns[key] for key, values in finite.items() if len(values) and values.max() > values.min()}


def _column(name: str, values: np.ndarray, unit: str, buffers: Buffers) -> dict:
    return {"name": name, "short": short_column(name), "unit": unit, "values": buffers.add(values.astype("f4"))}
