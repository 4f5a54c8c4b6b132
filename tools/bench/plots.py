"""Plots of measurements: a curve per robot and engine, or bars if no number varies."""

from pathlib import Path
from typing import Any

from fajin.tools.plots import figure

from .report import Row, headings

AXES = ("worlds", "threads", "dofs")
LABELS = ("robot", "constraint", "question", "stage", "device", "precision", "solver", "iterations", *AXES)


def draw_rows(rows: list[Row], unit: str, title: str, path: Path) -> None:
    """Plot every column whose heading ends with `unit` over the varied number.

    Raises:
        OutputError: the plot cannot be written.
    """
    columns = [heading for heading in headings(rows) if heading.endswith(unit)]
    columns = [column for column in columns if any(row.get(column) is not None for row in rows)]  # peers may be missing
    axis = next((name for name in AXES if len({row.get(name) for row in rows}) > 1 and _alone(rows, name)), None)
    shown = columns[0] if len(columns) == 1 else unit
    with figure(path) as (axes,):
        if axis:
            _curves(axes, rows, columns, axis)
            axes.set_ylabel(shown)
        else:
            _bars(axes, rows, columns)
            axes.set_xlabel(shown)
        axes.set_title(title, fontsize=8, loc="left")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)


def _alone(rows: list[Row], axis: str) -> bool:
    """Return whether several rows share a name apart from this number, so that a curve has several points."""
    return len({_name(row, rows, axis) for row in rows}) < len(rows)


def _name(row: Row, rows: list[Row], without: str | None = None) -> str:
    """Return the label of a row, or of a curve, from its varied values."""
    varied = [label for label in LABELS if label != without and len({other.get(label) for other in rows}) > 1]
    if without and {"robot", "dofs"} & set(varied):  # the robot implies its dofs
        varied = [label for label in varied if label != "dofs"]
    return ", ".join(f"{row[label]} {label}" if label in AXES else str(row[label]) for label in varied if label in row)


def _curves(axes: Any, rows: list[Row], columns: list[str], axis: str) -> None:
    for column in columns:
        lines: dict[str, list] = {}
        for row in rows:
            if row.get(column) is not None:
                lines.setdefault(_name(row, rows, axis), []).append((row[axis], row[column]))
        for name, points in lines.items():
            label = ", ".join(filter(None, (column, name)))
            axes.plot(*zip(*sorted(points), strict=True), "o-", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(axis)


def _bars(axes: Any, rows: list[Row], columns: list[str]) -> None:
    height = 0.8 / max(1, len(columns))
    for i, column in enumerate(columns):
        shown = [(k + i * height, row[column]) for k, row in enumerate(rows) if row.get(column) is not None]
        axes.barh(*zip(*shown, strict=True), height=height, label=column)
    middle = 0.4 - height / 2
    axes.set_yticks([k + middle for k in range(len(rows))], [_name(row, rows) or row.get("robot", "") for row in rows])
    axes.invert_yaxis()
