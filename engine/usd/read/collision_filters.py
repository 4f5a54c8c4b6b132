"""Filtered pairs and collision groups."""

from collections.abc import Iterator

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
    for prim in source.prims if groups else ():
        if is_collider(prim):
            first, *others = [path for path in queries if queries[path].IsPathIncluded(prim.GetPath())] or [None]
            if first:
                members[first].append(str(prim.GetPath()))
            if others:
                source.report(prim, COLLISION, Reason("several-groups", related=first))
    for prim in groups:
        filtered = tuple(map(str, source.targets(prim, GROUPS)))
        yield CollisionGroup(str(prim.GetPath()), tuple(members[prim.GetPath()]), filtered)


def membership(prim: Usd.Prim) -> Usd.UsdCollectionMembershipQuery:
    """Return the query for the members of a collision group."""
    return UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
