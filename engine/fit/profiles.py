"""Profiles: values of a kinked parameter, which the other parameters follow."""

import numpy as np


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
