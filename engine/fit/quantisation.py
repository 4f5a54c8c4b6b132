"""Errors of encoders with few bits, which are correlated where a joint is slow.

A joint that rests or reverses stays within one step Q of its encoder, and all its rows there have one error. The error
of a position q is Q (round(u) − u) with u = q/Q + φ. The place φ of the steps is not known to a fraction of a step, so
that the variance of a gradient Jᵀe is its mean over all φ. What the residuals have besides is white.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .detection import quantum
from .intervals import invert
from .normal_equations import combine, gram

PLACES = 16  # of the steps of an encoder, over which gradients are averaged


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured values of one quantity in a piece, in the order of the residuals."""

    time: np.ndarray  # (T,)
    values: np.ndarray  # (T, D)
    noise: np.ndarray  # (D,) that residuals are divided by


def quantised_covariance(J: np.ndarray, r: np.ndarray, measured: Sequence[Measured]) -> np.ndarray | None:
    """Return the covariance with the errors of encoders, (P, P); None if no channel looks quantised.

    Args:
        J: Jacobian, (N, P).
        r: residuals, (N,).
        measured: what was measured; rows of J that remain are independent and have the deviation 1.
    """
    steps = [[quantum(column) for column in one.values.T] for one in measured]
    if not any(map(any, steps)):
        return None
    first, scores = 0, np.zeros((J.shape[1],) * 2)
    for one, sizes in zip(measured, steps, strict=True):
        rows = slice(first, first + one.values.size)
        for j, step in enumerate(sizes):
            part = slice(rows.start + j, rows.stop, len(sizes))
            place = (one.values[:, j] + r[part] * one.noise[j]) / step if step else None
            scores += _scores(J[part], r[part], place, step / one.noise[j])
        first = rows.stop
    scores += gram(J[first:])
    inverse = invert(gram(J))
    return inverse @ scores @ inverse


def _scores(J: np.ndarray, r: np.ndarray, place: np.ndarray | None, step: float) -> np.ndarray:
    """Return the mean of gradients times themselves of one channel, (P, P).

    Args:
        J: Jacobian, (T, P).
        r: residuals, (T,).
        place: simulated positions in steps of the encoder, (T,); None without steps.
        step: of the encoder, in units of the noise.
    """
    white, scores = float(r @ r) / len(r), 0.0
    for phase in (np.arange(PLACES) + 0.5) / PLACES if place is not None else ():
        error = step * (np.round(place + phase) - place - phase)  # pyright: ignore[reportOptionalOperand]
        gradient = combine(J.T, error)
        scores = scores + np.outer(gradient, gradient) / PLACES
        white -= float(error @ error) / len(r) / PLACES
    return scores + max(white, 0.0) * gram(J)
