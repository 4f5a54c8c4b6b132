"""Pairs of colliders that may touch: PhysX's filters, which do not depend on the motion.

Two colliders do not collide if
    neither of them moves, or both belong to one body;
    two physics scenes simulate them;
    a joint of a tree joins their bodies, or a maximal joint that does not enable collisions: of several the first one;
    their articulation disables self-collisions;
    a filtered pair or two collision groups separate them.

Links of a fixed base count as bodies, as in PhysX: their pairs have numbers, too.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ..scene import WORLD, Joint, Scene, physx_sort_key
from .group_filter import GroupFilter


def collision_pairs(scene: Scene, among: np.ndarray | None = None) -> np.ndarray:
    """Return the numbers of colliders that may touch, (P, 2), the smaller number first, in ascending order.

    Args:
        scene: the scene.
        among: numbers of the colliders that are looked at, ascending; None for all.
    """
    ones = np.arange(len(scene.colliders)) if among is None else among
    rows = [
        np.stack([np.full_like(others, i), others], axis=1)
        for i, others in zip(ones.tolist(), partners(scene, ones), strict=True)
    ]
    return np.concatenate(rows).astype(np.int32) if rows else np.zeros((0, 2), np.int32)


def partners(scene: Scene, among: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each of some colliders the numbers of the later ones that it may touch, in ascending order."""
    body, articulation = owners(scene)
    apart = {one: np.array(sorted(others)) for one, others in blocked_bodies(scene).items()}
    closed = np.array([not each.self_collisions for each in scene.articulations], bool)
    filters = blocked_colliders(scene)
    groups = GroupFilter(scene)
    simulation, common = simulations(scene)
    looked_at = np.zeros(len(scene.colliders), bool)
    looked_at[among] = True
    for i in map(int, among):
        later = groups.unfiltered(i)
        later = later[np.searchsorted(later, i, "right") :]
        later = later[looked_at[later]]
        meets = (body[later] != body[i]) & common[simulation[i], simulation[later]]
        if articulation[i] >= 0 and closed[articulation[i]]:
            meets &= articulation[later] != articulation[i]
        if body[i] in apart:
            meets &= ~np.isin(body[later], apart[int(body[i])])
        if i in filters:
            meets &= ~np.isin(later, list(filters[i]))
        yield later[meets]


def simulations(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each collider's set of physics scenes, and which of S sets have one in common, (S, S)."""
    sets = {paths: i for i, paths in enumerate(dict.fromkeys(collider.simulations for collider in scene.colliders))}
    common = [[one == other or not set(one).isdisjoint(other) for other in sets] for one in sets]
    return np.array([sets[collider.simulations] for collider in scene.colliders], int), np.array(common, bool)


def owners(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Return number of the body and number of the articulation of each collider; -1 for the world."""
    number, articulation = {WORLD: -1}, {WORLD: -1}
    for a, each in enumerate(scene.articulations):
        for link in each.links:
            number[link.path], articulation[link.path] = len(number) - 1, a
    bodies = [collider.body for collider in scene.colliders]
    return np.array([number[path] for path in bodies], int), np.array([articulation[path] for path in bodies], int)


def blocked_bodies(scene: Scene) -> dict[int, set[int]]:
    """Return for each body, by number, the bodies that a joint keeps from colliding with it."""
    links = [link.path for each in scene.articulations for link in each.links]
    number = {path: i for i, path in enumerate(links)}
    apart = defaultdict(set)
    for ends in parted_ends(scene):
        one, other = (number.get(path) for path in ends)
        if one is not None and other is not None:
            apart[one].add(other)
            apart[other].add(one)
    return dict(apart)


def parted_ends(scene: Scene) -> set[tuple[str, str]]:
    """Return the ends that a joint keeps from colliding: paths of bodies, or of what stands still in the world.

    Joints of trees do so always. Of several maximal joints the first one decides, in PhysX's order.
    """
    apart = {ends_of(joint) for each in scene.articulations for joint in each.joints}
    first: dict[tuple[str, str], Joint] = {}
    for joint in sorted(scene.joints, key=physx_sort_key):
        first.setdefault(ends_of(joint), joint)
    return apart | {ends for ends, joint in first.items() if not joint.collision_enabled}


def ends_of(joint: Joint) -> tuple[str, str]:
    """Return the paths of a joint's ends in ascending order; that in the world is what stands still there."""
    one, other = sorted(path or joint.standing for path in (joint.body0, joint.body1))
    return one, other


def blocked_colliders(scene: Scene) -> dict[int, set[int]]:
    """Return for each collider, by number, the colliders that filtered pairs and joints to the world keep from it."""
    apart = defaultdict(set)
    pairs = [tuple(set(colliders_of(scene, path)) for path in pair) for pair in scene.filtered_pairs]
    for left, right in (*pairs, *standing_pairs(scene)):
        for i in left:
            apart[i] |= right
        for j in right:
            apart[j] |= left
    return dict(apart)


def standing_pairs(scene: Scene) -> Iterator[tuple[set[int], set[int]]]:
    """Yield the colliders of the two ends of joints to the world, where one stands still."""
    named = {joint.standing for joint in (*scene.joints, *(j for a in scene.articulations for j in a.joints))} - {""}
    members: dict[str, set[int]] = defaultdict(set)
    for number, collider in enumerate(scene.colliders if named else ()):
        members[collider.body or collider.standing].add(number)
    for one, other in parted_ends(scene) if named else ():
        if named & {one, other}:
            yield members[one], members[other]


def colliders_of(scene: Scene, path: str) -> Iterator[int]:
    """Yield the colliders of a body or of an articulation, else those at or below a prim."""
    articulation = next((each for each in scene.articulations if each.path == path), None)
    links = {link.path for link in articulation.links} if articulation else set()
    is_body = any(link.path == path for each in scene.articulations for link in each.links)
    for number, collider in enumerate(scene.colliders):
        below = collider.named == path or collider.named.startswith(f"{path}/")
        if collider.body == path or (not is_body and (collider.body in links or below)) or collider.named == path:
            yield number
