"""Surface velocities of rigid bodies: `PhysxSurfaceVelocityAPI`, and velocities of kinematic bodies.

As in PhysX, a linear velocity in local space is scaled as the prim is, and the velocities of a kinematic body are those
of its surface, in world space, unless the schema is applied.
"""

from dataclasses import replace

import numpy as np
from pxr import Gf, Usd

from ...scene import Articulation, Link, SurfaceVelocity
from ..attributes import BODY, ROOT_LINK, SURFACE
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .colliders import colliders

SURFACE_SCHEMA = "PhysxSurfaceVelocityAPI"
LEAST = 1e-4
"""Length of a kinematic body's velocity [length/s | rad/s] from which on it is one of the surface."""


def read_surface(source: StageReader, prim: Usd.Prim) -> SurfaceVelocity | None:
    """Read the surface velocity of a body; None if its surface does not move."""
    if SURFACE_SCHEMA in schemas(prim):
        values = source.values(prim, SURFACE)
        if not values.pop("enabled"):
            return None
        if values["local"]:
            values["linear"] = tuple((np.array(values["linear"]) * source.scale_of(prim)).tolist())
        return SurfaceVelocity(**values)
    flags = source.values(prim, BODY) if "PhysicsRigidBodyAPI" in schemas(prim) else {"enabled": False}
    if not (flags["enabled"] and flags["kinematic"]):
        return None
    values = source.values(prim, ROOT_LINK)
    linear, angular = values["velocity"], values["angular_velocity"]
    moves = Gf.Vec3d(*linear).GetLength() > LEAST * source.metres or Gf.Vec3d(*angular).GetLength() > LEAST
    return SurfaceVelocity(linear, angular, local=False) if moves else None


def add_surfaces(source: StageReader, articulations: list[Articulation]) -> list[Articulation]:
    """Return the articulations with the surface velocities of their links; report those of bodies that joints hold."""
    moving = {link.path for a in articulations for link in a.links}
    for prim in source.prims:
        if "PhysicsRigidBodyAPI" in schemas(prim) and str(prim.GetPath()) not in moving:
            flags = source.values(prim, BODY)
            if flags["enabled"] and flags["kinematic"] and colliders(prim) and read_surface(source, prim):
                source.report(prim, SURFACE_SCHEMA, Reason("surface-velocity"))
    return [replace(a, links=tuple(with_surface(source, link) for link in a.links)) for a in articulations]


def with_surface(source: StageReader, link: Link) -> Link:
    """Return a link with its surface velocity."""
    surface = read_surface(source, source.prim(link.path))
    return replace(link, surface_velocity=surface) if surface else link
