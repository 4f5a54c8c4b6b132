"""Bodies of colliders and groups of their pairs: what lies far apart is culled before its colliders are looked at."""

from itertools import groupby

import numpy as np

from ..scene import WORLD, Collider, ShapeKind
from ..tables.topology import TABLES
from .builder import Builder
from .collider_facts import ColliderFacts
from .collider_pairs import ColliderPairs
from .shapes import hull_of

BODY = TABLES["BODIES"]

ROUNDING = 1e-4
"""Relative, and in metres: how much farther than its colliders a body reaches for the cull."""


def sort_by_body(facts: ColliderFacts, numbers: np.ndarray) -> np.ndarray:
    """Return colliders in the order of their numbers, each once, but those of a link together."""
    ordered = np.unique(numbers)
    return ordered[np.lexsort((ordered, _first_places(facts, ordered, ordered)))]


def _first_places(facts: ColliderFacts, numbers: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the place at which the bodies of wanted colliders come first in a list of colliders.

    Only those colliders are looked at, not all of the scene, which may have an island per copy.
    """
    bodies, first = np.unique(facts.body[numbers], return_index=True)
    return first[np.searchsorted(bodies, facts.body[wanted])]


def sort_by_bodies(facts: ColliderFacts, pairs: ColliderPairs) -> ColliderPairs:
    """Return pairs in the order of their colliders' numbers, but those of two bodies together."""
    sides = pairs.sides
    bodies = np.sort(_first_places(facts, sort_by_body(facts, sides.ravel()), sides), axis=1)
    return pairs[np.lexsort((sides[:, 1], sides[:, 0], bodies[:, 1], bodies[:, 0]))]


def add_bodies(b: Builder, facts: ColliderFacts, numbers: dict[int, int]) -> dict[int, int]:
    """Append the bodies of colliders, given as {number: index of the collider}; return their indices."""
    bodies: dict[int, int] = {}
    for body, members in groupby(numbers, lambda number: int(facts.body[number])):
        mine = list(members)
        colliders = [b.scene.colliders[number] for number in mine]
        link = -1
        reach = 0.0
        if colliders[0].body != WORLD:
            link = b.link_of(colliders[0].body)
            reach = max(reach_of(each, np.array(b.links[link].com)) for each in colliders)
        b.rows["BODY_REACH"].append(reach * (1.0 + ROUNDING) + ROUNDING)
        first = numbers[mine[0]]
        bodies[body] = b.add(
            "BODIES", LINK=link, COLLIDER=first, COLLIDER_END=first + len(mine), GROUP=0, GROUP_END=0, PAIR=0
        )
    return bodies


def add_groups(
    b: Builder, facts: ColliderFacts, pairs: ColliderPairs, start: int, bodies: dict[int, int]
) -> np.ndarray:
    """Append the groups of the pairs that begin with number `start`, in the order of their bodies; return them."""
    if not len(pairs):
        return np.zeros((0, len(TABLES["GROUPS"])), np.int32)
    known = np.array(sorted(bodies.items())).T
    ends = np.sort(known[1][np.searchsorted(known[0], facts.body[pairs.sides])], axis=1)
    first = np.flatnonzero(np.concatenate([[True], (ends[1:] != ends[:-1]).any(axis=1)]))
    last = np.concatenate([first[1:], [len(pairs)]])
    groups = np.column_stack([ends[first], start + first, start + last]).astype(np.int32)
    b.tables["GROUPS"].append(groups)
    return groups


def note_groups(b: Builder, bodies: dict[int, int], first: int, groups: np.ndarray) -> None:
    """Write the groups of every body of which it is body 0; the groups, from number `first` on, are sorted by it."""
    mine = np.array(list(bodies.values()), np.int32)
    starts, ends = (first + np.searchsorted(groups[:, 0], mine, side) for side in ("left", "right"))
    for body, start, end in zip(mine.tolist(), starts.tolist(), ends.tolist(), strict=True):
        b.tables["BODIES"][body][BODY["GROUP"]] = start
        b.tables["BODIES"][body][BODY["GROUP_END"]] = end


def reach_of(collider: Collider, com: np.ndarray) -> float:
    """Return how far the bounding box of a collider can reach from a centre of mass, contact offset included [m]."""
    kind, (position, _) = ShapeKind(collider.kind), collider.pose
    if kind == ShapeKind.BOX:
        size = float(np.linalg.norm(collider.half_extents))
    elif kind == ShapeKind.SPHERE:
        size = collider.radius
    elif kind == ShapeKind.CAPSULE:
        size = collider.radius + collider.half_height
    elif kind in (ShapeKind.CYLINDER, ShapeKind.CONE):
        size = float(np.hypot(collider.radius, collider.half_height))
    elif kind == ShapeKind.TRIANGLE_MESH:
        size = float(np.linalg.norm(collider.points, axis=1).max())
    else:
        size = float(np.linalg.norm(hull_of(collider)[0], axis=1).max())
    return float(np.linalg.norm(np.array(position) - com)) + size + collider.contact_offset
