"""Order in which PhysX creates bodies, static colliders and articulations: that of hash tables in its USD reader.

    bodies by path, then colliders without a body by path       articulations by path, in a table of their own

A new entry becomes the first one of a table. An entry for which a table has no room makes it grow, which turns its
entries around. So up to 13 entries are created from the last to the first, and the 14th turns them around.
"""

from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

from ..scene import WORLD, Scene

T = TypeVar("T")
ROOM = (13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153)
"""Entries that a table has room for, each time after it grew."""


class CreationOrder:
    """Places of what PhysX creates from a scene, by path; what is created first has place 0.

    Colliders and bodies that a file disables count in PhysX, too; a scene does not have them.
    """

    def __init__(self, scene: Scene):
        links = {link.path for articulation in scene.articulations for link in articulation.links if link.path}
        still = [collider for collider in scene.colliders if collider.body == WORLD]
        bodies = links | {collider.still_body for collider in still if collider.still_body}
        statics = {collider.named for collider in still if not collider.still_body}
        self._bodies = places(chain(by_path(bodies), by_path(statics)))
        trees = (articulation for articulation in scene.articulations if not articulation.free)
        self._articulations = places(by_path(articulation.path for articulation in trees))

    def body(self, path: str) -> int:
        """Return the place of a body, or of a prim that has PhysicsCollisionAPI and no body."""
        return self._bodies[path]

    def articulation(self, path: str) -> int:
        """Return the place of an articulation that is not a free body."""
        return self._articulations[path]


def by_path(paths: Iterable[str]) -> list[str]:
    """Return paths in USD's order."""
    return sorted(paths, key=lambda path: path.split("/"))


def places(entries: Iterable[T]) -> dict[T, int]:
    """Return the places of the entries of a hash table, in the order in which they were added."""
    order: deque[T] = deque()
    rooms = iter(ROOM)
    room = next(rooms)
    for entry in entries:
        if len(order) == room:
            order.reverse()
            room = next(rooms, 2 * room)
        order.appendleft(entry)
    return {entry: i for i, entry in enumerate(order)}
