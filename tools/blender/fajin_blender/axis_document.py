# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom of a document of `fajin inspect --json` as flat values of a panel, and back as a document.

This file does not import Blender.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NONE = "none"
DRIVES = (NONE, "force", "acceleration")


@dataclass(frozen=True)
class Field:
    """A number of the panel: its place in an axis of the document, its name and units."""

    place: tuple[str, ...]
    label: str
    units: tuple[str, str]  # of a rotation, of a translation
    nullable: bool = False  # True if null stands for no limit

    @property
    def name(self) -> str:
        """Return the property's name, "drive_stiffness"."""
        return "_".join(self.place)

    @property
    def switch(self) -> str:
        """Return the name of the property that switches the limit on."""
        return f"has_{self.name}"


POSITION, SPEED, EFFORT = ("rad", "m"), ("rad/s", "m/s"), ("N·m", "N")
PER_SPEED = ("N·m·s/rad", "N·s/m")
FIELDS = (
    Field(("lower",), "Lower limit", POSITION, nullable=True),
    Field(("upper",), "Upper limit", POSITION, nullable=True),
    Field(("max_velocity",), "Velocity limit", SPEED, nullable=True),
    Field(("q",), "Initial position", POSITION),
    Field(("qd",), "Initial speed", SPEED),
    Field(("armature",), "Armature", ("kg·m²", "kg")),
    Field(("friction", "static"), "Static friction", EFFORT),
    Field(("friction", "dynamic"), "Dynamic friction", EFFORT),
    Field(("friction", "viscous"), "Viscous friction", PER_SPEED),
    Field(("drive", "stiffness"), "Stiffness", ("N·m/rad", "N/m")),
    Field(("drive", "damping"), "Damping", PER_SPEED),
    Field(("drive", "max_force"), "Maximum force", EFFORT, nullable=True),
    Field(("drive", "target_q"), "Target", POSITION),
    Field(("drive", "target_qd"), "Target speed", SPEED),
    Field(("drive", "envelope", "max_actuator_velocity"), "Speed without effort", SPEED, nullable=True),
    Field(("drive", "envelope", "velocity_dependent_resistance"), "Resistance", PER_SPEED),
    Field(("drive", "envelope", "speed_effort_gradient"), "Gradient", ("rad/(N·m·s)", "m/(N·s)")),
    Field(("mimic", "offset"), "Offset", POSITION),
    Field(("mimic", "natural_frequency"), "Natural frequency", ("1/s", "1/s")),
    Field(("mimic", "damping_ratio"), "Damping ratio", ("", "")),
)
ACCELERATION_UNITS = {"drive_stiffness": "1/s²", "drive_damping": "1/s"}


def axes_of(document: dict[str, Any]) -> Iterator[tuple[dict, dict, dict]]:
    """Yield articulation, joint and axis of every degree of freedom in trees."""
    for robot in document["articulations"]:
        for joint in robot["joints"]:
            for axis in joint["axes"]:
                yield robot, joint, axis


def values_of(axis: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an axis by property: numbers, switches, the type of its drive and its envelope's presence.

    A number that the axis lacks is 0.
    """
    drive = axis.get("drive")
    values: dict[str, Any] = {
        "drive_type": drive["type"]["value"] if drive else NONE,
        "has_envelope": bool(drive and drive["envelope"]),
    }
    for field in FIELDS:
        value = entry_at(axis, field.place)
        number = value and value["value"]
        values[field.name] = 0.0 if number is None else float(number)
        if field.nullable:
            values[field.switch] = number is not None
    return values


def entry_at(axis: dict[str, Any], place: tuple[str, ...]) -> Any:
    """Return the quantity at a place of an axis; None if the axis has none there."""
    entry: Any = axis
    for key in place:
        entry = (entry or {}).get(key)
    return entry


def edited_axis(axis: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a document that turns the values of an axis into others; {} if nothing differs.

    Only what differs is in it, so a number that Blender rounds and nobody edits stays as it is in the file.
    """
    part: dict[str, Any] = {}
    for field in FIELDS:
        names = (field.name, field.switch) if field.nullable else (field.name,)
        if all(before[name] == after[name] for name in names) or is_gone(field, after):
            continue
        value = None if field.nullable and not after[field.switch] else decimal(after[field.name])
        put(part, field.place, {"value": value})
    if before["drive_type"] != after["drive_type"]:
        if after["drive_type"] == NONE:
            return {**part, "drive": None}
        put(part, ("drive", "type"), {"value": after["drive_type"]})
        for name in ("stiffness", "damping"):  # in the units of the new type
            put(part, ("drive", name), {"value": decimal(after[f"drive_{name}"])})
    if before["has_envelope"] != after["has_envelope"]:
        drive = part.setdefault("drive", {})
        drive["envelope"] = drive.get("envelope", {}) if after["has_envelope"] else None
    return part


def is_gone(field: Field, after: dict[str, Any]) -> bool:
    """Return whether a number belongs to a drive or an envelope that the axis no longer has."""
    of_drive, of_envelope = field.place[0] == "drive", "envelope" in field.place
    return (of_drive and after["drive_type"] == NONE) or (of_envelope and not after["has_envelope"])


def put(part: dict[str, Any], place: tuple[str, ...], value: Any) -> None:
    """Set a value at a place of nested objects."""
    for key in place[:-1]:
        part = part.setdefault(key, {})
    part[place[-1]] = value


def decimal(value: float) -> float:
    """Return the double of the seven digits that a single-precision number shows: 0.1, not 0.10000000149."""
    return float(f"{value:.7g}")


def document_of(parts: list[tuple[dict, dict, dict]]) -> dict[str, Any]:
    """Return the document of (articulation, joint, part of an axis with its name)."""
    robots: dict[str, dict[str, list]] = {}
    for robot, joint, part in parts:
        robots.setdefault(robot["prim"], {}).setdefault(joint["prim"], []).append(part)
    return {
        "format": "fajin-scene",
        "version": 1,
        "articulations": [
            {"prim": robot, "joints": [{"prim": joint, "axes": axes} for joint, axes in joints.items()]}
            for robot, joints in robots.items()
        ],
    }


def unit_of(field: Field, rotational: bool, drive_type: str) -> str:
    """Return the unit of a number in SI; gains of an acceleration drive have their own."""
    if drive_type == "acceleration" and field.name in ACCELERATION_UNITS:
        return ACCELERATION_UNITS[field.name]
    return field.units[not rotational]


def mimic_text(axis: dict[str, Any]) -> str:
    """Return a mimic relation in one line; "" if there is none."""
    mimic = axis.get("mimic")
    if not mimic:
        return ""
    terms = (f"{-one['gearing']:+g} × {one['dof'].rpartition('/')[2]}" for one in mimic["references"])
    return f"follows {' '.join(terms)}"
