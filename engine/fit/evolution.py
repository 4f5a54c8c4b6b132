"""Random search around an optimum: covariance matrix adaptation (CMA-ES), for costs that jump.

Hansen, "The CMA Evolution Strategy: A Tutorial", 2016: recombination of the best half, cumulative step-size control,
rank-one and rank-µ updates of the covariance.
"""

from collections.abc import Callable

import numpy as np

POPULATION, GENERATIONS = 96, 60


def evolve(
    cost: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    deviations: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    seed: int = 0,
) -> np.ndarray:
    """Return the best coordinates that a random search found, (P,); the start if none is better.

    Args:
        cost: function of coordinates (V, P) that returns costs (V,); infinite for worlds that failed.
        start: (P,).
        deviations: of the first generation, (P,).
        bounds: lower and upper bounds, (P,) each.
        seed: of the random numbers.
    """
    rng, count, half = np.random.default_rng(seed), len(start), POPULATION // 2
    weights = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
    weights /= weights.sum()
    mass = 1.0 / (weights**2).sum()
    rate = (mass + 2.0) / (count + mass + 5.0)
    damp = 1.0 + 2.0 * max(0.0, np.sqrt((mass - 1.0) / (count + 1.0)) - 1.0) + rate
    turn = (4.0 + mass / count) / (count + 4.0 + 2.0 * mass / count)
    one = 2.0 / ((count + 1.3) ** 2 + mass)
    many = min(1.0 - one, 2.0 * (mass - 2.0 + 1.0 / mass) / ((count + 2.0) ** 2 + mass))
    usual = np.sqrt(count) * (1.0 - 1.0 / (4.0 * count) + 1.0 / (21.0 * count**2))
    mean, size, C = np.zeros(count), 1.0, np.eye(count)
    path, drift = np.zeros(count), np.zeros(count)
    best, least = start, float(cost(start[None])[0])
    for generation in range(GENERATIONS):
        values, vectors = np.linalg.eigh(C)
        scales = np.sqrt(np.maximum(values, 1e-20))
        steps = (rng.normal(size=(POPULATION, count)) * scales) @ vectors.T
        tried = np.clip(start + deviations * (mean + size * steps), *bounds)
        costs = cost(tried)
        order = np.argsort(costs, kind="stable")
        if costs[order[0]] < least:
            best, least = tried[order[0]].copy(), float(costs[order[0]])
        chosen = steps[order[:half]]
        step = weights @ chosen
        mean = mean + size * step
        path = (1.0 - rate) * path + np.sqrt(rate * (2.0 - rate) * mass) * (vectors / scales) @ (vectors.T @ step)
        length = np.linalg.norm(path)
        short = length / np.sqrt(1.0 - (1.0 - rate) ** (2 * generation + 2)) < (1.4 + 2.0 / (count + 1.0)) * usual
        drift = (1.0 - turn) * drift + short * np.sqrt(turn * (2.0 - turn) * mass) * step
        C = (1.0 - one - many) * C + one * np.outer(drift, drift) + many * (chosen.T * weights) @ chosen
        size *= float(np.exp(rate / damp * (length / usual - 1.0)))
    return best
