"""Sides: ends of maximal joints, tendons and contacts on a link, with the path from the root to it."""

import numpy as np

from ..tables.topology import NODE
from .builder import Builder


def add_side(b: Builder, node: int, lost: tuple[int, int] = (0, -1)) -> int:
    """Append one side of a joint that holds the link of a node, -1 for the world; return its index."""
    first, k = len(b.tables["PATHS"]), node
    nodes = []
    while k >= 0 and b.nodes[k][NODE["PARENT"]] >= 0:
        nodes.append(k)
        k = b.nodes[k][NODE["PARENT"]]
    for step in reversed(nodes):
        b.add("PATHS", NODE=step)
    return b.add(
        "SIDES", NODE=node, ROOT=k, PATH=first, PATH_END=len(b.tables["PATHS"]), SKIPPED=lost[0], SKIPPED_END=lost[1]
    )


def pair_sides(
    b: Builder, nodes0: np.ndarray, nodes1: np.ndarray, together: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sides of pairs of colliders on the links of two nodes each, -1 for the world; pairs share their sides.

    `together`: whether both links belong to one articulation.
    """
    count = len(b.nodes) + 1
    lost = np.tile((0, -1), (len(nodes0), 1))
    codes, where = np.unique(nodes0[together] * count + nodes1[together], return_inverse=True)
    if len(codes):
        lost[together] = np.array([shared_joint_nodes(b, list(divmod(code, count))) for code in codes.tolist()])[where]
    keys = ((np.stack([nodes0, nodes1], axis=1) + 1) * count + lost[:, :1]) * (count + 1) + lost[:, 1:] + 1
    codes, first, where = np.unique(keys.ravel(), return_index=True, return_inverse=True)
    made = np.zeros(len(codes), int)
    for i in np.argsort(first).tolist():
        rest, end = divmod(int(codes[i]), count + 1)
        node, start = divmod(rest, count)
        key = node - 1, (start, end - 1)
        if key not in b.pair_sides:
            b.pair_sides[key] = add_side(b, *key)
        made[i] = b.pair_sides[key]
    sides = made[where].reshape(-1, 2)
    return sides[:, 0], sides[:, 1]


def shared_joint_nodes(b: Builder, nodes: list[int]) -> tuple[int, int]:
    """Return the nodes of the joint above a link with a held descendant; none for the root or separate branches."""
    for ancestor, k in (nodes, nodes[::-1]):
        while k > ancestor >= 0:
            k = b.nodes[k][NODE["PARENT"]]
        if k == ancestor >= 0 and b.nodes[k][NODE["PARENT"]] >= 0:
            return b.nodes[k][NODE["FIRST"]], k
    return 0, -1
