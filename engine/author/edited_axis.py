"""Authoring of edited degrees of freedom: limits, friction, state, drive, envelope and mimic relation."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from pxr import Sdf, Usd

from ..usd.attributes import DRIVE, ENVELOPE, MIMIC
from ..usd.attributes.attribute import Attribute
from ..usd.read.actuators import find_actuators
from ..usd.stage.stage import StageReader
from .actuator import actuator
from .armature import armature
from .attribute import attribute
from .change import Change
from .document_edits import READ_ONLY, UNCHANGED, differing_values, invalid, is_quantity
from .drive import drive
from .envelope import envelope
from .friction import friction
from .limit import cone, limit
from .mimic import mimic
from .remove import remove
from .select import make_unique
from .state import state

OF_AXIS = ("friction", "drive", "mimic", "limit_spring")
NESTED = ("envelope", "actuator", "references")  # entries within a drive and within a mimic relation
GAINS = ("stiffness", "damping")


@dataclass(frozen=True)
class EditedAxis:
    """A degree of freedom: the scene's entry and the edited one."""

    stage: Usd.Stage
    joint: str
    kind: str  # type of the joint
    now: dict[str, Any]
    given: dict[str, Any]

    @property
    def prim(self) -> Usd.Prim:
        """Return the joint, made unique in its instance: only for an edit."""
        return make_unique(self.stage, Sdf.Path(self.joint))

    @property
    def token(self) -> str:
        """Return the axis token."""
        return self.now["axis"]

    def part(self, name: str, nested: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the values that differ in a part of the axis, such as its friction."""
        if name not in self.given:
            return {}
        if name not in self.now:
            raise invalid(self.now["name"], name, "", f"left out on a {self.kind} joint", "leave it out")
        return differing_values(self.now[name], self.given[name], f"{self.now['name']}.{name}", nested)


def of_cone(axes: list[EditedAxis]) -> list[Change]:
    """Author the cone of a spherical joint, whose half angles are the upper limits of its swing axes."""
    found = {axis.token: differing_values(axis.now, axis.given, axis.now["name"], OF_AXIS) for axis in axes}
    if not any("upper" in one or "lower" in one for one in found.values()):
        return []
    angles = []
    for axis in (axis for axis in axes if "upper" in axis.now):
        given = found[axis.token]
        bounds = {key: given.get(key, signed(axis.now[key]["value"], key)) for key in ("lower", "upper")}
        if bounds["lower"] != -bounds["upper"]:
            fix = "give both limits of both swing axes"
            raise invalid(axis.now["name"], "lower", bounds["lower"], f"-upper = {-bounds['upper']:g} on a cone", fix)
        angles.append(bounds["upper"])
    if len(angles) != 2:
        raise invalid(axes[0].joint, "axes", len(angles), "both swing axes of a spherical joint", "give both")
    return cone(axes[0].prim, *angles)


def signed(value: float | None, key: str) -> float:
    """Return a limit, infinite for null."""
    return value if value is not None else -inf if key == "lower" else inf


def of_axis(axis: EditedAxis) -> Iterator[Change]:
    """Author limits, armature, state, friction and the spring of limits of an axis."""
    found = differing_values(axis.now, axis.given, axis.now["name"], OF_AXIS)
    if axis.kind == "spherical":
        found = {key: value for key, value in found.items() if key not in ("lower", "upper")}
    bounds = {key: found[key] for key in ("lower", "upper", "max_velocity") if key in found}
    initial = {key: found[key] for key in ("q", "qd") if key in found}
    if bounds:
        yield from limit(axis.prim, **bounds, axis=axis.token)
    if "armature" in found:
        yield from armature(axis.prim, found["armature"], axis=axis.token)
    if initial:
        yield from state(axis.prim, **initial, axis=axis.token)
    if efforts := axis.part("friction"):
        yield from friction(axis.prim, **efforts, axis=axis.token)
    for key, value in axis.part("limit_spring").items():
        yield from attribute(axis.prim, axis.now["limit_spring"][key]["attribute"], value)


def of_drive(axis: EditedAxis) -> Iterator[Change]:
    """Author, add or remove the drive of an axis and its envelope."""
    if "drive" not in axis.given:
        return
    now, given = axis.now.get("drive"), axis.given["drive"]
    if given is None:
        yield from remove_drive(axis) if now else ()
        return
    found = (
        axis.part("drive", ("envelope", "actuator")) if now else new_values(given, f"{axis.now['name']}.drive", DRIVE)
    )
    gains = {key: found.pop(key) for key in list(found) if now and is_of_actuator(now[key])}
    if "type" in found and now and is_of_actuator(now["stiffness"]):
        fix = "replace the actuator: fajin author actuator --to-drive"
        raise invalid(axis.now["name"], "drive.type", found["type"], "force, as the joint has an actuator", fix)
    if now and "type" in found:  # the unit of the gains changes
        found |= {gain: given[gain]["value"] for gain in GAINS if gain in given}
    if gains:
        yield from actuator(axis.prim, **gains)
    if found or not now:
        yield from drive(axis.prim, **found, axis=axis.token)
    yield from of_law(axis, (now or {}).get("actuator"), given.get("actuator", UNCHANGED))
    yield from of_envelope(axis, (now or {}).get("envelope"), given.get("envelope", UNCHANGED))


def is_of_actuator(quantity: dict[str, Any]) -> bool:
    """Return whether an actuator of Newton has the value of a drive."""
    return quantity["attribute"].startswith("newton:")


def remove_drive(axis: EditedAxis) -> list[Change]:
    """Remove the drive of an axis, and deactivate the actuator that gives it its gains."""
    changes = remove(axis.prim, "drive", axis.token)
    if is_of_actuator(axis.now["drive"]["stiffness"]):
        prim = find_actuators(StageReader(axis.stage))[axis.joint]
        prim.SetActive(False)
        changes.append(Change(str(prim.GetPath()), "active", True, False))
    return changes


def of_law(axis: EditedAxis, now: dict | None, given: Any) -> list[Change]:
    """Author values of the law of an actuator beside its gains."""
    place = f"{axis.now['name']}.drive.actuator"
    if given is UNCHANGED or given == now:
        return []
    if now is None or given is None:
        fix = "author it, or convert it to a drive: fajin author actuator"
        raise invalid(place, "", given, READ_ONLY, fix)
    found = differing_values(now, given, place)
    return actuator(axis.prim, **found) if found else []


def of_envelope(axis: EditedAxis, now: dict | None, given: Any) -> list[Change]:
    """Author, add or remove the envelope of a drive."""
    place = f"{axis.now['name']}.drive.envelope"
    if given is UNCHANGED or (given is None and now is None):
        return []
    if given is None:
        return remove(axis.prim, "envelope", axis.token)
    found = differing_values(now, given, place) if now else new_values(given, place, ENVELOPE)
    return envelope(axis.prim, **found, axis=axis.token) if found or not now else []


def new_values(given: Any, place: str, rows: tuple[Attribute, ...]) -> dict[str, Any]:
    """Return the values of an entry that the scene does not have yet, by field of the rows; entries within it aside."""
    known = {row.field for row in rows}
    given = {key: value for key, value in given.items() if key not in NESTED} if isinstance(given, dict) else given
    if not isinstance(given, dict) or not all(isinstance(entry, dict) and "value" in entry for entry in given.values()):
        raise invalid(place, "", given, "an object of quantities", 'write them as {"stiffness": {"value": 100}}')
    for key in set(given) - known:
        raise invalid(place, key, given[key], f"one of {', '.join(sorted(known))}", "leave it out")
    return {key: inf if entry["value"] is None else entry["value"] for key, entry in given.items()}


def of_mimic(axis: EditedAxis) -> Iterator[Change]:
    """Author, add or remove the mimic relation of an axis."""
    now, given = axis.now.get("mimic"), axis.given.get("mimic", UNCHANGED)
    if given is UNCHANGED or given == now:
        return
    place = f"{axis.now['name']}.mimic"
    if given is None:
        yield from remove(axis.prim, "mimic", axis.token)
        return
    found = differing_values(now, given, place, ("references",)) if now else new_values(given, place, MIMIC)
    references = given.get("references", (now or {}).get("references"))
    if not found and now and references == now["references"]:
        return
    kept = {key: entry["value"] for key, entry in (now or {}).items() if is_quantity(entry)}
    try:
        leaders = [entry["dof"].rpartition(":") for entry in references]
        gearing = [float(entry["gearing"]) for entry in references]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise invalid(place, "references", references, 'a list of {"dof", "gearing"}', "give such a list") from None
    paths, tokens = [path for path, _, _ in leaders], [token for _, _, token in leaders]
    yield from mimic(axis.prim, paths, gearing=gearing, reference_axis=tokens, axis=axis.token, **{**kept, **found})
