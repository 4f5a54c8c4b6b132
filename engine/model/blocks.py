"""Blocks: the small subtrees whose joints the solver updates together, see `physics.block`."""

import numpy as np

from ..tables.scratch import BLOCK_NODES
from ..tables.topology import ARTICULATION, NODE, TABLES

LEAST_ITERATIONS = 8
"""Iterations that repay the computation of the responses within a block."""


def mark_blocks(tables: dict[str, np.ndarray]) -> None:
    """Set the words of blocks in the tables of nodes and articulations.

    A block has no mimic joint, tendon or maximal joint, may touch nothing, and has no spherical joint: they need the
    velocities of links.
    """
    nodes, articulations, island = tables["NODES"], tables["ARTICULATIONS"], TABLES["ISLANDS"]
    nodes[:, NODE["BLOCK"]] = -1
    nodes[:, NODE["PREVIOUS"]] = np.arange(len(nodes)) - 1
    articulations[:, ARTICULATION["TIP"]] = articulations[:, ARTICULATION["END"]] - 1
    for words in tables["ISLANDS"]:
        iterations = words[island["POSITION_ITERATIONS"]] + words[island["VELOCITY_ITERATIONS"]]
        for a in tables["MEMBERS"][words[island["MEMBER"]] : words[island["MEMBER_END"]], 0]:
            if iterations >= LEAST_ITERATIONS and _may_have_blocks(articulations[a]):
                _mark_articulation(nodes, articulations[a])


def _may_have_blocks(articulation: np.ndarray) -> bool:
    """Return whether nothing but the joints of its tree acts on an articulation."""
    idle = ("NEEDS_LINK_VELOCITIES", "NEEDS_SUBSTEP_POSES", "FREE_BODY")
    ranges = ("MIMIC", "TENDON")
    return not any(articulation[ARTICULATION[word]] for word in idle) and all(
        articulation[ARTICULATION[name]] == articulation[ARTICULATION[f"{name}_END"]] for name in ranges
    )


def _mark_articulation(nodes: np.ndarray, articulation: np.ndarray) -> None:
    """Make blocks of the largest subtrees of one articulation that are small enough."""
    root, end = articulation[ARTICULATION["ROOT"]], articulation[ARTICULATION["END"]]
    parent = nodes[:, NODE["PARENT"]]
    ends = np.arange(1, len(nodes) + 1)  # node after the subtree of each node
    for k in range(end - 1, root, -1):
        ends[parent[k]] = max(ends[parent[k]], ends[k])
    k, base = root + 1, -1
    while k < end:
        if base >= 0:
            nodes[k, NODE["PREVIOUS"]] = base
        base = -1
        if ends[k] - k <= BLOCK_NODES and (nodes[k : ends[k], NODE["DOF"]] >= 0).sum() > 1:
            first, last, base = k, ends[k], parent[k]
            nodes[first:last, NODE["BLOCK"]], nodes[first:last, NODE["BLOCK_END"]] = first, last
            nodes[first + 1 : last, NODE["PREVIOUS"]] = parent[first + 1 : last]
            nodes[base, NODE["STORES_RESPONSE"]] = max(1, nodes[base, NODE["STORES_RESPONSE"]])
            articulation[ARTICULATION["BLOCKS"]] = 1
            k = last
        else:
            k += 1
    if base >= 0:
        articulation[ARTICULATION["TIP"]] = base
