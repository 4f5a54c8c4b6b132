"""Flags of the topology that follow from parameters: which rows a joint has, and which links have external forces."""

from collections.abc import Mapping

import numpy as np

from ..tables.layout import INFINITE, PARAMETERS
from ..tables.topology import ARTICULATION, KINDS, NODE

Rows = Mapping[str, np.ndarray]
"""Rows of parameters by name, (1, rows) shared by all worlds or (worlds, rows)."""


def flag_nodes(nodes: np.ndarray, rows: Rows) -> np.ndarray:
    """Return nodes with the flags that follow from the parameters of any world."""
    nodes = nodes.copy()
    joints = nodes[:, NODE["DOF"]] >= 0
    dof = nodes[joints, NODE["DOF"]]
    nodes[joints, NODE["FRICTION"]] = _acts(rows, "friction")[dof]
    nodes[joints, NODE["VELOCITY_LIMITED"]] = np.any(rows["MAX_VELOCITY"] < INFINITE, axis=0)[dof]
    limited = (rows["LOWER"] > -INFINITE) & (rows["UPPER"] < INFINITE)
    nodes[joints, NODE["LIMITED"]] = np.any(limited, axis=0)[dof]
    nodes[joints, NODE["ENVELOPE"]] |= (nodes[joints, NODE["DRIVE"]] > 0) & _acts(rows, "envelope")[dof]
    nodes[joints, NODE["WRAPS"]] = (nodes[joints, NODE["KIND"]] == KINDS["REVOLUTE"]) & ~np.all(limited, axis=0)[dof]
    return nodes


def _acts(rows: Rows, holder: str) -> np.ndarray:
    """Return where a parameter of a part of the scene, as friction, differs from its value without effect, (D,)."""
    idle = {name: INFINITE if row.unbounded else 0.0 for name, row in PARAMETERS.items() if row.holder == holder}
    return np.any([(rows[name] != value).any(0) for name, value in idle.items()], axis=0)


def flag_articulations(tables: Mapping[str, np.ndarray], rows: Rows) -> np.ndarray:
    """Return the articulations of a model's tables with the flags that follow from the parameters of any world."""
    articulations, nodes = tables["ARTICULATIONS"].copy(), tables["NODES"]
    owner = np.searchsorted(articulations[:, ARTICULATION["ROOT"]], np.arange(len(nodes)), "right") - 1
    forced = ((rows["FORCE"] != 0.0).any(0) | (rows["TORQUE"] != 0.0).any(0)).reshape(-1, 3).any(1)
    clamped = np.any(rows["CLAMP_VELOCITY"] < INFINITE, axis=0)
    joints = nodes[:, NODE["DOF"]] >= 0
    marks = {
        "HAS_EXTERNAL_FORCE": owner[forced[nodes[:, NODE["LINK"]]]],
        "HAS_VELOCITY_CLAMP": owner[joints][clamped[nodes[joints, NODE["DOF"]]]],
    }
    for word, marked in marks.items():
        articulations[:, ARTICULATION[word]] = np.bincount(marked, minlength=len(articulations)) > 0
    return articulations
