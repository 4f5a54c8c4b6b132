"""Levenberg–Marquardt over worlds: a Jacobian by finite differences, and eight damped steps, are one launch each."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .normal_equations import combine, gram, project

STEP = 1e-4  # of finite differences, in coordinates
DAMPINGS = 10.0 ** np.array((-6.0, -4.0, -3.0, -2.0, -1.5, -1.0, 0.0, 1.0))
"""Factors of the steps that are tried at once: as many as lanes. Curved valleys need those from 1e-3 to 0.1."""
LONGEST = 2.0  # step of a coordinate, relative above 1
APPROACH = 0.95  # part of the way to a bound that a step may go, so that friction does not jump to 0 and stay there
SMALL_GAIN = 0.2  # relative gain below which the step itself corrects the Jacobian
NEAR = 1e-2  # distance, in coordinates, within which a Jacobian hardly changes
AT_BOUND = 1e-2  # distance from a bound, in coordinates, at which a step may reach it

Residuals = Callable[[np.ndarray], np.ndarray]
"""Function of coordinates (V, P) that returns residuals (V, N); a row that is not finite is a world that failed."""

Linear = tuple[np.ndarray, np.ndarray]
"""Residuals (N,) and Jacobian (N, P)."""


@dataclass(frozen=True, eq=False)
class Space:
    """Bounds of coordinates, the steps of finite differences, and distances, (P,) each.

    Within the distance `near` from where it was computed, a Jacobian counts as that of the end.
    """

    low: np.ndarray
    high: np.ndarray
    step: np.ndarray
    near: np.ndarray | float = NEAR


@dataclass(frozen=True)
class Stop:
    """Limits of a fit: its number of iterations, the relative gain and the cost below which it ends."""

    iterations: int = 40
    gain: float = 1e-6
    cost: float = 0.0
    rough: bool = False  # the end needs no Jacobian of differences


THOROUGH = Stop()


@dataclass(frozen=True, eq=False)
class Optimum:
    """End of a fit in coordinates."""

    x: np.ndarray  # (P,)
    residual: np.ndarray  # (N,)
    jacobian: np.ndarray  # (N, P)
    at_bound: np.ndarray  # (P,) booleans
    iterations: int

    @property
    def cost(self) -> float:
        """Return the sum of squares."""
        return cost_of(self.residual[None])[0]


def cost_of(residuals: np.ndarray) -> np.ndarray:
    """Return the sum of squares of each row; infinite for a row that is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        costs = np.einsum("vn,vn->v", residuals, residuals)
    return np.where(np.isfinite(costs), costs, np.inf)


def jacobian_at(residuals: Residuals, x: np.ndarray, space: Space, base: np.ndarray | None = None) -> Linear:
    """Return residuals (N,) and Jacobian (N, P): forward differences, backward ones at an upper bound.

    A column that is not finite is 0. Steps are relative for coordinates above 1.

    Args:
        residuals: function of coordinates.
        x: coordinates, (P,).
        space: bounds and steps.
        base: residuals at x, if they are known.
    """
    step = space.step * np.maximum(np.abs(x), 1.0)
    step = np.where(x + step > space.high, -step, step)
    moved = x + np.diag(step)
    rows = residuals(np.vstack((moved, x)) if base is None else moved)
    at = rows[-1].copy() if base is None else base
    rows = rows[: len(x)]
    with np.errstate(invalid="ignore", over="ignore"):
        rows -= at
        rows /= step[:, None]
    rows[~np.isfinite(rows).all(1)] = 0.0
    return at, rows.T


def minimize(
    residuals: Residuals,
    x: np.ndarray,
    space: Space,
    stop: Stop = THOROUGH,
    known: Linear | None = None,
) -> Optimum:
    """Minimise the sum of squares within bounds.

    Args:
        residuals: function of coordinates.
        x: start, (P,).
        space: bounds, and steps of finite differences.
        stop: when it ends.
        known: residuals and Jacobian at the start, where they are known.

    Raises:
        ArithmeticError: the residuals at the start are not finite.
    """
    x = np.clip(x, space.low, space.high)
    r, J = known or jacobian_at(residuals, x, space)
    cost, count, factors, exact_at = cost_of(r[None])[0], 0, DAMPINGS, x
    if not np.isfinite(cost):
        raise ArithmeticError("the simulation at the start is not finite")
    while count < stop.iterations and cost > 0.0:
        gradient = project(J, r)
        held = ((x <= space.low) & (gradient > 0.0)) | ((x >= space.high) & (gradient < 0.0))
        steps = _steps(J, gradient, held, factors)
        ends = held.all() or (count > 0 and -gradient @ steps[0] < stop.gain * cost)
        if not ends:
            tried = _within(x, steps, space)
            rows = residuals(tried)
            costs = cost_of(rows)
            best, count = int(costs.argmin()), count + 1
            gain = 1.0 - costs[best] / cost
            if gain > 0.0:
                before, x, change, r = x, tried[best], rows[best] - r, rows[best].copy()
                cost, factors = costs[best], DAMPINGS
                ends = gain < stop.gain or cost < stop.cost or np.abs(x - before).max() < 1e-10
                if gain < SMALL_GAIN and not ends:
                    J = update_jacobian(J, x - before, change)
                    continue
            elif exact_at is x:
                if factors[0] > 1.0 or np.abs(tried - x).max() < 1e-9:
                    break
                factors = factors * 1e6
                continue
        if exact_at is x or (ends and (stop.rough or (np.abs(x - exact_at) < space.near).all())):
            break
        J, exact_at = jacobian_at(residuals, x, space, r)[1], x
    if (np.abs(x - exact_at) >= space.near).any() and not stop.rough:
        J = jacobian_at(residuals, x, space, r)[1]
    return Optimum(x, r, J, (x <= space.low) | (x >= space.high), count)


def update_jacobian(J: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return the nearest Jacobian under which a step changes the residuals as it did (Broyden)."""
    return J + np.outer(change - combine(J, step), step / (step @ step))


def _steps(J: np.ndarray, gradient: np.ndarray, held: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return one step per damping factor, (F, P); coordinates at a bound that the gradient holds do not move."""
    free = np.flatnonzero(~held)
    steps = np.zeros((len(factors), len(gradient)))
    H = gram(J)[np.ix_(free, free)]
    size = np.sqrt(np.diag(H))
    size[size <= 0.0] = 1.0
    damped = H / np.outer(size, size) + factors[:, None, None] * np.eye(len(free))
    steps[:, free] = -np.linalg.solve(damped, (gradient[free] / size)[None, :, None])[:, :, 0] / size
    return steps


def _within(x: np.ndarray, steps: np.ndarray, space: Space) -> np.ndarray:
    """Return coordinates after steps: each within `LONGEST`, within bounds, and not all the way to one that is far."""
    low, high = space.low, space.high
    size = np.maximum(np.abs(x), 1.0)
    steps = np.clip(steps, -LONGEST * size, LONGEST * size)
    down, up = low - x, high - x
    down = np.where(down < -AT_BOUND, APPROACH * down, down)
    up = np.where(up > AT_BOUND, APPROACH * up, up)
    return np.clip(x + np.clip(steps, down, up), low, high)
