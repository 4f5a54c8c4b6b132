"""Solver order of maximal joints: PhysX's order, which affects the result of Gauss-Seidel.

PhysX collects the joints of free bodies first, then the joints that hold links: articulations from the last path to the
first, their links breadth first, each joint with the last of its links. Joints collected together are sorted by type,
then by path. The solver takes the collected joints in reverse. In that order each joint gets the first colour that
neither of its bodies has; an articulation counts as one body. Colours are solved in order, joints to the world last.
"""

import numpy as np

from ..scene import WORLD, Joint, JointType, physx_sort_key
from ..tables.topology import ARTICULATION, NODE
from .builder import Builder


def articulation_of(b: Builder, path: str) -> int:
    """Return the articulation of a body."""
    roots = [words[ARTICULATION["ROOT"]] for words in b.tables["ARTICULATIONS"]]
    return int(np.searchsorted(roots, b.carriers[path], "right")) - 1


def sort_by_solve_order(b: Builder, joints: list[Joint]) -> list[Joint]:
    """Return the joints in solver order."""
    names = [(articulation.path.split("/"), a) for a, articulation in enumerate(b.scene.articulations)]
    place = {a: i for i, (_, a) in enumerate(sorted(names, reverse=True))}
    last = sorted(joints, key=lambda joint: (_taken_up(b, joint, place), _kind(joint)), reverse=True)
    colours: dict[int, set[int]] = {}
    colour = {}
    for joint in last:
        bodies = {articulation_of(b, path) for path in (joint.body0, joint.body1) if path != WORLD}
        taken = set().union(*(colours.setdefault(a, set()) for a in bodies))
        first = next(i for i in range(len(taken) + 1) if i not in taken)
        if WORLD in (joint.body0, joint.body1):
            first = len(joints)
        else:
            for a in bodies:
                colours[a].add(first)
        colour[joint.path] = first
    return sorted(last, key=lambda joint: colour[joint.path])


def _kind(joint: Joint) -> tuple:
    """Return PhysX's rank of a joint type as it parses joints: distance joints before D6 joints."""
    type, path = physx_sort_key(joint)
    return {JointType.DISTANCE: JointType.D6, JointType.D6: JointType.DISTANCE}.get(type, type), path


def _taken_up(b: Builder, joint: Joint, place: dict[int, int]) -> tuple:
    """Return when PhysX collects a joint: index of its last articulation, depth and node of its last link there."""
    links = [b.carriers[path] for path in (joint.body0, joint.body1) if path != WORLD and not _free(b, path)]
    owners = {node: place[articulation_of(b, path)] for path, node in b.carriers.items() if node in links}
    return max([(-1, 0, 0), *((owners[node], _depth(b, node), node) for node in links)])


def _free(b: Builder, path: str) -> bool:
    return bool(b.tables["ARTICULATIONS"][articulation_of(b, path)][ARTICULATION["FREE_BODY"]])


def _depth(b: Builder, node: int) -> int:
    """Return the number of links above a link."""
    depth = 0
    while b.nodes[node][NODE["PARENT"]] >= 0:
        node = b.nodes[node][NODE["PARENT_LAST"]]
        depth += bool(b.links[b.nodes[node][NODE["LINK"]]].path)
    return depth
