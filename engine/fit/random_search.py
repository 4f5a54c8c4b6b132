"""Random search around an optimum by the package cma (CMA-ES), for costs that jump."""

from collections.abc import Callable

import numpy as np

from ..errors import InputError

POPULATION, GENERATIONS = 96, 60


def check_search() -> None:
    """Raise InputError if the package cma is missing."""
    try:
        import cma  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise InputError("polish = True: needs the package cma; pip install cma, or leave it out") from None


def search_at_random(
    cost: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    deviations: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    seed: int = 1,
) -> np.ndarray:
    """Return the best coordinates that a random search found, (P,); the start if none is better.

    Args:
        cost: function of coordinates (V, P) that returns costs (V,); infinite for worlds that failed.
        start: (P,).
        deviations: of the first generation, (P,).
        bounds: lower and upper bounds, (P,) each.
        seed: of the random numbers, from 1.
    """
    import cma  # pyright: ignore[reportMissingImports]

    ends = [[None if np.isinf(x) else float(x) for x in bound] for bound in bounds]
    never = {"tolfun": 0, "tolfunhist": 0, "tolx": 0, "tolstagnation": 1 << 30, "tolflatfitness": GENERATIONS}
    said = {"popsize": POPULATION, "maxiter": GENERATIONS, "seed": seed, "verbose": -9, "bounds": ends}
    search = cma.CMAEvolutionStrategy(start, 1.0, {**said, **never, "CMA_stds": deviations})
    best, least = start, float(cost(start[None])[0])
    while not search.stop():
        tried = np.array(search.ask())
        costs = cost(tried)
        if costs.min() < least:
            best, least = tried[int(costs.argmin())].copy(), float(costs.min())
        search.tell(list(tried), list(np.where(np.isfinite(costs), costs, 1e300)))
    return best
