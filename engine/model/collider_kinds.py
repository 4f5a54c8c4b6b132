"""Kinds of colliders: what pairs of many colliders have in common, in the place of a list of the pairs.

Two colliders are of one kind if their pairs with any third collider have equal words and parameters, but for what
belongs to the colliders themselves: their numbers, sides and contact offsets. Whether two colliders may touch follows
from their kinds, but for exceptions that joints and filters make. So memory and time grow with the number of colliders.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ..scene import Scene, ShapeKind
from .collider_facts import VALUES_OF_PAIRS, ColliderFacts
from .collider_pairs import HAS_LAW, ColliderPairs, is_inner, pairs_of
from .collision_pairs import blocked_bodies, blocked_colliders, owners, simulations
from .group_filter import GroupFilter

LISTED_PER_COLLIDER = 100
"""Pairs per collider up to which an island lists its pairs."""

MOST_KINDS, MOST_EXCEPTIONS = 256, 100
"""Most kinds of colliders, and most exceptions per collider; scenes with more list their pairs."""


class ColliderKinds:
    """The kinds of a scene's colliders, and which colliders are kept from each other though their kinds touch.

    Args:
        scene: the scene.
        facts: properties of its colliders.
    """

    def __init__(self, scene: Scene, facts: ColliderFacts):
        self._scene, self._facts = scene, facts
        groups = GroupFilter(scene)
        simulation, self._common = simulations(scene)
        columns = (
            groups.of_collider, simulation, facts.kind, facts.movable, facts.kinematic, facts.free, facts.owner >= 0,
            facts.moves_surface, facts.slop, facts.max_depenetration, facts.max_impulse,
            *map(facts.values, VALUES_OF_PAIRS),
        )  # fmt: skip
        _, first, kind = np.unique(np.column_stack(columns), axis=0, return_index=True, return_inverse=True)
        self.kind = kind.reshape(-1)
        """Kind of each collider."""
        self._first = first
        self._groups, self._simulation = groups, simulation
        self.apart: dict[int, set[int]] = {}
        """Colliders that joints and filters keep from each collider; call `find_exceptions` before."""
        self.touches = np.zeros((0, 0), bool)
        """Whether two kinds touch, (K, K); call `find_exceptions` before."""

    def __len__(self) -> int:
        return len(self._first)

    def find_exceptions(self) -> None:
        """Find which kinds touch, and which colliders are kept from each other."""
        first, facts = self._first, self._facts
        law = (HAS_LAW | HAS_LAW.T)[facts.kind[first][:, None], facts.kind[first]]
        moves = facts.movable[first][:, None] | facts.movable[first]
        together = self._common[self._simulation[first][:, None], self._simulation[first]]
        groups = self._groups.of_collider[first]
        unfiltered = np.array([self._groups.touched(group)[groups] for group in groups.tolist()])
        self.touches = law & moves & together & unfiltered
        apart = defaultdict(set, blocked_colliders(self._scene))
        for one, others in self._separated():
            for i in one:
                apart[i] |= others
        self.apart = {i: others - {i} for i, others in apart.items()}

    def _separated(self) -> Iterator[tuple[set[int], set[int]]]:
        """Yield colliders, and those that joints or an articulation without self-collisions keep from them."""
        body, articulation = owners(self._scene)
        members: dict[int, set[int]] = defaultdict(set)
        robots: dict[int, set[int]] = defaultdict(set)
        for i, (number, a) in enumerate(zip(body.tolist(), articulation.tolist(), strict=True)):
            members[number].add(i)
            robots[a].add(i)
        for one, others in blocked_bodies(self._scene).items():
            yield members[one], set().union(*(members[other] for other in others))
        for a, each in enumerate(self._scene.articulations):
            if not each.self_collisions and len(robots[a]) > 1:
                yield robots[a], robots[a]

    def count(self, colliders: np.ndarray) -> int:
        """Return the number of pairs of some colliders whose kinds touch, including those that are kept apart."""
        counts = np.bincount(self.kind[colliders], minlength=len(self))
        return int(counts @ self.touches @ counts - counts @ np.diag(self.touches)) // 2

    def connections(self) -> np.ndarray:
        """Return pairs of articulations that may touch, (N, 2), as many as connect all that pairs connect."""
        facts, members = self._facts, defaultdict(list)
        left: list[set[int]] = [set() for _ in range(len(self))]
        for i in np.flatnonzero(facts.owner >= 0).tolist():
            members[int(facts.owner[i])].append(i)
            left[self.kind[i]].add(i)
        near = [np.flatnonzero(row).tolist() for row in self.touches]
        seen: set[int] = set()
        found: list[tuple[int, int]] = []
        for start in members:
            queue = [] if start in seen else [start]
            seen.add(start)
            while queue:
                one = queue.pop()
                for i in members[one]:
                    for kind in near[self.kind[i]]:
                        met = left[kind] - self.apart.get(i, set()) if left[kind] else left[kind]
                        left[kind] = left[kind] - met
                        new = {int(facts.owner[j]) for j in met} - seen
                        seen |= new
                        queue += new
                        found += [(one, other) for other in sorted(new)]
        return np.array(found, int).reshape(-1, 2)

    def colliders_of(self, members: list[int]) -> np.ndarray:
        """Return the colliders of an island with these articulations, ascending, and what is static that they touch."""
        mine = np.isin(self._facts.owner, members)
        kinds = np.bincount(self.kind[mine], minlength=len(self)) > 0
        touched = np.asarray(self.touches[kinds].any(axis=0))[self.kind]
        return np.flatnonzero((mine | (self._facts.owner < 0)) & touched)

    def lists(self, colliders: np.ndarray) -> bool:
        """Return whether an island lists its pairs, since they are few."""
        return self.count(colliders) <= LISTED_PER_COLLIDER * len(colliders)

    def static_pairs(self, colliders: np.ndarray) -> ColliderPairs:
        """Return the pairs of links and what is static among some colliders."""
        facts = self._facts
        links = colliders[facts.movable[colliders] & ~facts.free[colliders]]
        still = colliders[(facts.owner[colliders] < 0) | facts.kinematic[colliders]]
        rows = []
        for i in links.tolist():
            met = still[self.touches[self.kind[i], self.kind[still]]]
            met = met[~np.isin(met, list(self.apart.get(i, ())))]
            rows.append(np.stack([np.minimum(met, i), np.maximum(met, i)], axis=1))
        return pairs_of(facts, np.concatenate(rows) if rows else np.zeros((0, 2), int))


class UnlistedPairs:
    """The early pairs of an island that does not list them.

    Args:
        kinds: the kinds of the scene.
        facts: properties of its colliders.
        colliders: colliders of the island, ascending.
    """

    def __init__(self, kinds: ColliderKinds, facts: ColliderFacts, colliders: np.ndarray):
        self._kinds, self._facts = kinds, facts
        self.colliders = colliders
        """Colliders of the island, ascending."""
        self._present, self.kind = np.unique(kinds.kind[colliders], return_inverse=True)
        """Kind of each of these colliders, from 0 on."""
        self.items, self.samples = self._samples()
        """Item of `samples` by the kinds of side 0 and side 1, -1 for none, (K, K); a pair of each two kinds."""
        self._robots = defaultdict(list)
        for number in colliders[(facts.owner[colliders] >= 0) & ~facts.free[colliders]].tolist():
            self._robots[int(facts.owner[number])].append(number)

    def _samples(self) -> tuple[np.ndarray, ColliderPairs]:
        """Return the first pair of each two kinds that touch outside the sweeps, and which it is."""
        facts, count = self._facts, len(self._present)
        members = [self.colliders[self.kind == k] for k in range(count)]
        first, last = (np.array([pick(facts.rank[each]) for each in members]) for pick in (np.min, np.max))
        items, ones, others = np.full((count, count), -1), [], []
        touches = self._kinds.touches[self._present[:, None], self._present] & (first[:, None] < last)
        for i, j in np.argwhere(touches).tolist():
            ends = _two_bodies(facts, members[i], members[j])
            if ends is not None:
                pair = ColliderPairs.of_sides(facts, *(np.array([end]) for end in ends))
                if not is_inner(facts, pair)[0]:
                    items[i, j] = len(ones)
                    ones.append(ends[0])
                    others.append(ends[1])
        return items, ColliderPairs.of_sides(facts, np.array(ones, int), np.array(others, int))

    def partners(self) -> dict[int, set[str]]:
        """Return the kinds of shapes that each collider may touch, by the collider's number."""
        touches = self._kinds.touches[self._present[:, None], self._present]
        shapes = self._facts.kind[self.colliders]
        names = [{ShapeKind(k).name for k in np.unique(shapes[row[self.kind]]).tolist()} for row in touches]
        return {number: names[k] for number, k in zip(self.colliders.tolist(), self.kind.tolist(), strict=True)}

    def apart(self, number: int) -> list[int]:
        """Return the colliders that exceptions keep from a collider, and that come after it in the order of sides."""
        facts, others = self._facts, self._kinds.apart.get(number)
        if not others:
            return []
        mine = np.intersect1d(self.colliders, np.array(list(others), int))
        later = (facts.rank[mine] > facts.rank[number]) & (facts.body[mine] != facts.body[number])
        return mine[later & self._kinds.touches[self._kinds.kind[number], self._kinds.kind[mine]]].tolist()

    def of_one_articulation(self, number: int) -> np.ndarray:
        """Return the colliders of other links of a collider's articulation that come after it in the order of sides."""
        facts = self._facts
        mine = np.array(self._robots.get(int(facts.owner[number]), ()), int)
        if not len(mine):
            return mine
        return mine[(facts.rank[mine] > facts.rank[number]) & (facts.body[mine] != facts.body[number])]


def _two_bodies(facts: ColliderFacts, ones: np.ndarray, others: np.ndarray) -> tuple[int, int] | None:
    """Return the first colliders of two lists that are on different bodies, or None."""
    for one, other in ((ones[:1], others), (ones, others[:1])):
        one, other = np.broadcast_arrays(one, other)
        apart = np.flatnonzero(facts.body[one] != facts.body[other])
        if len(apart):
            return int(one[apart[0]]), int(other[apart[0]])
    return None


def find_kinds(scene: Scene, facts: ColliderFacts) -> ColliderKinds | None:
    """Return the kinds of a scene whose pairs are too many to be listed; None for others.

    A scene lists its pairs, too, if it has many kinds of colliders, or many exceptions.
    """
    count = len(scene.colliders)
    if count - 1 <= 2 * LISTED_PER_COLLIDER:
        return None
    kinds = ColliderKinds(scene, facts)
    if len(kinds) > MOST_KINDS:
        return None
    kinds.find_exceptions()
    few = kinds.count(np.arange(count)) <= LISTED_PER_COLLIDER * count
    many = sum(map(len, kinds.apart.values())) > MOST_EXCEPTIONS * count
    return None if few or many else kinds
