"""Levenberg–Marquardt over worlds: a Jacobian by finite differences, and eight damping factors, are one launch each."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

STEP = 1e-4  # of finite differences, in coordinates
DAMPINGS = 10.0 ** np.linspace(-6.0, 2.0, 8)
LONGEST = 1.0, 4.0  # steps of a coordinate, relative above 1, each with each damping factor
APPROACH = 0.95  # part of the way to a bound that a step may go, so that friction does not jump to 0 and stay there
AT_BOUND = 1e-2  # distance from a bound, in coordinates, at which a step may reach it
GAIN = 1e-6  # relative gain below which the fit ends
MOST_ITERATIONS = 40

Residuals = Callable[[np.ndarray], np.ndarray]
"""Function of coordinates (V, P) that returns residuals (V, N); a row that is not finite is a world that failed."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """End of a fit in coordinates."""

    x: np.ndarray  # (P,)
    residual: np.ndarray  # (N,)
    jacobian: np.ndarray  # (N, P)
    at_bound: np.ndarray  # (P,) booleans
    iterations: int
    evaluations: int  # worlds that were simulated

    @property
    def cost(self) -> float:
        """Return the sum of squares."""
        return cost_of(self.residual[None])[0]


def cost_of(residuals: np.ndarray) -> np.ndarray:
    """Return the sum of squares of each row; infinite for a row that is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        costs = np.einsum("vn,vn->v", residuals, residuals)
    return np.where(np.isfinite(costs), costs, np.inf)


def jacobian_at(
    residuals: Residuals, x: np.ndarray, high: np.ndarray, step: float | np.ndarray = STEP
) -> tuple[np.ndarray, np.ndarray]:
    """Return residuals (N,) and Jacobian (N, P): forward differences, backward ones at an upper bound.

    A column that is not finite is 0. Steps are relative for coordinates above 1.
    """
    step = step * np.maximum(np.abs(x), 1.0)
    step = np.where(x + step > high, -step, step)
    rows = residuals(np.vstack((x, x + np.diag(step))))
    base = rows[0]
    rows = rows[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        rows -= base
        rows /= step[:, None]
    rows[~np.isfinite(rows).all(1)] = 0.0
    return base, rows.T


def minimize(
    residuals: Residuals,
    x: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    most: int = MOST_ITERATIONS,
    step: float | np.ndarray = STEP,
) -> Optimum:
    """Minimise the sum of squares within bounds.

    Args:
        residuals: function of coordinates.
        x: start, (P,).
        bounds: lower and upper bounds, (P,) each.
        most: number of iterations.
        step: of finite differences, one number or (P,).

    Raises:
        ArithmeticError: the residuals at the start are not finite.
    """
    low, high = bounds
    x = np.clip(x, low, high)
    count, evaluations, factors = 0, 0, DAMPINGS
    while True:
        r, J = jacobian_at(residuals, x, high, step)
        evaluations += len(x) + 1
        cost = cost_of(r[None])[0]
        if not np.isfinite(cost):
            raise ArithmeticError("the simulation at the start is not finite")
        gradient = J.T @ r
        held = ((x <= low) & (gradient > 0.0)) | ((x >= high) & (gradient < 0.0))
        if count >= most or held.all() or cost == 0.0:
            break
        tried = _within(x, _steps(J, gradient, held, factors), bounds)
        costs = cost_of(residuals(tried))
        evaluations += len(tried)
        best = int(costs.argmin())
        count += 1
        if not costs[best] < cost:
            if factors[0] > 1.0 or np.abs(tried - x).max() < 1e-9:
                break
            factors = factors * 1e6
            continue
        gain, moved = 1.0 - costs[best] / cost, np.abs(tried[best] - x).max()
        x, factors = tried[best], DAMPINGS
        if gain < GAIN or moved < 1e-10:
            if moved > 10.0 * STEP:
                r, J = jacobian_at(residuals, x, high, step)
            break
    at_bound = (x <= low) | (x >= high)
    return Optimum(x, r, J, at_bound, count, evaluations)


def _steps(J: np.ndarray, gradient: np.ndarray, held: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return one step per damping factor, (F, P); coordinates at a bound that the gradient holds do not move."""
    free = np.flatnonzero(~held)
    steps = np.zeros((len(factors), len(gradient)))
    H = (J.T @ J)[np.ix_(free, free)]
    size = np.sqrt(np.diag(H))
    size[size <= 0.0] = 1.0
    values, vectors = np.linalg.eigh(H / np.outer(size, size))
    along = vectors.T @ (gradient[free] / size)
    damped = np.maximum(values, 0.0) + factors[:, None]
    steps[:, free] = -((along / damped) @ vectors.T) / size
    return steps


def _within(x: np.ndarray, steps: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return coordinates after steps: each within `LONGEST`, within bounds, and not all the way to one that is far."""
    low, high = bounds
    size = np.maximum(np.abs(x), 1.0)
    steps = np.concatenate([np.clip(steps, -most * size, most * size) for most in LONGEST])
    down, up = low - x, high - x
    down = np.where(down < -AT_BOUND, APPROACH * down, down)
    up = np.where(up > AT_BOUND, APPROACH * up, up)
    return np.clip(x + np.clip(steps, down, up), low, high)
