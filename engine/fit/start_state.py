"""States at rows of a log: positions and speeds from noisy measured positions.

A simulated speed belongs to the end of its step, q' = q + h v'. The difference of two rows is therefore the speed half
a step after their middle.
"""

import numpy as np

from .detection import noise, quantum
from .motion_log import MotionLog

LEAST_ROWS = 8
EXACT = 1e-8  # [rad | m] noise below which positions are those of a simulation
EXACT_ROWS = 6
SPAN = 0.02  # [s] on each side of a row
RESTING = 3.0  # standard deviations by which the mean of a joint at rest differs


def state_at(log: MotionLog, row: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return position and speed of every joint at a row, (D,) each.

    A speed that the log has counts. Else the first row of a joint at rest is the mean of its rest, and other rows are
    those of a local polynomial.

    Args:
        log: the log.
        row: the row.
        step: of the simulation [s].
    """
    if log.qd is not None:
        return log.q[row].copy(), log.qd[row].copy()
    spread = [max(noise(x), quantum(x)) for x in log.q.T]
    wide, order = (EXACT_ROWS, 4) if max(spread) < EXACT else (max(LEAST_ROWS, round(SPAN / log.period)), 2)
    first, last = max(0, row - wide), min(len(log), row + wide + 1)
    time, q = log.time[first:last] - log.time[row], log.q[first:last]
    middle = 0.5 * (time[1:] + time[:-1]) + 0.5 * step
    speed = np.diff(q, axis=0) / np.diff(time)[:, None]
    rate = _value_at_0(middle, speed, order)
    position = q[row - first].copy() if order == 4 else _value_at_0(time, q, 3)
    for j in range(q.shape[1]) if row == 0 else ():
        if (resting := _rest(log.q[:, j], spread[j])) >= LEAST_ROWS:
            position[j], rate[j] = log.q[:resting, j].mean(), 0.0
    return position, rate


def _value_at_0(time: np.ndarray, values: np.ndarray, order: int) -> np.ndarray:
    """Return the values at time 0 of polynomials through rows, (D,)."""
    scale = np.abs(time).max()
    return np.polyfit(time / scale, values, min(order, len(time) - 1))[-1]


def _rest(q: np.ndarray, spread: float) -> int:
    """Return the number of first rows that rest: their halves have equal means, as far as the noise says."""
    resting, count = 0, LEAST_ROWS
    while count <= len(q):
        first, second = q[: count // 2], q[count // 2 : count]
        if abs(second.mean() - first.mean()) > RESTING * spread * 2.0 / np.sqrt(count):
            break
        resting, count = count, 2 * count
    return resting
