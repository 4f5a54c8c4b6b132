"""Solver order of maximal joints: PhysX's order, which affects the result of Gauss-Seidel.

PhysX collects the joints of free bodies first, then the joints that hold links: articulations as it creates them
(`creation_order`), their links breadth first, each joint with the last of its links. Joints collected together are
sorted by type, then by path. The solver takes the collected joints in reverse. In that order each joint gets the first
colour that neither of its bodies has; an articulation counts as one body. TGS has 64 colours; what finds none is solved
first. Pairs of colliders that touch get the colours that are left (`physics.contacts.order.solve_order`). Colours are
solved in order, joints to the world after the last colour of their body.
"""

from bisect import bisect_right
from itertools import count

from ..scene import WORLD, Joint, JointType, physx_sort_key
from ..tables.contacts import COLOUR_ROUNDS, COLOURS, UNCOLOURED, WORLD_COLOUR
from ..tables.topology import ARTICULATION, NODE
from .builder import Builder
from .creation_order import CreationOrder


def articulation_of(b: Builder, path: str) -> int:
    """Return the articulation of a body."""
    return bisect_right(b.first_nodes, b.carriers[path]) - 1


def sort_by_solve_order(b: Builder, joints: list[Joint]) -> list[tuple[Joint, int]]:
    """Return the joints in solver order, each with its colour."""
    created, trees = CreationOrder(b.scene), enumerate(b.scene.articulations)
    place = {a: created.articulation(tree.path) for a, tree in trees if not tree.free}
    last = sorted(joints, key=lambda joint: (_taken_up(b, joint, place), _kind(joint)), reverse=True)
    to_world = [joint for joint in last if WORLD in (joint.body0, joint.body1)]
    taken: dict[int, set[int]] = {}
    between = []
    for joint in last:
        if WORLD not in (joint.body0, joint.body1):
            mine = [taken.setdefault(articulation_of(b, path), set()) for path in (joint.body0, joint.body1)]
            colour = next(i for i in count() if not any(i in colours for colours in mine))
            if colour < COLOURS * COLOUR_ROUNDS[b.scene.solver]:
                for colours in mine:
                    colours.add(colour)
                between.append((joint, colour))
            else:
                between.append((joint, UNCOLOURED))
    between.sort(key=lambda pair: pair[1])
    return [*between, *((joint, WORLD_COLOUR) for joint in to_world)]


def _kind(joint: Joint) -> tuple:
    """Return PhysX's rank of a joint type as it parses joints: distance joints before D6 joints."""
    type, path = physx_sort_key(joint)
    return {JointType.DISTANCE: JointType.D6, JointType.D6: JointType.DISTANCE}.get(type, type), path


def _taken_up(b: Builder, joint: Joint, place: dict[int, int]) -> tuple:
    """Return when PhysX collects a joint: index of its last articulation, depth and node of its last link there."""
    paths = [path for path in (joint.body0, joint.body1) if path != WORLD and not _free(b, path)]
    nodes = [(place[articulation_of(b, path)], b.carriers[path]) for path in paths]
    return max([(-1, 0, 0), *((taken, _depth(b, node), node) for taken, node in nodes)])


def _free(b: Builder, path: str) -> bool:
    return bool(b.tables["ARTICULATIONS"][articulation_of(b, path)][ARTICULATION["FREE_BODY"]])


def _depth(b: Builder, node: int) -> int:
    """Return the number of links above a link."""
    depth = 0
    while b.nodes[node][NODE["PARENT"]] >= 0:
        node = b.nodes[node][NODE["PARENT_LAST"]]
        depth += bool(b.links[b.nodes[node][NODE["LINK"]]].path)
    return depth
