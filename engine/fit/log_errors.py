"""Errors of logs: their positions against those of a simulation with the scene's values, and with fitted ones."""

from collections.abc import Sequence

import numpy as np

from .motion_log import MotionLog
from .piece import Piece
from .result import LogError
from .rollout import Rollout


def error_of_log(rollout: Rollout, log: MotionLog, pieces: Sequence[Piece], values: np.ndarray, held: bool) -> LogError:
    """Return the errors of a log.

    Args:
        rollout: the simulations.
        log: the log.
        pieces: its pieces; rows after the last one do not count.
        values: fitted values, (P,).
        held: whether the log was held back.
    """
    rows = sum(len(piece.log) for piece in pieces)
    log = log if rows == len(log) else log.rows(slice(0, rows), "")
    before, after = (_seen(rollout, some, pieces) for some in (None, values))
    rms = [np.sqrt(((x - log.q) ** 2).mean(0)) for x in (before, after)]
    return LogError(log, held, rms[0], rms[1], after)


def _seen(rollout: Rollout, values: np.ndarray | None, pieces: Sequence[Piece]) -> np.ndarray:
    """Return the positions that a log should show, biases included, (T, D); None: with the scene's values."""
    columns = pieces[0].log.column
    q, _ = rollout.simulate(None if values is None else values[None], pieces)
    seen = np.concatenate(q[0])[:, list(columns)]
    for i, p in enumerate(rollout.parameters):
        if values is not None and p.quantity == "bias" and p.column in columns:
            seen[:, columns.index(p.column)] += values[i]
    return seen
