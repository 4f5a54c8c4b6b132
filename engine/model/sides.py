"""Sides: ends of maximal joints, tendons and contacts on a link, with the path from the root to it."""

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


def pair_side(b: Builder, node: int, lost: tuple[int, int]) -> int:
    """Return the side of pairs of colliders on the link of a node, -1 for the world; pairs share their sides."""
    if (node, lost) not in b.pair_sides:
        b.pair_sides[node, lost] = add_side(b, node, lost)
    return b.pair_sides[node, lost]


def shared_joint_nodes(b: Builder, nodes: list[int]) -> tuple[int, int]:
    """Return the nodes of the joint above a link with a held descendant; none for the root or separate branches."""
    for ancestor, k in (nodes, nodes[::-1]):
        while k > ancestor >= 0:
            k = b.nodes[k][NODE["PARENT"]]
        if k == ancestor >= 0 and b.nodes[k][NODE["PARENT"]] >= 0:
            return b.nodes[k][NODE["FIRST"]], k
    return 0, -1
