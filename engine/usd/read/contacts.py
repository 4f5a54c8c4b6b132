"""Colliders, filters and contact settings of a stage."""

from dataclasses import dataclass
from typing import Any

from pxr import Usd, UsdShade

from ...scene import WORLD, Collider, ContactMaterial, ContactSettings, ShapeKind
from ..attributes import BODY_COLLIDERS, COLLIDER, CONTACT_MATERIAL, CONTACT_SCENE, PATCH
from ..attributes.contact import SPRING
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .animation import moving_ops
from .collision_filters import read_filtered_pairs, read_groups
from .collision_shapes import (
    BODY,
    COLLISION,
    TRIGGER,
    CollisionShape,
    count_deep,
    first_shape,
    is_collider,
    is_container,
    is_trigger,
    owner_of,
    shapes_of,
)
from .contact_offsets import contact_offsets
from .mesh_materials import parts_with_materials
from .shapes import read_shapes

LEAST_BOUNCE = 1e-6  # [stage units/s] PhysX's smallest bounce threshold


@dataclass(frozen=True)
class Owners:
    """Owners of colliders: bodies, kinematic bodies, and what stands still."""

    bodies: dict[str, Usd.Prim]  # rigid bodies that can move, by path
    kinematics: dict[str, Usd.Prim]  # what time samples move, by path
    standing: set[str]  # paths of what stands still where joints end in the world


def read_contacts(source: StageReader, owners: Owners, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Scene` that contacts need; `settings`: the physics scene's fields."""
    solids: list[Collider] = []
    triggers: list[Collider] = []
    for prim in source.prims:
        if BODY in schemas(prim) and not solves_contacts(source, prim):
            source.report(prim, "physxRigidBody:solveContact", Reason("contacts-not-solved"), False)
        if not is_collider(prim):
            continue
        found = read_collider(source, prim, owners, settings_of_owner(prim, settings))
        place = triggers if is_trigger(prim) and not reports_solid(source, prim, found) else solids
        place.extend(found)
    return {
        "colliders": tuple(solids),
        "triggers": tuple(triggers),
        "contacts": read_contact_settings(source),
        "filtered_pairs": tuple(read_filtered_pairs(source)),
        "collision_groups": tuple(read_groups(source)),
    }


def settings_of_owner(prim: Usd.Prim, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the physics scene that a collider names itself; their gravity decides on its offsets.

    As in PhysX, the scene that its body names does not decide.
    """
    scenes = settings["scenes"]
    return settings | {"gravity": scenes.gravities[scenes.owner(prim)]} if scenes.are_one else settings


def read_contact_settings(source: StageReader) -> ContactSettings:
    """Read the thresholds of restitution and friction."""
    prim, rows = source.physics_scene, CONTACT_SCENE
    values = source.values(prim, rows) if prim else {row.field: row.default for row in rows}
    values["bounce_threshold"] = max(values["bounce_threshold"], LEAST_BOUNCE * source.metres)
    return ContactSettings(**values)


def read_collider(source: StageReader, prim: Usd.Prim, owners: Owners, settings: dict[str, Any]) -> list[Collider]:
    """Read the shapes of a collider, solid or not; none, and a diagnostic, if it is disabled or invalid."""
    values, patch = source.values(prim, COLLIDER), source.values(prim, PATCH)
    if is_container(prim) and (count := count_deep(prim)):
        source.report(prim, COLLISION, Reason("collider-not-a-child", count=count))
    if not values["enabled"] or not solves_contacts(source, owner_of(prim)):
        return []
    found = []
    for shape in shapes_of(prim):
        body, moves = body_of(source, shape, owners)
        frame = source.prim(body) if body != WORLD else None
        standing = "" if body else standing_of(shape, owners)
        still = "" if body else path_of_owner(shape)
        for whole in read_shapes(source, shape, frame, not moves):
            contact, rest = contact_offsets(source, whole, values, settings)
            offsets = {"contact_offset": contact, "rest_offset": rest, **patch}
            for part, fields in parts_with_materials(source, shape.prim, whole):
                material = read_contact_material(source, part, source.physics_scene)
                container = shape.container or ("" if part == shape.prim else str(shape.prim.GetPath()))
                names = {"container": container, "standing": standing, "still_body": still}
                found.append(Collider(str(part.GetPath()), body, material=material, **names, **offsets, **fields))
    if settings["scenes"].are_one:
        found = [settings["scenes"].collider(each, each.body in owners.bodies) for each in found]
    return found


def solves_contacts(source: StageReader, body: Usd.Prim | None) -> bool:
    """Return whether contacts act on a body, as they do on what has none."""
    return body is None or source.values(body, BODY_COLLIDERS)["solve_contacts"]


def body_of(source: StageReader, shape: CollisionShape, owners: Owners) -> tuple[str, bool]:
    """Return the path of a shape's body, `WORLD` if it stands still, and whether contacts move it."""
    bodies, kinematics = owners.bodies, owners.kinematics
    own, owner = str(shape.prim.GetPath()), owner_of(shape.collider)
    path = own if owner is None and own in kinematics else str(owner.GetPath()) if owner else WORLD
    if path in bodies or path in kinematics:
        return path, path in bodies
    report_motion(source, shape.prim)
    return WORLD, False


def path_of_owner(shape: CollisionShape) -> str:
    """Return the path of the rigid body at or above a shape, "" if there is none."""
    owner = owner_of(shape.collider)
    return str(owner.GetPath()) if owner else ""


def standing_of(shape: CollisionShape, owners: Owners) -> str:
    """Return the path by which joints name what a shape of the world stands still with; "" if none does.

    It is its body's, else its collider's. As in PhysX, a joint to several shapes of a container names the first.
    """
    path = str((owner_of(shape.collider) or shape.collider).GetPath())
    alone = owner_of(shape.collider) is not None or shape.prim == first_shape(shape.collider)
    return path if alone and path in owners.standing else ""


def reports_solid(source: StageReader, prim: Usd.Prim, found: list[Collider]) -> bool:
    """Return whether a trigger is solid, as triangle meshes are, and report which it is."""
    solid = any(collider.kind is ShapeKind.TRIANGLE_MESH for collider in found)
    source.report(prim, TRIGGER, Reason("trigger-is-mesh" if solid else "trigger"))
    return solid


def report_motion(source: StageReader, prim: Usd.Prim) -> None:
    """Report a collider of the world that its file moves by time samples."""
    ops = moving_ops(source, prim)
    if ops:
        source.report(prim, "", Reason("collider-moves", related=ops[0].GetPrimPath()))


def read_contact_material(source: StageReader, prim: Usd.Prim, scene: Usd.Prim | None) -> ContactMaterial:
    """Read the physics material bound to a collider or an ancestor, else to the physics scene, else the default."""
    material = bound_material(prim) or (bound_material(scene) if scene else None)
    if material is None:
        return ContactMaterial()
    by_mass = source.authored(material, SPRING) is True and "PhysxMaterialAPI" in schemas(material)
    return ContactMaterial(**source.values(material, CONTACT_MATERIAL, acceleration=by_mass))


def bound_material(prim: Usd.Prim) -> Usd.Prim | None:
    """Return the physics material that is bound to a prim; None if there is none."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    found = material.GetPrim() if material else None
    return found if found and "PhysicsMaterialAPI" in schemas(found) else None
