"""Islands: articulations and free bodies that maximal joints or contacts may connect."""

from ..scene import Joint
from .builder import Builder
from .collider_pair import ColliderPair
from .contacts import add_colliders, add_slots, find_pairs
from .maximal_joints import (
    add_maximal_joint,
    check_joint,
    hold_to_world,
    joined_articulations,
    node_held_to_world,
)
from .solve_order import sort_by_solve_order
from .solver_batches import iterations


def add_islands(b: Builder) -> None:
    """Append the maximal joints in solver order, and the islands.

    Joints between a link and the world are solved in the sweep of the link's articulation.

    Raises:
        InvalidScene: a joint between bodies that do not exist, or between two bodies that cannot move.
    """
    for joint in b.scene.joints:
        check_joint(b, joint)
    ends = [path for joint in b.scene.joints for path in (joint.body0, joint.body1)]
    b.rows["MAXIMAL_JOINTS"] = [float(ends.count(link.path)) if link.path else 0.0 for link in b.links]
    joints = sort_by_solve_order(b, list(b.scene.joints))
    held = [(node, joint) for joint in joints if (node := node_held_to_world(b, joint)) is not None]
    between = [joint for joint in joints if node_held_to_world(b, joint) is None]
    held.sort(key=lambda pair: pair[0])
    pairs = find_pairs(b)
    islands = _connected(b, joints, pairs)
    joined = []
    for members in islands:  # the sides of joints come first
        first = len(b.tables["MEMBERS"])
        for a in members:
            b.add("MEMBERS", ARTICULATION=a)
        start = len(b.tables["JOINTS"])
        for joint in between:
            if joined_articulations(b, joint) & set(members):
                add_maximal_joint(b, joint)
        between_end = len(b.tables["JOINTS"])
        for node, joint in held:
            if joined_articulations(b, joint) & set(members):
                hold_to_world(b, node, add_maximal_joint(b, joint))
        joined.append({
            "MEMBER": first, "MEMBER_END": len(b.tables["MEMBERS"]), "JOINT": start, "PAIR_JOINT_END": between_end,
            "JOINT_END": len(b.tables["JOINTS"]),
        })  # fmt: skip
    for words, members, (position, velocity) in zip(joined, islands, iterations(b, islands), strict=True):
        words |= add_colliders(b, members, pairs)
        b.add("ISLANDS", POSITION_ITERATIONS=position, VELOCITY_ITERATIONS=velocity, **words)
    add_slots(b)


def _connected(b: Builder, joints: list[Joint], pairs: list[ColliderPair]) -> list[list[int]]:
    """Return groups of articulations that joints and contacts connect, in scene order."""
    leader = list(range(len(b.tables["ARTICULATIONS"])))
    touching = {frozenset({pair.thing0, pair.thing1} - {-1}) for pair in pairs}
    for members in [*(joined_articulations(b, joint) for joint in joints), *touching]:
        ends = {leader[a] for a in members}
        leader = [min(ends) if first in ends else first for first in leader]
    islands: dict[int, list[int]] = {}
    for a, first in enumerate(leader):
        islands.setdefault(first, []).append(a)
    return list(islands.values())
