"""Start of Coulomb friction: friction that holds a joint which moves in the log hides all its parameters."""

from collections.abc import Sequence

import numpy as np

from .detection import moving
from .piece import Piece
from .rollout import LANES, Rollout

SMALLER = 0.4 ** np.arange(LANES)  # factors that are tried in one launch
LEAST_MOVED = 0.5  # part of the range of a log that its simulation must have


def free_stuck_joints(rollout: Rollout, pieces: Sequence[Piece], values: np.ndarray, kept: Sequence[str]) -> np.ndarray:
    """Return values with less Coulomb friction of the joints that move in a log and stick in its simulation, (P,).

    Args:
        rollout: the simulations.
        pieces: the logs.
        values: values of the start, (P,).
        kept: names of parameters that stay.
    """
    places = [i for i, p in enumerate(rollout.parameters) if p.quantity == "coulomb" and p.name not in kept]
    if not places:
        return values
    tried = np.tile(values, (LANES, 1))
    tried[:, places] *= SMALLER[:, None]
    enough = np.ones((LANES, len(places)), bool)
    for piece in pieces:
        q, _ = rollout.simulate(tried, [piece])
        column, log = list(piece.log.column), piece.log
        for k, p in enumerate(rollout.parameters[i] for i in places):
            if p.column in column and moving(log.q)[j := column.index(p.column)]:
                with np.errstate(invalid="ignore"):
                    enough[:, k] &= np.ptp(q[:, 0, :, p.column], axis=1) > LEAST_MOVED * np.ptp(log.q[:, j])
    first = np.where(enough.any(0), enough.argmax(0), 0)
    result = values.copy()
    result[places] *= SMALLER[first]
    return result
