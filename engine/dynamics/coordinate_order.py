"""Coordinates of one articulation: their names and sizes, and the request words of dynamics queries."""

import numpy as np

from ..model import Model
from ..tables.request import REQUEST
from ..tables.topology import ARTICULATION, NODE


class Coordinates:
    """Coordinates of an articulation, and its links.

    A floating base has six: velocity of the root's centre of mass, then its angular velocity, in world axes. Joints
    follow in the order of `Simulation.dof`; links are in the order of `Simulation.link`.

    Args:
        model: a model.
        a: index of the articulation.
        base: add base coordinates to a fixed base, as if it floated.
    """

    def __init__(self, model: Model, a: int, base: bool = False):
        self.articulation = a
        words = model.tables["ARTICULATIONS"][a]
        self.floating = bool(words[ARTICULATION["FLOATING"]])
        self.base = 6 if self.floating or base else 0
        nodes = model.nodes[words[ARTICULATION["ROOT"]] : words[ARTICULATION["END"]]]
        dof, link = nodes[:, NODE["DOF"]], nodes[:, NODE["LINK"]]
        self.columns = dof[dof >= 0]  # of the simulation's fields
        self.count = self.base + len(self.columns)
        carriers = nodes[:, NODE["LAST"]] == np.arange(words[ARTICULATION["ROOT"]], words[ARTICULATION["END"]])
        named = carriers & np.array([bool(model.link[i]) for i in link])
        self.names = tuple(model.link[i] for i in link[named])
        self.links = _numbered(named)
        self.moving = _numbered(named & (self.floating | (np.arange(len(nodes)) > 0)))
        self._coordinate = np.where(dof >= 0, dof - self.columns.min(initial=len(model.dof)) + self.base, -1)

    def words(self, places: np.ndarray, **asked: int) -> np.ndarray:
        """Return the request words, with the places of the selected links: `links`, or `moving` (no fixed root)."""
        words = dict.fromkeys(REQUEST, 0) | asked
        words |= {"ARTICULATION": self.articulation, "BASE": self.base, "COLUMNS": self.count}
        head = [words[name] for name in REQUEST]
        return np.concatenate([head, np.stack([self._coordinate, places], 1).ravel()]).astype(np.int32)


def _numbered(chosen: np.ndarray) -> np.ndarray:
    """Return 0, 1, 2, ... where chosen, -1 elsewhere."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1)
