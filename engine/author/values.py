"""Authoring of the values of a document, as `fajin inspect --json` prints it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from pxr import Sdf, Usd

from ..usd.attributes import DRIVE, ENVELOPE, MIMIC
from ..usd.attributes.attribute import Attribute
from ..usd.document.scene_document import ITERATIONS, stage_document
from .armature import armature
from .attribute import attribute
from .change import Change
from .document_edits import UNCHANGED, check_format, check_type, differing_values, invalid, is_quantity, pairs
from .drive import drive
from .envelope import envelope
from .friction import friction
from .limit import cone, limit
from .mimic import mimic
from .remove import remove
from .scene import physics_scene, scene
from .select import make_unique
from .state import state

DERIVED = ("center_of_mass", "inertia", "pose")  # they follow from other attributes, and are not read
INFORMATION = (
    *("format", "version", "source", "layers", "colliders", "time_samples", "fit", "diagnostics", "dof", "link"),
    "effective_inertia",
)
"""Keys of a document that are not read."""
PARTS = ("scene", "articulations", "maximal_joints")
OF_AXIS = ("friction", "drive", "mimic", "limit_spring")
NESTED = ("envelope", "references")  # entries within a drive and within a mimic relation
GAINS = ("stiffness", "damping")


@dataclass(frozen=True)
class EditedAxis:
    """A degree of freedom: the scene's entry and the edited one."""

    joint: str
    kind: str  # type of the joint
    now: dict[str, Any]
    said: dict[str, Any]

    @property
    def token(self) -> str:
        """Return the axis token."""
        return self.now["axis"]

    def part(self, name: str, nested: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the values that differ in a part of the axis, such as its friction."""
        if name not in self.said:
            return {}
        if name not in self.now:
            raise invalid(self.now["name"], name, "", f"left out on a {self.kind} joint", "leave it out")
        return differing_values(self.now[name], self.said[name], f"{self.now['name']}.{name}", nested)


def values(stage: Usd.Stage, document: dict[str, Any]) -> list[Change]:
    """Author the values of a document that differ from those of the stage; what it leaves out stays unchanged.

    A value is that of `value`, in SI units and radians; null is no limit. A drive, an envelope or a mimic relation that
    is null is removed; one that the stage lacks is added. Equal values author nothing.

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
    for robot, said in pairs(now["articulations"], document.get("articulations", []), "articulations"):
        changes += of_prim(stage, robot, said, ("links", "joints", "fixed_tendons", "spatial_tendons"))
        for link, edited in pairs(robot["links"], said.get("links", []), f"{robot['prim']}.links"):
            changes += of_prim(stage, link, edited, DERIVED)
        for name in ("fixed_tendons", "spatial_tendons"):
            for tendon, edited in pairs(robot[name], said.get(name, []), f"{robot['prim']}.{name}"):
                changes += of_tendon(stage, tendon, edited)
        joints += pairs(robot["joints"], said.get("joints", []), f"{robot['prim']}.joints")
    return changes + of_joints(stage, joints)


def of_scene(stage: Usd.Stage, now: dict, said: dict) -> list[Change]:
    """Author settings of the scene."""
    found = differing_values(now, said, "scene", ("gravity",))
    changes = []
    if "gravity" in said and said["gravity"] != now["gravity"]:
        check_type({"value": now["gravity"]}, said["gravity"], "scene", "gravity")
        changes += scene(stage, gravity=said["gravity"])
    if found:
        prim, added = physics_scene(stage)
        changes += added
        for key, value in found.items():
            changes += attribute(prim, now[key]["attribute"], value)
    return changes


def of_prim(stage: Usd.Stage, now: dict, said: Any, nested: tuple[str, ...]) -> list[Change]:
    """Author values of attributes of one prim."""
    found = differing_values(now, said, now["prim"], nested)
    changes = []
    for key, value in found.items():
        prim = make_unique(stage, Sdf.Path(now["prim"]))
        changes += attribute(prim, now[key]["attribute"], round(value) if key in ITERATIONS else value)
    return changes


def of_tendon(stage: Usd.Stage, now: dict, said: dict) -> list[Change]:
    """Author values of a tendon and of its axes."""
    changes = []
    root = now["name"].rpartition(":")[0]
    for key, value in differing_values(now, said, now["name"], ("axes", "attachments")).items():
        changes += attribute(make_unique(stage, Sdf.Path(root)), now[key]["attribute"], value)
    for axis, edited in pairs(now.get("axes", []), said.get("axes", []), now["name"]):
        joint = axis["dof"].rpartition(":")[0]
        for key, value in differing_values(axis, edited, axis["dof"]).items():
            changes += attribute(make_unique(stage, Sdf.Path(joint)), axis[key]["attribute"], (value,))
    return changes


def of_joints(stage: Usd.Stage, joints: list[tuple[dict, dict]]) -> list[Change]:
    """Author values of joints: limits of all first, which mimic relations need, and mimic relations last."""
    axes, changes = [], []
    for now, said in joints:
        for key, value in differing_values(now, said, now["prim"], ("axes", "distance")).items():
            raise invalid(now["prim"], key, value, "read-only", "leave it out")
        for key, value in differing_values(now.get("distance", {}), said.get("distance", {}), now["prim"]).items():
            changes += attribute(make_unique(stage, Sdf.Path(now["prim"])), now["distance"][key]["attribute"], value)
        entries = pairs(now["axes"], said.get("axes", []), now["prim"])
        here = [EditedAxis(now["prim"], now["type"], *pair) for pair in entries]
        changes += of_cone(stage, here) if now["type"] == "spherical" else []
        axes += here
    for write in (of_axis, of_drive, of_mimic):
        for axis in axes:
            changes += write(stage, axis)
    return changes


def of_cone(stage: Usd.Stage, axes: list[EditedAxis]) -> list[Change]:
    """Author the cone of a spherical joint, whose half angles are the upper limits of its swing axes."""
    found = {axis.token: differing_values(axis.now, axis.said, axis.now["name"], OF_AXIS) for axis in axes}
    if not any("upper" in one or "lower" in one for one in found.values()):
        return []
    angles = []
    for axis in (axis for axis in axes if "upper" in axis.now):
        said = found[axis.token]
        bounds = {key: said.get(key, signed(axis.now[key]["value"], key)) for key in ("lower", "upper")}
        if bounds["lower"] != -bounds["upper"]:
            fix = "give both limits of both swing axes"
            raise invalid(axis.now["name"], "lower", bounds["lower"], f"-upper = {-bounds['upper']:g} on a cone", fix)
        angles.append(bounds["upper"])
    if len(angles) != 2:
        raise invalid(axes[0].joint, "axes", len(angles), "both swing axes of a spherical joint", "give both")
    return cone(make_unique(stage, Sdf.Path(axes[0].joint)), *angles)


def signed(value: float | None, key: str) -> float:
    """Return a limit, infinite for null."""
    return value if value is not None else -inf if key == "lower" else inf


def of_axis(stage: Usd.Stage, axis: EditedAxis) -> Iterator[Change]:
    """Author limits, armature, state, friction and the spring of limits of an axis."""
    found = differing_values(axis.now, axis.said, axis.now["name"], OF_AXIS)
    if axis.kind == "spherical":
        found = {key: value for key, value in found.items() if key not in ("lower", "upper")}
    prim = make_unique(stage, Sdf.Path(axis.joint)) if axis.said else None
    bounds = {key: found[key] for key in ("lower", "upper", "max_velocity") if key in found}
    initial = {key: found[key] for key in ("q", "qd") if key in found}
    if bounds:
        yield from limit(prim, **bounds, axis=axis.token)
    if "armature" in found:
        yield from armature(prim, found["armature"], axis=axis.token)
    if initial:
        yield from state(prim, **initial, axis=axis.token)
    if efforts := axis.part("friction"):
        yield from friction(prim, **efforts, axis=axis.token)
    for key, value in axis.part("limit_spring").items():
        yield from attribute(prim, axis.now["limit_spring"][key]["attribute"], value)


def of_drive(stage: Usd.Stage, axis: EditedAxis) -> Iterator[Change]:
    """Author, add or remove the drive of an axis and its envelope."""
    if "drive" not in axis.said:
        return
    now, said = axis.now.get("drive"), axis.said["drive"]
    prim = make_unique(stage, Sdf.Path(axis.joint))
    if said is None:
        yield from remove(prim, "drive", axis.token) if now else ()
        return
    found = axis.part("drive", ("envelope",)) if now else new_values(said, f"{axis.now['name']}.drive", DRIVE)
    if now and "type" in found:  # the unit of the gains changes
        found |= {gain: said[gain]["value"] for gain in GAINS if gain in said}
    if found or not now:
        yield from drive(prim, **found, axis=axis.token)
    yield from of_envelope(prim, axis, (now or {}).get("envelope"), said.get("envelope", UNCHANGED))


def of_envelope(prim: Usd.Prim, axis: EditedAxis, now: dict | None, said: Any) -> list[Change]:
    """Author, add or remove the envelope of a drive."""
    place = f"{axis.now['name']}.drive.envelope"
    if said is UNCHANGED or (said is None and now is None):
        return []
    if said is None:
        return remove(prim, "envelope", axis.token)
    found = differing_values(now, said, place) if now else new_values(said, place, ENVELOPE)
    return envelope(prim, **found, axis=axis.token) if found or not now else []


def new_values(said: Any, place: str, rows: tuple[Attribute, ...]) -> dict[str, Any]:
    """Return the values of an entry that the scene does not have yet, by field of the rows; entries within it aside."""
    known = {row.field for row in rows}
    said = {key: value for key, value in said.items() if key not in NESTED} if isinstance(said, dict) else said
    if not isinstance(said, dict) or not all(isinstance(entry, dict) and "value" in entry for entry in said.values()):
        raise invalid(place, "", said, "an object of quantities", 'write them as {"stiffness": {"value": 100}}')
    for key in set(said) - known:
        raise invalid(place, key, said[key], f"one of {', '.join(sorted(known))}", "leave it out")
    return {key: inf if entry["value"] is None else entry["value"] for key, entry in said.items()}


def of_mimic(stage: Usd.Stage, axis: EditedAxis) -> Iterator[Change]:
    """Author, add or remove the mimic relation of an axis."""
    now, said = axis.now.get("mimic"), axis.said.get("mimic", UNCHANGED)
    if said is UNCHANGED or said == now:
        return
    prim, place = make_unique(stage, Sdf.Path(axis.joint)), f"{axis.now['name']}.mimic"
    if said is None:
        yield from remove(prim, "mimic", axis.token)
        return
    found = differing_values(now, said, place, ("references",)) if now else new_values(said, place, MIMIC)
    references = said.get("references", (now or {}).get("references"))
    if not found and now and references == now["references"]:
        return
    kept = {key: entry["value"] for key, entry in (now or {}).items() if is_quantity(entry)}
    try:
        leaders = [entry["dof"].rpartition(":") for entry in references]
        gearing = [float(entry["gearing"]) for entry in references]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise invalid(place, "references", references, 'a list of {"dof", "gearing"}', "give such a list") from None
    paths, tokens = [path for path, _, _ in leaders], [token for _, _, token in leaders]
    yield from mimic(prim, paths, gearing=gearing, reference_axis=tokens, axis=axis.token, **{**kept, **found})
