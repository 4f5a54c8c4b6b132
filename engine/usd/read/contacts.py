"""Colliders, filters and contact settings of a stage."""

from typing import Any

from pxr import Usd

from ...scene import WORLD, Collider, ContactSettings
from ..attributes import COLLIDER, CONTACT_SCENE, PATCH
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .collision_filters import read_filtered_pairs, read_groups
from .contact_materials import read_contact_material
from .contact_offsets import contact_offsets
from .shapes import read_shapes

LEAST_BOUNCE = 1e-6  # [stage units/s] PhysX's smallest bounce threshold


def read_contacts(source: StageReader, bodies: dict[str, Usd.Prim], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Scene` that contacts need.

    Args:
        source: the reader.
        bodies: the rigid bodies that can move, by path.
        settings: the physics scene's fields.
    """
    return {
        "colliders": tuple(
            collider
            for prim in source.prims
            if "PhysicsCollisionAPI" in schemas(prim)
            for collider in read_collider(source, prim, bodies, settings)
        ),
        "contacts": read_contact_settings(source),
        "filtered_pairs": tuple(read_filtered_pairs(source)),
        "collision_groups": tuple(read_groups(source)),
    }


def physics_scene(source: StageReader) -> Usd.Prim | None:
    """Return the physics scene that applies: the first one."""
    return next((prim for prim in source.prims if prim.GetTypeName() == "PhysicsScene"), None)


def read_contact_settings(source: StageReader) -> ContactSettings:
    """Read the thresholds of restitution and friction."""
    prim, rows = physics_scene(source), CONTACT_SCENE
    values = source.values(prim, rows) if prim else {row.field: row.default for row in rows}
    values["bounce_threshold"] = max(values["bounce_threshold"], LEAST_BOUNCE * source.metres)
    return ContactSettings(**values)


def read_collider(
    source: StageReader, prim: Usd.Prim, bodies: dict[str, Usd.Prim], settings: dict[str, Any]
) -> list[Collider]:
    """Read the shapes of a collider: one, or one per part of a decomposed mesh; none if it is disabled or invalid."""
    values = source.values(prim, COLLIDER)
    if not values["enabled"]:
        return []
    owner = owner_of(prim)
    path = str(owner.GetPath()) if owner is not None else WORLD
    moves = path in bodies
    report_motion(source, prim, owner, moves)
    material, patch = read_contact_material(source, prim, physics_scene(source)), source.values(prim, PATCH)
    found = []
    for shape in read_shapes(source, prim, owner if moves else None):
        contact, rest = contact_offsets(source, shape, values, settings)
        body = path if moves else WORLD
        found.append(
            Collider(
                str(prim.GetPath()), body, contact_offset=contact, rest_offset=rest, material=material, **shape, **patch
            )
        )
    return found


def owner_of(prim: Usd.Prim) -> Usd.Prim | None:
    """Return the nearest rigid body at or above a collider, also one that does not move; None if there is none."""
    while prim and "PhysicsRigidBodyAPI" not in schemas(prim):
        prim = prim.GetParent()
    return prim or None


def report_motion(source: StageReader, prim: Usd.Prim, owner: Usd.Prim | None, moves: bool) -> None:
    """Report a collider that its file moves by time samples: a kinematic one, or one below an animated transform."""
    if moves:
        return
    for ancestor in (prim, *ancestors(prim)):
        names = [name for name in ancestor.GetAuthoredPropertyNames() if name.startswith("xformOp:")]
        for name in names:
            attribute = ancestor.GetAttribute(name)
            if attribute and source.varies(attribute):
                source.report(prim, "", Reason("collider-moves", related=ancestor.GetPath()))
                return


def ancestors(prim: Usd.Prim) -> list[Usd.Prim]:
    """Return the prims above a prim, the nearest first."""
    found = []
    while (prim := prim.GetParent()) and not prim.IsPseudoRoot():
        found.append(prim)
    return found
