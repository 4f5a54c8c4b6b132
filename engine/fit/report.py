"""Page of a fit: verdict, values with intervals, what the logs determine, and measured against simulated motion."""

from typing import Any

import numpy as np

from ..visual.look.pack import Buffers, pack_page, page_head
from ..visual.look.page import Page
from ..visual.look.series import short_names
from .intervals import NORMAL
from .result import Fit, FittedValue, LogError

PLOTTED_ROWS = 4000  # times in a plot
LARGE = 4.0  # χ² above which errors are named


def fit_page(fit: Fit, name: str) -> Page:
    """Return the page of a fit."""
    buffers, head = Buffers(), page_head("plots", f"Fit of {name}")
    head["notes"] = [verdict(fit), *fit.identifiability.lines(), *missing_laws(fit), *map(str, fit.findings)]
    head["table"] = value_table(fit)
    for error in fit.errors:
        _add_log(head, error, buffers)
    return Page("document", head["title"], pack_page(head, buffers))


def verdict(fit: Fit) -> str:
    """Return one line about the fit."""
    scene = fit.scene
    fitted = [e.rms for e in fit.errors if not e.held_back]
    held = [e.rms for e in fit.errors if e.held_back]
    parts = [f"rms error of fitted logs {_pair(fitted)}"]
    parts += [f"of held-back logs {_pair(held)}"] if held else []
    return (
        f"{'; '.join(parts)}; {len(fit.values)} parameters, {fit.iterations} iterations, {fit.evaluations} rollouts, "
        f"χ² {fit.chi_squared:.3g}; valid at {1.0 / scene.dt:.6g} steps/s under {scene.solver.name}"
    )


def _pair(rms: list[tuple[float, float]]) -> str:
    """Return errors before and after, in thousandths."""
    before, after = (float(np.sqrt(np.mean(np.square(column)))) for column in zip(*rms, strict=True))
    return f"{1e3 * before:.4g} → {1e3 * after:.4g} mrad (or mm)"


def value_table(fit: Fit) -> dict[str, Any]:
    """Return caption, columns and rows of the fitted values; None where a number does not exist."""
    return {
        "caption": "Fitted values in SI units, with 95 % intervals",
        "columns": ["parameter", "value", "±", "from", "to", "unit", "note"],
        "rows": [_row(one) for one in fit.values],
    }


def short_rows(fit: Fit) -> list[list[str]]:
    """Return name, value ± half the interval with two digits, unit and note of each value."""
    rows = []
    for one, (name, *_, note) in zip(fit.values, value_table(fit)["rows"], strict=True):
        rows.append([name, rounded(one.value, NORMAL * one.deviation), one.parameter.unit, note])
    return rows


def rounded(value: float, half: float) -> str:
    """Return a value with the digits that its interval leaves, and the interval: "0.0513 ± 0.0021"."""
    if not half > 0.0:
        return f"{value:.6g}"
    last = int(np.floor(np.log10(half))) - 1
    if not 1e-4 < max(half, abs(value)) < 1e6 or half < 1e-8:
        return f"{value:.4g} ± {half:.2g}"
    return f"{value:.{max(0, -last)}f} ± {half:.{max(0, -last)}f}"


def _row(one: FittedValue) -> list[Any]:
    half, bounds = NORMAL * one.deviation, one.interval
    none = np.isnan(one.deviation)
    note = "at its bound" if one.at_bound else "± above value" if one.loose else ""
    numbers = [None if none else float(x) for x in (half, *bounds)]
    return [one.name, one.value, *numbers, one.parameter.unit, note]


def missing_laws(fit: Fit) -> list[str]:
    """Return sentences on residuals above the noise, and on those that depend on speed or direction."""
    said = []
    if fit.chi_squared > LARGE:
        times = f"{fit.chi_squared**0.5:.3g} times the noise of the measurements"
        said.append(f"errors are {times}: the model lacks a law, or another minimum is lower; try --window or --polish")
    for error in (e for e in fit.errors if not e.held_back):
        residual = error.simulated - error.log.q
        speed = np.gradient(error.simulated, error.log.time, axis=0)
        for j, name in enumerate(short_names(error.log.dof)):
            r, v = residual[:, j], speed[:, j]
            size = float(np.sqrt((r**2).mean()))
            if size < 1e-4 or np.ptp(v) < 1e-3:
                continue
            lag = float(np.corrcoef(r, np.sign(v))[0, 1])
            rising = float(np.corrcoef(np.abs(r), np.abs(v))[0, 1])
            if abs(lag) > 0.5:
                said.append(f"{name}: the error changes its sign with the direction ({lag:+.2f}): backlash or friction")
            elif abs(rising) > 0.5:
                said.append(f"{name}: |error| follows the speed ({rising:+.2f}): friction that is not linear in it")
    return said


def _add_log(head: dict[str, Any], error: LogError, buffers: Buffers) -> None:
    """Add the panels of one log: measured and simulated positions, and their difference."""
    log = error.log
    rows = slice(None, None, max(1, len(log) // PLOTTED_ROWS))
    first = len(head["joints"])
    names = short_names(log.dof)
    kind = "held back" if error.held_back else "fitted"
    head["joints"] += [{"name": f"{n} · {log.name}", "path": path} for n, path in zip(names, log.dof, strict=True)]
    panel = {"unit": "rad | m", "time": buffers.add(log.time[rows].astype("f8")), "bands": []}
    measured = _curves(log.q[rows], names, first, buffers, False)
    simulated = _curves(error.simulated[rows], names, first, buffers, True)
    difference = _curves((error.simulated - log.q)[rows], names, first, buffers, False)
    head["panels"] += [
        panel | {"title": "q", "label": f"{log.name} ({kind}): position", "note": "measured, dashed: simulated",
                 "curves": measured + simulated},
        panel | {"title": "difference", "label": f"{log.name} ({kind}): simulated − measured", "note": "",
                 "curves": difference},
    ]  # fmt: skip


def _curves(values: np.ndarray, names: list[str], first: int, buffers: Buffers, dash: bool) -> list[dict[str, Any]]:
    return [
        {"name": name, "joint": first + j, "dash": dash, "values": buffers.add(values[:, j].astype("f4"))}
        for j, name in enumerate(names)
    ]
