"""Bodies of colliders and groups of their pairs: what lies far apart is culled before its colliders are looked at."""

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from ..scene import WORLD, Collider, ShapeKind
from .builder import Builder
from .collider_pair import ColliderPair
from .shapes import hull_of

ROUNDING = 1e-4
"""Relative, and in metres: how much farther than its colliders a body reaches for the cull."""


def body_of(b: Builder, number: int) -> str | int:
    """Return the body of a collider: its link, or the collider itself if it is static."""
    path = b.scene.colliders[number].body
    return number if path == WORLD else path


def sort_by_body(b: Builder, numbers: Iterable[int]) -> list[int]:
    """Return colliders in the order of their numbers, but those of a link together."""
    first: dict[str | int, int] = {}
    ordered = sorted(numbers)
    for number in ordered:
        first.setdefault(body_of(b, number), number)
    return sorted(ordered, key=lambda number: (first[body_of(b, number)], number))


def sort_by_bodies(b: Builder, pairs: list[ColliderPair]) -> list[ColliderPair]:
    """Return pairs in the order of their colliders' numbers, but those of two bodies together."""
    colliders = sort_by_body(b, {number for pair in pairs for number in pair.sides})
    first: dict[str | int, int] = {}
    for place, number in enumerate(colliders):
        first.setdefault(body_of(b, number), place)
    place_of = [(pair, sorted(first[body_of(b, number)] for number in pair.sides)) for pair in pairs]
    return [pair for pair, _ in sorted(place_of, key=lambda item: (item[1], sorted(item[0].sides)))]


def add_bodies(b: Builder, numbers: dict[int, int]) -> dict[str | int, int]:
    """Append the bodies of colliders, given as {number: index of the collider}; return their indices."""
    bodies: dict[str | int, int] = {}
    for body, members in groupby(numbers, lambda number: body_of(b, number)):
        mine = list(members)
        colliders = [b.scene.colliders[number] for number in mine]
        link = -1
        reach = 0.0
        if colliders[0].body != WORLD:
            link = b.link_of(colliders[0].body)
            reach = max(reach_of(each, np.array(b.links[link].com)) for each in colliders)
        b.rows["BODY_REACH"].append(reach * (1.0 + ROUNDING) + ROUNDING)
        first = numbers[mine[0]]
        bodies[body] = b.add("BODIES", LINK=link, COLLIDER=first, COLLIDER_END=first + len(mine))
    return bodies


def add_groups(b: Builder, pairs: list[ColliderPair], start: int, bodies: dict[str | int, int]) -> None:
    """Append the groups of the pairs that begin with number `start`."""
    for (one, two), members in groupby(pairs, lambda pair: tuple(bodies[body_of(b, k)] for k in sorted(pair.sides))):
        end = start + len(list(members))
        b.add("GROUPS", BODY0=one, BODY1=two, PAIR=start, PAIR_END=end)
        start = end


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
    else:
        size = float(np.linalg.norm(hull_of(collider)[0], axis=1).max())
    return float(np.linalg.norm(np.array(position) - com)) + size + collider.contact_offset
