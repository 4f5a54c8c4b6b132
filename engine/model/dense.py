"""Articulations that the solver treats as dense matrices, see `physics.dense`."""

import numpy as np

from ..tables.scratch import DENSE_NODES
from ..tables.topology import ARTICULATION, NODE, TABLES

LEAST_ITERATIONS = 8
"""Iterations that repay the computation of the inverse mass matrix."""

UNSUITED = ("FLOATING", "NEEDS_LINK_VELOCITIES", "NEEDS_SUBSTEP_POSES")


def mark_dense(tables: dict[str, np.ndarray]) -> None:
    """Set DENSE of the small articulations on a fixed base on which nothing but the joints of their trees acts."""
    articulations, island = tables["ARTICULATIONS"], TABLES["ISLANDS"]
    for words in tables["ISLANDS"]:
        if words[island["POSITION_ITERATIONS"]] + words[island["VELOCITY_ITERATIONS"]] >= LEAST_ITERATIONS:
            members = tables["MEMBERS"][words[island["MEMBER"]] : words[island["MEMBER_END"]], 0]
            articulations[members, ARTICULATION["DENSE"]] = [_is_suited(articulations[a], tables) for a in members]


def _is_suited(articulation: np.ndarray, tables: dict[str, np.ndarray]) -> bool:
    """Return whether an articulation is small, on a fixed base, and without mimic joints, tendons and contacts."""
    root, end = articulation[ARTICULATION["ROOT"]], articulation[ARTICULATION["END"]]
    joints = (tables["NODES"][root:end, NODE["DOF"]] >= 0).sum()
    small = joints > 1 and end - 1 - root <= DENSE_NODES
    first, last = (articulation[[ARTICULATION[name + word] for name in ("MIMIC", "TENDON")]] for word in ("", "_END"))
    return bool(small and (first == last).all() and not any(articulation[ARTICULATION[word]] for word in UNSUITED))
