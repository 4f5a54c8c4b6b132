"""Report of a batch: how each metric depends on each setting."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from .pack import Buffers, pack_page, page_head
from .page import Page

ENDS = ("seconds", "end", "bad_dof")  # columns between settings and metrics
MOST_METRICS = 400


@dataclass(frozen=True)
class Film:
    """A film of one world, as an image that moves."""

    world: int
    type: str  # image/webp | image/apng
    data: bytes


@dataclass(frozen=True, eq=False)
class BatchTable:
    """Settings of a batch that varied, their effect on each metric, and the pair that depends most on each other."""

    world: np.ndarray  # (W,)
    settings: dict[str, np.ndarray]  # {name: (W,)}, those that vary
    metrics: dict[str, np.ndarray]
    correlations: np.ndarray  # (metrics, settings), of ranks
    ends: Counter[str]  # how worlds ended

    @classmethod
    def of(cls, columns: dict[str, np.ndarray]) -> "BatchTable":
        """Return the table of columns: world, settings, `ENDS`, metrics."""
        names = list(columns)
        middle = names.index(ENDS[0])
        settings = _varying({key: numbers(columns[key]) for key in names[:middle] if key != "world"})
        metrics = _varying({key: numbers(columns[key]) for key in names[middle:] if key not in ENDS})
        metrics = dict(list(metrics.items())[:MOST_METRICS])
        ends = Counter(map(str, columns["end"]))
        return cls(np.asarray(columns["world"]), settings, metrics, correlations(metrics, settings), ends)

    def strongest(self) -> tuple[int, int]:
        """Return the numbers of the metric and the setting with the greatest correlation."""
        size = np.nan_to_num(np.abs(self.correlations))
        metric, setting = np.unravel_index(size.argmax(), size.shape) if size.size else (0, 0)
        return int(metric), int(setting)

    def find_metric(self, name: str) -> int:
        """Return the number of a metric by its name or its short name.

        Raises:
            InputError: no metric that varies has this name.
        """
        short = short_columns(list(self.metrics))
        for number, metric in enumerate(self.metrics):
            if name in (metric, short[number]):
                return number
        known = ", ".join(short[:8]) or "none"
        raise InputError(f"--metric {name}: must be a metric that varies: {known}{', …' * (len(self.metrics) > 8)}")

    def worst(self, metric: int, count: int) -> list[int]:
        """Return the worlds with the greatest values of a metric, the greatest first."""
        values = list(self.metrics.values())[metric]
        order = np.argsort(np.where(np.isfinite(values), -values, np.inf), kind="stable")
        return [int(self.world[i]) for i in order[:count] if np.isfinite(values[i])]


def report_page(
    table: BatchTable, name: str, units: dict[str, str], command: str, metric: int, films: Sequence[Film]
) -> Page:
    """Return the page of a batch.

    Args:
        table: of the batch.
        name: of the batch.
        units: of columns that have one.
        command: shows a world again, with WORLD in the place of its number.
        metric: number of the metric that is shown first.
        films: of worlds.
    """
    buffers, head = Buffers(), page_head("report", name)
    counts = ", ".join(f"{count} {end}" for end, count in table.ends.most_common())
    varying = f"{len(table.settings)} settings and {len(table.metrics)} metrics vary"
    strength = np.nan_to_num(np.abs(table.correlations[metric])) if table.settings and table.metrics else np.zeros(1)
    head |= {
        "summary": f"{len(table.world)} worlds: {counts}. {varying}.",
        "command": command,
        "world": buffers.add(table.world.astype("u4")),
        "settings": _columns(table.settings, units, buffers),
        "metrics": _columns(table.metrics, units, buffers),
        "correlations": buffers.add(table.correlations.astype("f4")),
        "shown": [metric, int(strength.argmax())],
        "films": [
            {"world": film.world, "type": film.type, "data": buffers.add(np.frombuffer(film.data, np.uint8))}
            for film in films
        ],
    }
    if broken := table.ends.get("non-finite", 0):
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


def short_columns(names: Sequence[str]) -> list[str]:
    """Return names with as few parts of their paths as tell them apart: "joint1:overshoot", "left/knee:mass*"."""
    deepest = max((name.count("/") for name in names), default=0) + 1
    levels = [[_last_parts(name, parts) for name in names] for parts in range(1, deepest + 1)]
    counts = [Counter(level) for level in levels]
    return [
        next((level[i] for level, count in zip(levels, counts, strict=True) if count[level[i]] == 1), name)
        for i, name in enumerate(names)
    ]


def _last_parts(name: str, parts: int) -> str:
    """Return the last parts of the path of a column, and of both paths of a pair."""
    return "|".join("/".join(path.split("/")[-parts:]) for path in name.split("|"))


def _varying(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns with different finite values."""
    finite = {key: values[np.isfinite(values)] for key, values in columns.items()}
    return {key: columns[key] for key, values in finite.items() if len(values) and values.max() > values.min()}


def _columns(columns: dict[str, np.ndarray], units: dict[str, str], buffers: Buffers) -> list[dict]:
    return [
        {"name": name, "short": short, "unit": units.get(name, ""), "values": buffers.add(values.astype("f4"))}
        for (name, values), short in zip(columns.items(), short_columns(list(columns)), strict=True)
    ]
