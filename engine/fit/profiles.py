"""Profiles: values of a kinked parameter, which the other parameters follow."""

import numpy as np

from .levenberg_marquardt import Optimum, cost_of
from .parameters import KINKED
from .problem import Problem

PROFILE, FOLLOWED = 96, 4  # values of a profile, and launches in which the other parameters follow them


def kinked_places(problem: Problem) -> list[int]:
    """Return the places of the kinked parameters."""
    return [i for i, p in enumerate(problem.parameters) if p.quantity in KINKED]


def profile_kinks(problem: Problem, found: Optimum, zoom: float) -> tuple[np.ndarray | None, dict[int, float]]:
    """Return coordinates with better values of kinked parameters (None if none is), and their deviations by place.

    The other parameters follow each value by steps with the Jacobian of the optimum.

    Args:
        problem: the problem.
        found: an optimum of its parameters.
        zoom: part of the range of a parameter on each side of its value.
    """
    x, cost, better = found.x, found.cost, False
    low, high = problem.space.low, problem.space.high
    widths = {}
    for i in kinked_places(problem):
        follow = follower(found.jacobian, i)
        reach = zoom * (high[i] - low[i])
        tried = np.repeat(x[None], PROFILE, axis=0)
        tried[:, i] = np.linspace(max(x[i] - reach, low[i]), min(x[i] + reach, high[i]), PROFILE)
        least = np.full(PROFILE, np.inf)
        for _ in range(FOLLOWED):
            residuals = problem.residuals(tried)
            costs = cost_of(residuals)
            if costs.min() < cost * (1.0 - 1e-4):
                x, cost, better = tried[int(costs.argmin())].copy(), float(costs.min()), True
            least = np.minimum(least, costs)
            steps = np.nan_to_num(residuals) @ follow
            tried = np.clip(tried - np.clip(steps, -1.0, 1.0), low, high)
        widths[i] = profile_deviation(tried[:, i], least, len(found.residual))
    return x if better else None, widths


def profile_deviation(values: np.ndarray, costs: np.ndarray, count: int) -> float:
    """Return a standard deviation: half the width of the values whose cost is one variance above the least.

    Args:
        values: values of a parameter, equally far apart, (V,).
        costs: least sum of squares over the other parameters at each, (V,).
        count: number of residuals.
    """
    near = values[costs <= costs.min() * (1.0 + 1.0 / count)]
    return max(0.5 * float(np.ptp(near)), float(values[1] - values[0]))


def follower(J: np.ndarray, held: int) -> np.ndarray:
    """Return the matrix (N, P) that gives Gauss-Newton steps of all parameters but one from residuals."""
    others = np.arange(J.shape[1]) != held
    result = np.zeros(J.shape)
    result[:, others] = np.linalg.pinv(J[:, others]).T
    return result
