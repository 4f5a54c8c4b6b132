"""Diagnostics of instancers whose instances are not simulated."""

from collections.abc import Iterator

import numpy as np
from pxr import Usd

from ..attributes.kinds import INDICES
from ..stage.diagnostic_codes import Reason
from ..stage.instancer_expansion import is_instance
from ..stage.stage import StageReader, schemas
from ..stage.targets import targets_of

MATTER = {"PhysicsRigidBodyAPI", "PhysicsCollisionAPI"}


def report_instancers(source: StageReader) -> None:
    """Report the point instancers of bodies and colliders, and the joint instancers, with their number of instances."""
    for prim in source.prims:
        if any(map(is_instance, prim.GetChildren())):
            continue
        if prim.GetTypeName() == "PointInstancer" and (count := count_bodies(source, prim)):
            source.report(prim, "", Reason("point-instancer", count=count))
        elif prim.GetTypeName() == "PhysxPhysicsJointInstancer":
            count = len(indices(source, prim, "physics:protoIndices"))
            source.report(prim, "", Reason("joint-instancer", count=count))


def count_bodies(source: StageReader, instancer: Usd.Prim) -> int:
    """Return the number of instances whose prototypes have rigid bodies or colliders."""
    solid = [matters(prototype) for prototype in prototypes(source, instancer)]
    which = indices(source, instancer, "protoIndices")
    known = which[(which >= 0) & (which < len(solid))]
    return int(np.count_nonzero(np.array(solid, bool)[known]))


def prototypes(source: StageReader, instancer: Usd.Prim) -> Iterator[Usd.Prim]:
    """Yield the prototypes of a point instancer; an invalid prim for one that does not exist."""
    for path in targets_of(instancer, "prototypes") or ():
        yield source.prim(path)


def matters(prototype: Usd.Prim) -> bool:
    """Return whether there is a rigid body or a collider at or below a prototype."""
    below = Usd.PrimRange(prototype, Usd.TraverseInstanceProxies()) if prototype else ()
    return any(MATTER & {*schemas(prim)} for prim in below)


def indices(source: StageReader, prim: Usd.Prim, name: str) -> np.ndarray:
    """Return the numbers of prototypes of all instances."""
    found = source.typed(prim, name, INDICES)
    return np.zeros(0, int) if found is None else found
