"""Faults of the times of a log, and the lag of what was measured behind its command."""

import numpy as np

from ..visual.look.comparison import find_delay
from .log_finding import LogFinding, moving
from .motion_log import MotionLog

LATE, EARLY = 0.25, 3  # [s], rows: lag of a measurement behind its command, and its lead
GAP = 20.0  # rows: a longer pause is named
LONGEST_PERIOD = 0.25  # [s] between rows of a robot's log
TRAVEL = 5e-3, 0.1  # [rad | m] that a joint would move in a gap, and the part of it that it must
DRIFT = 0.04  # [s] by which the lag of one clock does not change
ALIKE = 0.9  # correlation above which a shift explains how positions and targets differ
LINEAR = 0.96  # correlation of lag and time above which clocks run at different rates


def find_clock_faults(log: MotionLog) -> list[LogFinding]:
    """Return findings of the times: their unit, gaps, jumps, jitter, two clocks, made-up times."""
    steps, result = np.diff(log.time), []
    if (steps <= 0.0).any():
        row = int(np.argmax(steps <= 0.0)) + 1
        text = f"time does not increase at row {row}; remove doubled rows"
        return [LogFinding("clock", "", text, True)]
    if log.period > LONGEST_PERIOD:
        text = f"rows are {log.period:.4g} s apart: time must be in seconds; divide ms by 1e3, ns by 1e9"
        return [LogFinding("clock", "", text, True)]
    halves = [float(np.median(part)) for part in np.array_split(steps, 4) if len(part)]
    if max(halves) > 1.5 * min(halves):
        text = f"rows are {min(halves):.4g} s apart, then {max(halves):.4g} s: two clocks; record with one clock"
        result.append(LogFinding("clock", "", text, True))
    if steps.max() > GAP * log.period:
        row = int(steps.argmax())
        if _continues(log, row):
            text = f"time jumps by {steps.max():.4g} s after row {row}, but the motion goes on: two clocks; use one"
            return [LogFinding("clock", "", text, True)]
        text = f"no rows for {steps.max():.4g} s after row {row}; commands are held there"
        result.append(LogFinding("gap", "", text))
    spread = (np.percentile(steps, 95) - np.percentile(steps, 5)) / log.period
    if np.ptp(steps) < 1e-6 * log.period + 4.0 * np.finfo(np.float32).eps * abs(log.time[-1]):
        result.append(LogFinding("made-up", "", "rows are equally far apart: their times may not be measured"))
    elif spread > 0.05:
        text = f"times jitter: 90 % of the rows are within {100.0 * spread:.3g} % of {1e3 * log.period:.4g} ms"
        result.append(LogFinding("jitter", "", text))
    return result


def _continues(log: MotionLog, row: int) -> bool:
    """Return whether no joint moved in the gap after a row, although some were moving."""
    near = slice(max(0, row - 2), row + 4)
    steps = np.abs(np.diff(log.q[near], axis=0))
    gap, travel = float(log.time[row + 1] - log.time[row]), np.median(steps, axis=0) / log.period
    moves = travel * gap > TRAVEL[0]
    moved = np.abs(log.q[row + 1] - log.q[row])
    return bool(moves.any() and (moved[moves] < TRAVEL[1] * (travel * gap)[moves]).all())


def find_lag(log: MotionLog) -> list[LogFinding]:
    """Return the lag of the measurement behind its command: of the dynamics and of delays."""
    target = log.target_q
    if target is None or not (both := moving(log.q) & moving(target)).any():
        return []
    lag = find_delay((log.time, target[:, both]), (log.time, log.q[:, both]), log.period)
    if not np.isfinite(lag) or not _follows(log, both, round(lag / log.period)):
        return []
    if drift := _drift(log, both):
        text = f"q lags its command by {1e3 * drift[0]:.3g} ms at first, by {1e3 * drift[1]:.3g} ms at last: "
        return [LogFinding("clock", "", f"{text}two clocks that run at different rates; record with one", True)]
    rows = lag / log.period
    text = f"q lags its command by {1e3 * lag:.3g} ms ({rows:.1f} rows), by its dynamics and delays"
    if lag > LATE or rows < -EARLY:
        text = f"q {'lags' if lag > 0.0 else 'leads'} its command by {abs(lag):.3g} s, more than a robot does: "
        return [LogFinding("lag", "", f"{text}the clocks of q and target_q differ; shift one of them", True)]
    return [LogFinding("lag", "", text)]


def _follows(log: MotionLog, columns: np.ndarray, rows: int) -> bool:
    """Return whether the measured positions are like the targets some rows before."""
    late, early = max(rows, 0), max(-rows, 0)
    count = len(log) - late - early
    target, q = log.target_q[early : early + count, columns], log.q[late : late + count, columns]  # pyright: ignore[reportOptionalSubscript]
    target, q = target - target.mean(0), q - q.mean(0)
    return bool((target * q).sum() > ALIKE * np.linalg.norm(target) * np.linalg.norm(q))


def _drift(log: MotionLog, columns: np.ndarray) -> tuple[float, float] | None:
    """Return the first and last lag of parts of a log if the lag changes linearly by more than `DRIFT`."""
    count = 6 if log.seconds > 4.0 else 4
    lags = []
    for rows in np.array_split(np.arange(len(log)), count):
        target, q = (x[np.ix_(rows, np.flatnonzero(columns))] for x in (log.target_q, log.q))  # pyright: ignore[reportOptionalSubscript]
        lags.append(find_delay((log.time[rows], target), (log.time[rows], q), log.period))
    if not np.isfinite(lags).all() or abs(lags[-1] - lags[0]) <= DRIFT:
        return None
    return (lags[0], lags[-1]) if abs(np.corrcoef(np.arange(count), lags)[0, 1]) > LINEAR else None
