"""Iterations of each island: the maximum over all articulations and free bodies of its solver batch.

PhysX solves the islands of a physics scene in batches. Each further island, whether connected or not, joins the batch
until the batch has 16 articulations or 128 free bodies. A free body has 16 position iterations by default, so a robot
in its batch makes at least 16.
"""

from ..scene import Articulation
from .builder import Builder

ARTICULATIONS = 16  # capacity of a batch
FREE_BODIES = 128  # capacity of a batch


def iterations(b: Builder, islands: list[list[int]]) -> list[tuple[int, int]]:
    """Return position and velocity iterations of each island; an island is the list of its articulations."""
    count: list = [None] * len(islands)
    for batch in _batches(b, islands):
        members = [b.scene.articulations[a] for i in batch for a in islands[i]]
        position = max(1, *(member.position_iterations for member in members))
        velocity = max(0, *(member.velocity_iterations for member in members))
        for i in batch:
            count[i] = (position, max(velocity, _at_least(b, islands[i])))
    return count


def _batches(b: Builder, islands: list[list[int]]) -> list[list[int]]:
    """Return the islands that are solved together: scene by scene, from the last path to the first."""
    articulations, batches, room, owner = b.scene.articulations, [], (0, 0), ""
    paths = [max(articulations[a].path.split("/") for a in members) for members in islands]
    scenes = [articulations[members[0]].simulation_owner for members in islands]
    for i in sorted(range(len(islands)), key=lambda i: (scenes[i], paths[i]), reverse=True):
        if min(room) <= 0 or scenes[i] != owner:
            batches.append([])
            room, owner = (ARTICULATIONS, FREE_BODIES), scenes[i]
        batches[-1].append(i)
        free = sum(articulations[a].free for a in islands[i])
        room = (room[0] - len(islands[i]) + free, room[1] - free)
    return batches


def _at_least(b: Builder, members: list[int]) -> int:
    """Return the minimum of velocity iterations: one under PGS, and where coupled mimic joints would oscillate."""
    return int(b.scene.solver == 0 or any(_rings(b.scene.articulations[a]) for a in members))


def _rings(articulation: Articulation) -> bool:
    """Return whether mimic joints, all of them rigid, share a degree of freedom.

    Solved one after the other, each mimic joint undoes part of the earlier corrections. Their correction speeds remain
    for the next step unless a velocity iteration removes them. A velocity iteration would also stiffen a compliant
    mimic joint.
    """
    axes = [(f"{joint.path}:{axis.token}", axis.mimic) for joint in articulation.joints for axis in joint.axes]
    bound = [(name, mimic) for name, mimic in axes if mimic]
    terms = [name for own, mimic in bound for name in (own, *(reference for reference, _ in mimic.references))]
    hard = all(mimic.natural_frequency == 0.0 or mimic.damping_ratio == 0.0 for _, mimic in bound)
    return hard and len(set(terms)) < len(terms)
