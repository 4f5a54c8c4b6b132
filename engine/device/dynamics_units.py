"""Units of what a dynamics query takes and returns where the device has stage units of length, see `stage_units`.

u̇_i of coordinate i: L^p_i        its effort: L^(2 − p_i)        M_ij: L^(2 − p_i − p_j)        J_ri: L^(p_r − p_i)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..model import Model
from ..tables.request import REQUEST
from ..tables.topology import ARTICULATION, KINDS, NODE

MOTION, WRENCH = (1, 1, 1, 0, 0, 0), (1, 1, 1, 2, 2, 2)
"""Powers of length of a motion of a link, and of a force and torque."""

TOTALS = (*(1,) * 6, *WRENCH, 1, 1, 1, 2, 2)
"""Powers of length of the numbers of `fajin.dynamics.queries.TOTALS`."""


class QueryUnits(NamedTuple):
    """SI numbers of the units of a query on the device, per number of a world."""

    given: np.ndarray  # accelerations or efforts, and one number for none of them
    wrenches: np.ndarray
    result: np.ndarray


def query_units(model: Model, law: str, words: np.ndarray) -> QueryUnits:
    """Return the units of a law of `physics.dynamics_kernel` for a request; see `tables.request`."""
    articulation = model.tables["ARTICULATIONS"][words[REQUEST["ARTICULATION"]]]
    nodes = model.nodes[articulation[ARTICULATION["ROOT"]] : articulation[ARTICULATION["END"]]]
    coordinates, places = words[len(REQUEST) :].reshape(-1, 2).T
    p = np.zeros(words[REQUEST["COLUMNS"]])
    p[: words[REQUEST["BASE"]]] = MOTION[: words[REQUEST["BASE"]]]
    moving = coordinates >= 0
    p[coordinates[moving]] = nodes[moving, NODE["KIND"]] == KINDS["PRISMATIC"]
    links = int(places.max(initial=-1)) + 1
    given, result = POWERS[law](p, np.tile(MOTION, links))
    powers = np.append(given, 0.0), np.tile(WRENCH, links), result
    return QueryUnits(*(model.scene.meters_per_unit ** np.asarray(each, float) for each in powers))


POWERS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "inverse_dynamics": lambda p, rows: (p, 2 - p),
    "forward_dynamics": lambda p, rows: (2 - p, p),
    "link_accelerations": lambda p, rows: (p, rows),
    "mass_matrix": lambda p, rows: (p, (2 - p[:, None] - p).ravel()),
    "jacobian": lambda p, rows: (p, (rows[:, None] - p).ravel()),
    "com_momentum_and_energy": lambda p, rows: (p, np.array(TOTALS)),
}
"""Powers of length of what each law takes and returns, from those of the speeds of coordinates and links."""
