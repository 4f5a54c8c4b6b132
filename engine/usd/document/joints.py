"""Joints of a document: frames, and the limits, drive, friction, state and mimic relation of every axis."""

from typing import Any

from ...scene import Axis, Drive, DriveType, Joint, JointType, Mimic, Pose
from ..attributes import (
    ACTUATOR,
    ACTUATOR_LAW,
    AXIS,
    AXIS_LIMIT,
    CONE,
    DISTANCE,
    DRIVE,
    ENVELOPE,
    FRICTION,
    LIMIT,
    LIMIT_SPRING,
    MIMIC,
    MIMIC_OF_MANY,
    NEWTON_MIMIC,
    STATE,
)
from ..attributes.attribute import Attribute
from ..attributes.joint import with_control
from ..read.actuators import acting_actuator
from ..read.joints import INSTANCES
from ..read.maximal_joints import SPRINGS, limited
from ..read.mimics import MANY, PHYSX
from ..stage.stage import instances, schemas
from .quantity import Place, Quantities, Quantity, plain

SWINGS = {"rotY": "cone0", "rotZ": "cone1"}  # axes of a spherical joint that its cone limits


def joint_entry(make: Quantities, joint: Joint, maximal: bool) -> dict[str, Any]:
    """Return a joint of a tree, or a maximal joint."""
    entry = {
        "prim": joint.path,
        "type": joint.type.name.lower(),
        "body0": joint.body0,
        "body1": joint.body1,
        "frame0": frame_entry(joint.frame0),
        "frame1": frame_entry(joint.frame1),
        "axis": joint.axis,
        "axes": [axis_entry(make, joint, axis, maximal) for axis in joint.axes],
    }
    if joint.distance:
        fields = [row.field for row in DISTANCE]
        entry["distance"] = make.all(Place(joint.path), DISTANCE, joint.distance, fields)
    return entry


def frame_entry(frame: Pose) -> dict[str, Any]:
    """Return a frame: position [m] and rotation (x, y, z, w)."""
    return {"position": plain(frame[0]), "rotation": plain(frame[1])}


def axis_entry(make: Quantities, joint: Joint, axis: Axis, maximal: bool) -> dict[str, Any]:
    """Return a degree of freedom; a maximal joint has no armature, friction, speed limit, state and mimic relation."""
    place = Place(joint.path, INSTANCES.get(joint.type, axis.token), axis.rotational)
    entry: dict[str, Any] = {"name": f"{joint.path}:{axis.token}", "axis": axis.token, **limits(make, joint, axis)}
    if maximal and limited((axis.lower, axis.upper)):
        springs = Place(joint.path, SPRINGS.get(joint.type, axis.token), axis.rotational)
        fields = [row.field for row in LIMIT_SPRING]
        entry["limit_spring"] = make.all(springs, LIMIT_SPRING, axis.limit, fields)
    if not maximal:
        entry |= make.all(place, AXIS, axis, ("max_velocity", "armature"))
        entry["friction"] = make.all(place, FRICTION, axis.friction, ("static", "dynamic", "viscous"))
        entry["mimic"] = mimic_entry(make, joint, axis) if axis.mimic else None
    if joint.type is not JointType.SPHERICAL:
        entry |= {} if maximal else make.all(place, STATE, axis, ("q", "qd"))
        entry["drive"] = drive_entry(make, place, axis.drive) if axis.drive else None
    return entry


def limits(make: Quantities, joint: Joint, axis: Axis) -> dict[str, Quantity]:
    """Return lower and upper limit; of a spherical joint, half angles of its cone, and none on its axis."""
    if joint.type is JointType.SPHERICAL:
        if axis.token not in SWINGS:
            return {}
        upper = make.of(Place(joint.path), CONE, SWINGS[axis.token], axis.upper)
        value = upper["value"]
        return {"lower": {**upper, "value": None if value is None else -value}, "upper": upper}
    instance = INSTANCES.get(joint.type, axis.token)
    rows = LIMIT if joint.type in INSTANCES else AXIS_LIMIT
    return make.all(Place(joint.path, instance, axis.rotational), rows, axis, ("lower", "upper"))


def drive_entry(make: Quantities, place: Place, drive: Drive) -> dict[str, Any]:
    """Return a drive and its performance envelope; the gains may be those of an actuator of Newton."""
    place = Place(place.prim, place.instance, place.rotational, drive.type is DriveType.ACCELERATION)
    entry: dict[str, Any] = dict(make.all(place, DRIVE, drive, [row.field for row in DRIVE]))
    actuator = actuator_of(make, place, entry)
    own = Place(actuator or place.prim, "", place.rotational)
    if actuator:
        gains = actuator_entry(make, own, ACTUATOR, drive)
        bounded = entry["max_force"]["file_value"] is not None  # the drive shows its own bound
        entry |= {field: quantity for field, quantity in gains.items() if field != "max_force" or not bounded}
    entry["actuator"] = actuator_entry(make, own, ACTUATOR_LAW, drive.actuator) if drive.actuator else None
    fields = [row.field for row in ENVELOPE]
    entry["envelope"] = make.all(place, ENVELOPE, drive.envelope, fields) if drive.envelope else None
    return entry


def actuator_entry(make: Quantities, place: Place, rows: tuple[Attribute, ...], record: Any) -> dict[str, Quantity]:
    """Return quantities of an actuator of Newton."""
    applied = schemas(make.source.prim(place.prim)) if make.source else ()
    return make.all(place, with_control(rows, applied), record, [row.field for row in rows])


def actuator_of(make: Quantities, place: Place, entry: dict[str, Quantity]) -> str:
    """Return the path of the actuator that gives a drive its gains; "" if the drive has its own."""
    if make.source is None or any(entry[gain]["file_value"] for gain in ("stiffness", "damping")):
        return ""
    prim = acting_actuator(make.source, place.prim, None)
    return str(prim.GetPath()) if prim else ""


def mimic_entry(make: Quantities, joint: Joint, axis: Axis) -> dict[str, Any]:
    """Return a mimic relation; gearings are in the axis's SI unit per the reference's."""
    relation = axis.mimic or Mimic(())
    rows, instance = mimic_rows(make, joint, axis)
    place = Place(joint.path, instance, axis.rotational)
    entry: dict[str, Any] = {
        "references": [{"dof": dof, "gearing": gearing} for dof, gearing in relation.references],
    }
    if rows is NEWTON_MIMIC:
        entry["offset"] = make.of(place, rows, "coef0", relation.offset)
        rows = MIMIC
    fields = ("offset", "natural_frequency", "damping_ratio")
    return entry | {name: make.of(place, rows, name, getattr(relation, name)) for name in fields if name not in entry}


def mimic_rows(make: Quantities, joint: Joint, axis: Axis) -> tuple[tuple[Attribute, ...], str]:
    """Return the rows of the mimic schema that counts, and its instance: fajin's own before PhysX's before Newton's."""
    if make.source is None:
        return MIMIC, axis.token
    prim = make.source.prim(joint.path)
    for rows, schema in ((MIMIC_OF_MANY, MANY), (MIMIC, PHYSX)):
        found = sorted(instances(prim, schema))
        here = found if joint.type in INSTANCES else [name for name in found if name == axis.token]
        if here:
            return rows, here[0]
    return NEWTON_MIMIC, axis.token
