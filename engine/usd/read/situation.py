"""Situation of an attribute: whether PhysX's motion depends on it on this prim and in this scene."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from pxr import Usd

from ...scene import SolverType
from ..attributes import BODY
from ..attributes.attribute import UNBOUNDED
from ..dispositions import Row
from ..stage.stage import StageReader, schemas

STABILIZATION = "physxScene:enableStabilization"
MESHES = {  # namespace of parameters of a mesh approximation: the approximations that use them
    "physxConvexDecompositionCollision": ("convexDecomposition",),
    "physxSphereFillCollision": ("sphereFill",),
    "physxTriangleMeshSimplificationCollision": ("meshSimplification",),
    "physxTriangleMeshCollision": ("none", "sdf"),
    "physxSDFMeshCollision": ("sdf",),
}


@dataclass(frozen=True)
class Situation:
    """A stage and what moves in it."""

    source: StageReader
    scene: Usd.Prim | None
    solver: SolverType
    moving: frozenset[str]  # paths of the bodies that move freely or in articulations
    links: frozenset[str]  # paths of those in articulations
    trees: int  # number of articulations
    collides: bool  # True if colliders of several bodies, or of a body and the world, may touch
    scenes_are_one: bool = False  # True if one simulation has several physics scenes

    def authored(self, prim: Usd.Prim | None, name: str, default: Any = None) -> Any:
        """Return the authored value of an attribute that the attribute table does not have."""
        value = self.source.held(prim, name) if prim else None
        return default if value is None else value

    def on(self, name: str) -> bool:
        """Return whether a switch of the physics scene is on, with its schema."""
        return bool(self.scene and "PhysxSceneAPI" in schemas(self.scene) and self.authored(self.scene, name, False))

    def is_kinematic(self, prim: Usd.Prim) -> bool:
        """Return whether a prim is a rigid body that is enabled and kinematic."""
        if "PhysicsRigidBodyAPI" not in schemas(prim):
            return False
        flags = self.source.values(prim, BODY)
        return flags["enabled"] and flags["kinematic"]

    def requests(self, prim: Usd.Prim, row: Row) -> bool:
        """Return whether the value of an attribute differs from the value that requests nothing."""
        value = self.authored(prim, row.name)
        if row.nothing is None or value is None:
            return True
        if row.nothing == -inf:  # no value that is not positive requests anything
            return value > 0.0
        if isinstance(row.nothing, float):
            return not isinstance(value, int | float) or number_or_infinity(value) != number_or_infinity(row.nothing)
        return value not in (row.nothing if isinstance(row.nothing, tuple) else (row.nothing,))

    def why_not(self, prim: Usd.Prim, code: str, name: str) -> str:
        """Return why PhysX's motion does not depend on an attribute or schema here; "" if it does."""
        condition = CONDITIONS.get(code)
        return condition(self, prim, name) if condition else ""


def number_or_infinity(value: float) -> float:
    """Return a number, and an infinite one for all beyond UNBOUNDED."""
    return value if abs(value) < UNBOUNDED else inf * (1.0 if value > 0.0 else -1.0)


def of_contacts(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why an attribute of contacts does not act."""
    return "" if here.collides else "nothing collides"


def of_several(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why the order of constraints does not matter."""
    several = here.trees + len(here.moving - here.links) > 1 or here.source.copies
    return "" if several else "nothing moves beside one body or one articulation"


def of_bodies(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why an attribute of the contacts of a body does not act."""
    lives = str(prim.GetPath()) in here.moving or here.is_kinematic(prim)
    return of_contacts(here, prim, name) if lives else "the prim is not an enabled rigid body"


def of_pgs(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why an attribute of the solver PGS does not act."""
    return "" if here.solver is SolverType.PGS else "it acts only with the solver PGS"


def of_stabilization(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why stabilization does not act: it damps free bodies that touch bodies, and no articulation."""
    if not here.on(STABILIZATION):
        return f"{STABILIZATION} is off"
    free = here.moving - here.links
    acts = free and (len(here.moving) > 1 or here.source.copies)
    return of_contacts(here, prim, name) if acts else "no free body can touch another body that moves"


def of_meshes(here: Situation, prim: Usd.Prim, name: str) -> str:
    """Return why a parameter of a mesh approximation does not act."""
    wanted = MESHES[name.partition(":")[0]]
    used = here.authored(prim, "physics:approximation", "none")
    return "" if used in wanted else f"it acts with physics:approximation = {' or '.join(wanted)}"


CONDITIONS: dict[str, Callable[[Situation, Usd.Prim, str], str]] = {
    "surface-velocity": of_bodies,
    "collision-system": of_contacts,
    "stabilization": of_stabilization,
    "bias-limit": of_pgs,
    "constraint-order": of_several,
    "mesh-cooking": of_meshes,
}
