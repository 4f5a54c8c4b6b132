"""Filtered pairs and collision groups."""

from collections.abc import Iterator

from pxr import Usd, UsdPhysics

from ...scene import CollisionGroup
from ..stage.stage import StageReader, schemas

PAIRS, GROUPS = "physics:filteredPairs", "physics:filteredGroups"


def read_filtered_pairs(source: StageReader) -> Iterator[tuple[str, str]]:
    """Yield the prims that do not collide, by PhysicsFilteredPairsAPI."""
    for prim in source.prims:
        if "PhysicsFilteredPairsAPI" in schemas(prim):
            for target in source.targets(prim, PAIRS):
                yield str(prim.GetPath()), str(target)


def read_groups(source: StageReader) -> Iterator[CollisionGroup]:
    """Yield the collision groups with the colliders in them."""
    groups = [prim for prim in source.prims if prim.GetTypeName() == "PhysicsCollisionGroup"]
    colliders = (
        [str(prim.GetPath()) for prim in source.prims if "PhysicsCollisionAPI" in schemas(prim)] if groups else []
    )
    for prim in groups:
        inside = membership(prim)
        members = tuple(path for path in colliders if inside.IsPathIncluded(path))
        yield CollisionGroup(str(prim.GetPath()), members, tuple(map(str, source.targets(prim, GROUPS))))


def membership(prim: Usd.Prim) -> Usd.UsdCollectionMembershipQuery:
    """Return the query for the members of a collision group."""
    return UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
