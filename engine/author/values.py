"""Authoring of the values of a document, as `fajin inspect --json` prints it."""

from typing import Any

from pxr import Sdf, Usd

from ..usd.document.scene_document import ITERATIONS, stage_document
from .attribute import attribute
from .change import Change
from .document_edits import check_format, check_type, differing_values, invalid, pairs
from .edited_axis import EditedAxis, of_axis, of_cone, of_drive, of_mimic
from .scene import physics_scene, scene
from .select import make_unique
from .surface import surface

DERIVED = ("center_of_mass", "inertia", "pose")  # they follow from other attributes, and are not read
INFORMATION = (
    *("format", "version", "source", "layers", "colliders", "time_samples", "fit", "diagnostics", "dof", "link"),
    "effective_inertia",
)
"""Keys of a document that are not read."""
PARTS = ("scene", "articulations", "maximal_joints")


def values(stage: Usd.Stage, document: dict[str, Any]) -> list[Change]:
    """Author the values of a document that differ from those of the stage; what it leaves out stays unchanged.

    A value is that of `value`, in SI units and radians; null stands for unlimited. A drive, an envelope or a mimic
    relation that is null is removed; one that the stage lacks is added. Equal values author nothing.

    Args:
        stage: an open stage, whose edit target receives the opinions.
        document: an object as `fajin.read_document` returns it, whole or in part.

    Raises:
        InvalidScene: the document names what the stage does not have, changes what is read-only, or a value breaks its
            rule.
    """
    check_format(document)
    now = stage_document(stage)
    differing_values(now, document, "document", (*INFORMATION, *PARTS))
    changes = of_scene(stage, now["scene"], document.get("scene", {}))
    joints = list(pairs(now["maximal_joints"], document.get("maximal_joints", []), "maximal_joints"))
    for robot, given in pairs(now["articulations"], document.get("articulations", []), "articulations"):
        changes += of_prim(stage, robot, given, ("links", "joints", "fixed_tendons", "spatial_tendons"))
        for link, edited in pairs(robot["links"], given.get("links", []), f"{robot['prim']}.links"):
            changes += of_prim(stage, link, edited, (*DERIVED, "surface_velocity"))
            changes += of_surface(stage, link, edited)
        for name in ("fixed_tendons", "spatial_tendons"):
            for tendon, edited in pairs(robot[name], given.get(name, []), f"{robot['prim']}.{name}"):
                changes += of_tendon(stage, tendon, edited)
        joints += pairs(robot["joints"], given.get("joints", []), f"{robot['prim']}.joints")
    return changes + of_joints(stage, joints)


def of_scene(stage: Usd.Stage, now: dict, given: dict) -> list[Change]:
    """Author settings of the scene."""
    found = differing_values(now, given, "scene", ("gravity",))
    changes = []
    if "gravity" in given and given["gravity"] != now["gravity"]:
        check_type({"value": now["gravity"]}, given["gravity"], "scene", "gravity")
        changes += scene(stage, gravity=given["gravity"])
    if found:
        prim, added = physics_scene(stage)
        changes += added
        for key, value in found.items():
            changes += attribute(prim, now[key]["attribute"], value)
    return changes


def of_prim(stage: Usd.Stage, now: dict, given: Any, nested: tuple[str, ...]) -> list[Change]:
    """Author values of attributes of one prim."""
    found = differing_values(now, given, now["prim"], nested)
    changes = []
    for key, value in found.items():
        prim = make_unique(stage, Sdf.Path(now["prim"]))
        changes += attribute(prim, now[key]["attribute"], round(value) if key in ITERATIONS else value)
    return changes


def of_surface(stage: Usd.Stage, now: dict, given: Any) -> list[Change]:
    """Author the velocity of a link's surface, which the scene has already."""
    held = now["surface_velocity"]
    edited = given.get("surface_velocity", held)
    if held is None or edited is None:
        if held != edited:
            fix = "leave it out, or author it: fajin author surface"
            raise invalid(now["prim"], "surface_velocity", edited, "null where the scene has null, and only there", fix)
        return []
    found = differing_values(held, edited, f"{now['prim']}.surface_velocity")
    if "local" in found:  # the file has a velocity of local space without the scale of the prim
        found.setdefault("linear", held["linear"]["value"])
    return surface(make_unique(stage, Sdf.Path(now["prim"])), **found) if found else []


def of_tendon(stage: Usd.Stage, now: dict, given: dict) -> list[Change]:
    """Author values of a tendon and of its axes."""
    changes = []
    root = now["name"].rpartition(":")[0]
    for key, value in differing_values(now, given, now["name"], ("axes", "attachments")).items():
        changes += attribute(make_unique(stage, Sdf.Path(root)), now[key]["attribute"], value)
    for axis, edited in pairs(now.get("axes", []), given.get("axes", []), now["name"]):
        joint = axis["dof"].rpartition(":")[0]
        for key, value in differing_values(axis, edited, axis["dof"]).items():
            changes += attribute(make_unique(stage, Sdf.Path(joint)), axis[key]["attribute"], (value,))
    return changes


def of_joints(stage: Usd.Stage, joints: list[tuple[dict, dict]]) -> list[Change]:
    """Author values of joints: limits of all first, which mimic relations need, and mimic relations last."""
    axes, changes = [], []
    for now, given in joints:
        for key, value in differing_values(now, given, now["prim"], ("axes", "distance")).items():
            raise invalid(now["prim"], key, value, "read-only", "leave it out")
        for key, value in differing_values(now.get("distance", {}), given.get("distance", {}), now["prim"]).items():
            changes += attribute(make_unique(stage, Sdf.Path(now["prim"])), now["distance"][key]["attribute"], value)
        entries = pairs(now["axes"], given.get("axes", []), now["prim"])
        here = [EditedAxis(stage, now["prim"], now["type"], *pair) for pair in entries]
        changes += of_cone(here) if now["type"] == "spherical" else []
        axes += here
    for write in (of_axis, of_drive, of_mimic):
        for axis in axes:
            changes += write(axis)
    return changes
