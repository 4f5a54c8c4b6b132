"""Islands: articulations and free bodies that maximal joints or contacts may connect."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..scene import Joint
from ..tables.contacts import COLOUR_ROUNDS, WORLD_COLOUR
from ..tables.topology import ARTICULATION
from .builder import Builder
from .collider_facts import ColliderFacts
from .collider_kinds import UnlistedPairs, find_kinds
from .collider_pairs import ColliderPairs, find_pairs, join
from .contacts import add_colliders, add_reciprocals, add_slots
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
    ends = Counter(path for joint in b.scene.joints for path in (joint.body0, joint.body1))
    b.rows["MAXIMAL_JOINTS"] = [float(ends[link.path]) if link.path else 0.0 for link in b.links]
    joints = sort_by_solve_order(b, list(b.scene.joints))
    held = [(node, joint) for joint, _ in joints if (node := node_held_to_world(b, joint)) is not None]
    outer = [(joint, colour) for joint, colour in joints if node_held_to_world(b, joint) is None]
    held.sort(key=lambda pair: pair[0])
    facts = ColliderFacts(b)
    islands, pairs, unlisted = find_islands(b, facts, [joint for joint, _ in joints])
    outer_of = by_island(b, islands, [(joint, (joint, colour)) for joint, colour in outer])
    held_of = by_island(b, islands, [(joint, (node, joint)) for node, joint in held])
    joined = []
    for island, members in enumerate(islands):  # the sides of joints come first
        first = len(b.tables["MEMBERS"])
        for a in members:
            b.add("MEMBERS", ARTICULATION=a, HAS_ROWS=0)
        start = len(b.tables["JOINTS"])
        for joint, colour in outer_of[island]:
            add_maximal_joint(b, joint, colour)
        pair_joint_end = len(b.tables["JOINTS"])
        for node, joint in held_of[island]:
            hold_to_world(b, node, add_maximal_joint(b, joint, WORLD_COLOUR))
        joined.append({
            "MEMBER": first, "MEMBER_END": len(b.tables["MEMBERS"]), "JOINT": start, "PAIR_JOINT_END": pair_joint_end,
            "JOINT_END": len(b.tables["JOINTS"]),
        })  # fmt: skip
    owners = zip(joined, pairs_of_islands(pairs, islands), unlisted, iterations(b, islands), strict=True)
    for words, mine, others, (position, velocity) in owners:
        words |= add_colliders(b, facts, mine, words["JOINT"] < words["PAIR_JOINT_END"], others)
        words |= {
            "POSITION_ITERATIONS": position,
            "VELOCITY_ITERATIONS": velocity,
            "ROUNDS": COLOUR_ROUNDS[b.scene.solver],
        }
        b.add("ISLANDS", **words)
    add_slots(b)
    add_reciprocals(b)


def by_island(b: Builder, islands: list[list[int]], items: list[tuple[Joint, Any]]) -> dict[int, list[Any]]:
    """Return what belongs to joints by the number of their island, in its order."""
    island_of = {a: island for island, members in enumerate(islands) for a in members}
    found: dict[int, list[Any]] = defaultdict(list)
    for joint, item in items:
        found[island_of[min(joined_articulations(b, joint))]].append(item)
    return found


def pairs_of_islands(pairs: ColliderPairs, islands: list[list[int]]) -> Iterator[ColliderPairs]:
    """Yield the pairs of each island."""
    island_of = np.zeros(sum(map(len, islands)), int)
    for island, members in enumerate(islands):
        island_of[members] = island
    owner = island_of[pairs.owner0]
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(len(islands) + 1))
    for first, last in pairwise(ends):
        yield pairs[order[first:last]]


def find_islands(
    b: Builder, facts: ColliderFacts, joints: list[Joint]
) -> tuple[list[list[int]], ColliderPairs, list[UnlistedPairs | None]]:
    """Return the articulations of each island, the pairs that are listed, and each island's others; None for none."""
    kinds = find_kinds(b.scene, facts)
    if kinds is None:
        every = find_pairs(b, facts)
        islands = _connected(b, joints, connections(every))
        return islands, every, [None] * len(islands)
    islands = _connected(b, joints, kinds.connections())
    unlisted: list[UnlistedPairs | None] = []
    listed, pairs = facts.owner < 0, []
    for members in islands:
        colliders = kinds.colliders_of(members)
        if kinds.lists(members, colliders):
            unlisted.append(None)
            listed |= np.isin(facts.owner, members)
        else:
            unlisted.append(UnlistedPairs(kinds, facts, colliders))
            pairs.append(kinds.static_pairs(colliders))
    return islands, join(find_pairs(b, facts, np.flatnonzero(listed)), *pairs), unlisted


def connections(pairs: ColliderPairs) -> np.ndarray:
    """Return the articulations that pairs connect, (P, 2); one with itself for what is static."""
    partner = np.maximum(pairs.owner1, pairs.kinematic1)
    return np.stack([pairs.owner0, np.where(partner < 0, pairs.owner0, partner)], axis=1)


def _connected(b: Builder, joints: list[Joint], touching: np.ndarray) -> list[list[int]]:
    """Return groups of articulations that joints and contacts connect, in scene order."""
    joined = [sorted(ends) for joint in joints if len(ends := joined_articulations(b, joint)) == 2]
    joined = np.array(joined, int).reshape(-1, 2)
    for words, first in zip(b.tables["ARTICULATIONS"], _leaders(b, joined), strict=True):
        words[ARTICULATION["JOINED"]] = first
    islands: dict[int, list[int]] = {}
    for a, first in enumerate(_leaders(b, np.concatenate([joined, touching]))):
        islands.setdefault(first, []).append(a)
    return list(islands.values())


def _leaders(b: Builder, ends: np.ndarray) -> list[int]:
    """Return the first articulation of those that these connections (N, 2) connect with each articulation."""
    leader, before = np.arange(len(b.tables["ARTICULATIONS"])), None
    while before is None or (leader != before).any():
        before, least = leader, leader[ends].min(axis=1)
        leader = leader.copy()
        for end in ends.T:
            np.minimum.at(leader, before[end], least)
        leader = leader[leader]
    return leader.tolist()
