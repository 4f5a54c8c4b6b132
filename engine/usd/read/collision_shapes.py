"""Collision shapes of a stage: Gprims with PhysicsCollisionAPI, or that are children of another prim with it.

As in PhysX, such a parent decides what its children's shapes do: their body, offsets, approximation, density, whether
they are enabled or triggers, groups and filtered pairs. A child decides its geometry and friction. A child with
PhysicsCollisionAPI of its own is a shape twice. What lies deeper is not a shape.
"""

from dataclasses import dataclass

from pxr import Usd

from ..stage.instance_detection import is_instancer
from ..stage.stage import schemas

COLLISION, TRIGGER, BODY = "PhysicsCollisionAPI", "PhysxTriggerAPI", "PhysicsRigidBodyAPI"


@dataclass(frozen=True)
class CollisionShape:
    """A Gprim that collides, and the prim with PhysicsCollisionAPI that makes it collide: itself or its parent."""

    prim: Usd.Prim
    collider: Usd.Prim

    @property
    def container(self) -> str:
        """Return the path of the parent with PhysicsCollisionAPI; "" if the Gprim has it itself."""
        return "" if self.prim == self.collider else str(self.collider.GetPath())


def is_collider(prim: Usd.Prim) -> bool:
    """Return whether a prim has PhysicsCollisionAPI."""
    return COLLISION in schemas(prim)


def is_container(prim: Usd.Prim) -> bool:
    """Return whether a prim has PhysicsCollisionAPI for its children."""
    return is_collider(prim) and not prim.IsA("Gprim")


def is_shape(prim: Usd.Prim) -> bool:
    """Return whether a prim is a collision shape, by its own PhysicsCollisionAPI or its parent's."""
    return prim.IsA("Gprim") and (is_collider(prim) or is_container(prim.GetParent()))


def is_trigger(prim: Usd.Prim) -> bool:
    """Return whether the shapes of a collider are triggers, which are not solid."""
    return TRIGGER in schemas(prim)


def shapes_of(collider: Usd.Prim) -> list[CollisionShape]:
    """Return the shapes of a prim with PhysicsCollisionAPI."""
    prims = [collider] if collider.IsA("Gprim") else children(collider)
    return [CollisionShape(prim, collider) for prim in prims if prim.IsA("Gprim")]


def owner_of(prim: Usd.Prim) -> Usd.Prim | None:
    """Return the nearest rigid body at or above a prim, also one that does not move; None if there is none."""
    while prim and BODY not in schemas(prim):
        prim = prim.GetParent()
    return prim or None


def first_shape(collider: Usd.Prim) -> Usd.Prim | None:
    """Return the Gprim of a collider that comes first by name, as PhysX orders prims; None if it has no shapes."""
    return min((shape.prim for shape in shapes_of(collider)), key=Usd.Prim.GetName, default=None)


def count_deep(container: Usd.Prim) -> int:
    """Return the number of Gprims of a container's body that are below its children, and not shapes."""
    count, prims = 0, iter(Usd.PrimRange(container, Usd.TraverseInstanceProxies()))
    for prim in prims:
        if prim != container and (BODY in schemas(prim) or is_instancer(prim)):
            prims.PruneChildren()
        elif prim.IsA("Gprim") and prim.GetParent() != container:
            count += not is_shape(prim)
    return count


def children(prim: Usd.Prim) -> list[Usd.Prim]:
    """Return the children of a prim, also those of an instance."""
    return list(prim.GetFilteredChildren(Usd.TraverseInstanceProxies()))
