"""How many iterations an island makes: as many as any articulation or free body of its batch asks for.

PhysX solves islands in batches: the next one, tied to the others or not, joins a batch until that has 16 articulations
or 128 free bodies. A robot beside a free body, which has 16 position iterations unless the file says otherwise, makes
as many.
"""

from ..scene import Articulation
from .builder import Builder

ARTICULATIONS = 16  # that fill a batch
FREE_BODIES = 128  # that fill a batch


def iterations(b: Builder, islands: list[list[int]]) -> list[tuple[int, int]]:
    """Position and velocity iterations of each island, given as the articulations in it."""
    count: list = [None] * len(islands)
    for batch in _batches(b, islands):
        members = [b.scene.articulations[a] for i in batch for a in islands[i]]
        position = max(1, *(member.position_iterations for member in members))
        velocity = max(0, *(member.velocity_iterations for member in members))
        for i in batch:
            count[i] = (position, max(velocity, _at_least(b, islands[i])))
    return count


def _batches(b: Builder, islands: list[list[int]]) -> list[list[int]]:
    """Islands that are solved together, from the last path to the first."""
    articulations, batches, room = b.scene.articulations, [], (0, 0)
    paths = [max(articulations[a].path.split("/") for a in members) for members in islands]
    for i in sorted(range(len(islands)), key=lambda i: paths[i], reverse=True):
        if min(room) <= 0:
            batches.append([])
            room = (ARTICULATIONS, FREE_BODIES)
        batches[-1].append(i)
        free = sum(articulations[a].free for a in islands[i])
        room = (room[0] - len(islands[i]) + free, room[1] - free)
    return batches


def _at_least(b: Builder, members: list[int]) -> int:
    """Fewest velocity iterations: one under PGS, and where mimic joints ring."""
    return int(b.scene.solver == 0 or any(_rings(b.scene.articulations[a]) for a in members))


def _rings(articulation: Articulation) -> bool:
    """Whether mimic joints, all of them hard, meet at a degree of freedom.

    One after the other, each undoes some of what those before it did, and the speeds that mend their errors stay for
    the next step unless a velocity iteration stops them. It would harden a compliant one, too.
    """
    axes = [(f"{joint.path}:{axis.token}", axis.mimic) for joint in articulation.joints for axis in joint.axes]
    bound = [(name, mimic) for name, mimic in axes if mimic]
    terms = [name for own, mimic in bound for name in (own, *(reference for reference, _ in mimic.references))]
    hard = all(mimic.natural_frequency == 0.0 or mimic.damping_ratio == 0.0 for _, mimic in bound)
    return hard and len(set(terms)) < len(terms)
