"""Centre of mass and inertia of a link as parameters of a fit, the latter in log-Cholesky coordinates."""

import numpy as np

from ..errors import InputError
from ..log_cholesky import SHAPE
from ..model.model import Model
from ..simulation import Simulation
from ..tables.topology import NODE

CENTRE = ("com_x", "com_y", "com_z")
GROUPS = {"com": CENTRE, "inertia": SHAPE}
"""Quantities of a link that are several parameters."""


def check_movable(model: Model, name: str) -> None:
    """Raise InputError if the centre of mass of links is not free: joints outside the trees and tendons refer to it."""
    if model.maximal_joint or model.parameters["ATTACHMENT"].size:
        raise InputError(
            f"--parameters {name}: must not be a centre of mass where loop joints or spatial tendons refer to it; "
            "leave it out"
        )


def move_centres(sim: Simulation, shifts: dict[int, np.ndarray]) -> None:
    """Move the centres of mass of links, {row of the model: (W, 3) in link axes} from where the model has them.

    Links stay where they are: the joints' origins, which are measured from the centres, move the other way.
    """
    model, parameters = sim._state.model, sim._state.parameters
    for name, owners in links_of_arms(model).items():
        arms = np.repeat(model.parameters[name].reshape(1, -1, 3), sim.worlds, axis=0)
        for row, shift in shifts.items():
            arms[:, owners == row] -= shift[:, None]
        parameters[name] = arms.reshape(sim.worlds, -1)


def links_of_arms(model: Model) -> dict[str, np.ndarray]:
    """Return the row of the link from whose centre of mass each node's arm is measured, (N,), by parameter."""
    links = model.nodes[:, NODE["LINK"]]
    first = model.nodes[:, NODE["FIRST"]]
    return {"CHILD_ARM": links, "PARENT_ARM": links[model.nodes[first, NODE["PARENT_LAST"]]]}
