"""Colliders, filters and contact settings of a stage."""

from typing import Any

from pxr import Usd

from ...scene import WORLD, Collider, ContactSettings
from ..attributes import COLLIDER, CONTACT_SCENE, PATCH
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .animation import moving_ops
from .collision_filters import read_filtered_pairs, read_groups
from .contact_materials import read_contact_material
from .contact_offsets import contact_offsets
from .shapes import read_shapes

LEAST_BOUNCE = 1e-6  # [stage units/s] PhysX's smallest bounce threshold


def read_contacts(
    source: StageReader, bodies: dict[str, Usd.Prim], kinematics: dict[str, Usd.Prim], settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the fields of a `Scene` that contacts need.

    Args:
        source: the reader.
        bodies: the rigid bodies that can move, by path.
        kinematics: what time samples move, by path.
        settings: the physics scene's fields.
    """
    return {
        "colliders": tuple(
            collider
            for prim in source.prims
            if "PhysicsCollisionAPI" in schemas(prim)
            for collider in read_collider(source, prim, (bodies, kinematics), settings)
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
    source: StageReader, prim: Usd.Prim, owners: tuple[dict[str, Usd.Prim], ...], settings: dict[str, Any]
) -> list[Collider]:
    """Read the shapes of a collider: one, or one per part of a decomposed mesh; none if it is disabled or invalid.

    `owners`: the bodies that can move, and what time samples move.
    """
    bodies, kinematics = owners
    values = source.values(prim, COLLIDER)
    if not values["enabled"]:
        return []
    owner = prim if str(prim.GetPath()) in kinematics else owner_of(prim)
    path = str(owner.GetPath()) if owner is not None else WORLD
    moves = path in bodies or path in kinematics
    if not moves:
        report_motion(source, prim)
    material, patch = read_contact_material(source, prim, physics_scene(source)), source.values(prim, PATCH)
    found = []
    for shape in read_shapes(source, prim, owner if moves else None, path not in bodies):
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


def report_motion(source: StageReader, prim: Usd.Prim) -> None:
    """Report a collider of the world that its file moves by time samples."""
    ops = moving_ops(source, prim)
    if ops:
        source.report(prim, "", Reason("collider-moves", related=ops[0].GetPrimPath()))
