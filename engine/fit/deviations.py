"""Covariance of the coordinates of a fit, from its Jacobian, its profiles and the fits of single logs."""

from collections.abc import Mapping, Sequence

import numpy as np

from .intervals import covariance, rescale
from .levenberg_marquardt import Optimum
from .problem import Problem
from .quantisation import quantised_covariance


def covariance_at(
    problem: Problem, found: Optimum, widths: Mapping[int, float], alone: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Return the covariance of the coordinates (P, P): robust, and not below the spread of logs; 0 at bounds.

    Args:
        problem: the problem.
        found: its optimum, of parameters, or of parameters and starts.
        widths: {place: deviation} of kinked parameters, by their profiles.
        alone: coordinates that fit one log each, (P,).
    """
    count = len(problem.parameters)
    free, kinked = ~found.at_bound, np.isin(np.arange(len(found.x)), list(widths))
    smooth = free & ~kinked
    blocks = problem.blocks_with_starts() if len(found.x) > count else problem.blocks()
    J, r = found.jacobian[:, smooth], found.residual
    measured = [one for some in problem.measured() for one in some]
    places = np.flatnonzero(smooth[:count])
    inner = covariance(J, r, blocks, quantised_covariance(J, r, measured))[: len(places), : len(places)]
    if alone:
        spread = np.stack(alone)[:, places].std(0, ddof=1) / np.sqrt(len(alone))
        inner = rescale(inner, np.maximum(spread, np.sqrt(np.diag(inner))))
    result = np.zeros((count, count))
    result[np.ix_(places, places)] = inner
    for i, width in widths.items():
        result[i, i] = width**2 * free[i]
    return result
