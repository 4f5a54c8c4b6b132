"""Filter of collision groups: colliders by the groups that they are in, and which of them may touch.

Colliders in equal groups have one filter, so its cost grows with the number of classes of equal groups and of pairs
that may touch, not with the pairs of all colliders.
"""

from collections import defaultdict

import numpy as np

from ..scene import Scene


class GroupFilter:
    """Colliders of a scene by *class*: those that are in equal groups.

    Two groups do not collide if one lists the other; in a scene with inverted groups, unless one does. Two colliders do
    not collide if any two of their groups do not.
    """

    def __init__(self, scene: Scene):
        groups, self._inverted = scene.collision_groups, scene.inverted_groups
        acts = self._inverted or any(group.filtered for group in groups)
        of_collider: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(groups if acts else ()):
            for path in set(group.members):
                of_collider[path].append(number)
        classes: dict[tuple[int, ...], int] = {}
        keys = [tuple(of_collider.get(collider.named, ())) for collider in scene.colliders]
        self.of_collider = np.array([classes.setdefault(key, len(classes)) for key in keys], int)
        """Class of each collider."""
        self._groups = [*classes]  # of each class
        counts = [len(key) for key in self._groups]
        self._holders = np.repeat(np.arange(len(counts)), counts)  # class of each of its groups
        self._held = np.array([number for key in self._groups for number in key], int)
        self._listed = _listed(scene) if acts else []
        self._found: dict[int, np.ndarray] = {}

    def unfiltered(self, collider: int) -> np.ndarray:
        """Return the numbers of the colliders that groups let a collider touch, itself among them or not, ascending."""
        mine = int(self.of_collider[collider])
        if mine not in self._found:
            self._found[mine] = np.flatnonzero(self.touched(mine)[self.of_collider])
        return self._found[mine]

    def touched(self, one: int) -> np.ndarray:
        """Return whether a class may touch each class."""
        apart = np.zeros(len(self._listed), bool)
        for number in self._groups[one]:
            closed = np.full(len(self._listed), self._inverted)
            closed[self._listed[number]] = not self._inverted
            apart |= closed
        touches = np.ones(len(self._groups), bool)
        touches[self._holders[apart[self._held]]] = False
        return touches


def _listed(scene: Scene) -> list[list[int]]:
    """Return for each group the numbers of those that it lists or that list it."""
    number = {group.path: i for i, group in enumerate(scene.collision_groups)}
    listed: list[set[int]] = [set() for _ in number]
    for i, group in enumerate(scene.collision_groups):
        for j in (number[path] for path in group.filtered if path in number):
            listed[i].add(j)
            listed[j].add(i)
    return [sorted(each) for each in listed]
