"""Filters: prims that do not collide although their shapes meet."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CollisionGroup:
    """A group of colliders, and the groups that it does not collide with."""

    path: str
    members: tuple[str, ...]  # paths of colliders
    filtered: tuple[str, ...] = ()  # paths of groups; may contain its own
