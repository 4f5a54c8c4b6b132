"""Filtered pairs and collision groups."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pxr import Sdf, Usd, UsdPhysics

from ...scene import CollisionGroup
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .collision_shapes import COLLISION, is_collider

PAIRS, GROUPS = "physics:filteredPairs", "physics:filteredGroups"


def read_filtered_pairs(source: StageReader) -> Iterator[tuple[str, str]]:
    """Yield the prims that do not collide, by PhysicsFilteredPairsAPI."""
    for prim in source.prims:
        if "PhysicsFilteredPairsAPI" in schemas(prim):
            for target in source.targets(prim, PAIRS):
                yield str(prim.GetPath()), str(target)


def read_groups(source: StageReader) -> Iterator[CollisionGroup]:
    """Yield the collision groups with the colliders in them; of several groups a collider is in the first by path."""
    groups = [prim for prim in source.prims if prim.GetTypeName() == "PhysicsCollisionGroup"]
    queries = {prim.GetPath(): membership(prim) for prim in sorted(groups, key=Usd.Prim.GetPath)}
    members: dict[Sdf.Path, list[str]] = {path: [] for path in queries}
    near = GroupsByPath(queries.items())
    for prim in source.prims if groups else ():
        if is_collider(prim):
            for first in near.first_of(source, prim.GetPath()):
                members[first].append(str(prim.GetPath()))
    for prim in groups:
        filtered = tuple(map(str, source.targets(prim, GROUPS)))
        yield CollisionGroup(str(prim.GetPath()), tuple(members[prim.GetPath()]), filtered)


def membership(prim: Usd.Prim) -> Usd.UsdCollectionMembershipQuery:
    """Return the query for the members of a collision group."""
    return UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()


class GroupsByPath:
    """Groups by the paths that their collections name: a prim is looked up in those that name it or what is above it.

    Collections with a membership expression name no paths; every prim is looked up in them.

    Args:
        queries: path of each group and the query for its members, in ascending order of the paths.
    """

    def __init__(self, queries: Iterable[tuple[Sdf.Path, Usd.UsdCollectionMembershipQuery]]):
        self._queries = list(queries)
        self._named: dict[Sdf.Path, list[int]] = defaultdict(list)
        self._everywhere = []
        for number, (_, query) in enumerate(self._queries):
            rules = query.GetAsPathExpansionRuleMap()
            if not rules:
                self._everywhere.append(number)
            for path in rules:
                self._named[path].append(number)

    def first_of(self, source: StageReader, path: Sdf.Path) -> list[Sdf.Path]:
        """Return the first group that a collider is in, if any; report a collider in several groups."""
        groups = self.groups_of(path)
        if len(groups) > 1:
            reason = Reason("several-groups", related=groups[0])
            source.report(str(path), COLLISION, reason, everywhere=False)  # copies may be in other groups
        return groups[:1]

    def groups_of(self, path: Sdf.Path) -> list[Sdf.Path]:
        """Return the groups that a prim is in, in ascending order."""
        above = [Sdf.Path.absoluteRootPath, *path.GetPrefixes()]
        numbers = {*self._everywhere, *(number for each in above for number in self._named.get(each, ()))}
        return [self._queries[i][0] for i in sorted(numbers) if self._queries[i][1].IsPathIncluded(path)]
