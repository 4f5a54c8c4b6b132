"""Pieces of logs that are simulated: their start, the commands of their steps, and the rows that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .motion_log import MotionLog
from .start_state import state_at

LEAST_WINDOW = 10  # rows


@dataclass(frozen=True, eq=False)
class Piece:
    """Consecutive rows of a log, with the state at their start, or some time before it under their first commands."""

    log: MotionLog
    q: np.ndarray  # (D,)
    qd: np.ndarray  # (D,)
    settle: float = 0.0  # [s] before the first row

    def moved(self, offset: np.ndarray) -> "Piece":
        """Return the piece with another start: offsets of positions, then of speeds, (2 D,)."""
        joints = len(self.q)
        return replace(self, q=self.q + offset[:joints], qd=self.qd + offset[joints:])

    def steps(self, dt: float) -> int:
        """Return the number of steps that reach the last row."""
        return max(1, int(np.ceil(self.log.time[-1] / dt - 1e-6)))


def whole_log(log: MotionLog, dt: float, settle: float = 0.0) -> Piece:
    """Return a log as one piece; a scene that settles before it starts at rest."""
    q, qd = state_at(log, 0, dt)
    return Piece(log, q, 0.0 * qd if settle else qd, settle)


def windows_of(logs: Sequence[MotionLog], seconds: float, dt: float) -> list[list[Piece]]:
    """Return the pieces of each log, about `seconds` long, in groups with equal joints, steps and rows.

    Each piece starts from a measured state, so that errors do not add up. A log that is shorter than two
    windows has none.
    """
    groups: dict[tuple[int, int, tuple[int, ...]], list[Piece]] = {}
    for log in logs:
        count = int(log.seconds / seconds)
        rows = len(log) // max(count, 1)
        if count < 2 or rows < LEAST_WINDOW:
            continue
        for first in range(0, len(log) - rows + 1, rows):
            piece = Piece(log.rows(slice(first, first + rows), ""), *state_at(log, first, dt))
            groups.setdefault((piece.steps(dt), rows, log.column), []).append(piece)
    return [groups[key] for key in sorted(groups)]


def mean_command(time: np.ndarray, command: np.ndarray, start: np.ndarray, dt: float, linear: bool) -> np.ndarray:
    """Return the mean of a command over steps, (S, D); between rows it is that of the last row, or linear.

    Args:
        time: times of the rows, (T,) [s].
        command: (T, D).
        start: start of each step at the command, (S,) [s]; before the first row, that row holds.
        dt: length of a step [s].
        linear: whether the command changes linearly from row to row.
    """
    slope = np.diff(command, axis=0) / np.maximum(np.diff(time), 1e-12)[:, None] if linear else 0.0 * command[1:]
    slope = np.vstack((slope, 0.0 * command[:1]))
    length = np.diff(time)[:, None]
    sums = np.vstack((0.0 * command[:1], np.cumsum((command[:-1] + 0.5 * slope[:-1] * length) * length, axis=0)))

    def integral(at: np.ndarray) -> np.ndarray:
        row = np.clip(np.searchsorted(time, at, side="right") - 1, 0, None)
        past = (at - time[row])[:, None]
        return sums[row] + (command[row] + 0.5 * slope[row] * np.maximum(past, 0.0)) * past

    return (integral(start + dt) - integral(start)) / dt


def at_times(frames: np.ndarray, time: np.ndarray, dt: float) -> np.ndarray:
    """Return frames (S + 1, …) after each step, at other times: linear between steps, (T, …)."""
    place = time / dt
    whole = np.rint(place).astype(int)
    if np.abs(place - whole).max() < 1e-3:
        return frames if np.array_equal(whole, np.arange(len(frames))) else frames[whole]
    row = np.clip(place.astype(int), 0, len(frames) - 2)
    part = (place - row).reshape(-1, *[1] * (frames.ndim - 1))
    return frames[row] * (1.0 - part) + frames[row + 1] * part
