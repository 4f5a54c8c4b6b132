"""Prims above a prim whose applied schemas may affect it."""

from collections.abc import Iterator

from pxr import Usd

RIGID_BODY_API = "PhysicsRigidBodyAPI"


def marked_above(prim: Usd.Prim) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield path and schemas of the ancestors whose schemas may affect prims below them."""
    while (prim := prim.GetParent()) and not prim.IsPseudoRoot():
        if schemas := prim.GetPrimTypeInfo().GetAppliedAPISchemas():
            yield str(prim.GetPath()), tuple(schemas)


def is_part_of_body(prim: Usd.Prim) -> bool:
    """Return whether a prim is below a rigid body, in whose frame its colliders have their poses."""
    return any(RIGID_BODY_API in schemas for _, schemas in marked_above(prim))
