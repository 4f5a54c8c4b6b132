"""Authoring of any attribute of the table by USD name, with values in SI units."""

from typing import Any

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import rows_named
from ..usd.read.joint_prims import JOINT_TYPES
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis, joint_type
from .change import Change
from .drive import drive_type

SCHEMA_BY_PREFIX = {  # name prefix → schema of an attribute that also acts without its schema
    "fajinScene:": "FajinSceneAPI",
    "newton:mimic": "NewtonMimicAPI",
    "newton:inertia": "NewtonMassAPI",
    "newton:gravityEnabled": "NewtonSceneAPI",
    "newton:timeStepsPerSecond": "NewtonSceneAPI",
    "newton:": "NewtonJointAPI",
}


def attribute(prim: Usd.Prim, name: str, value: Any) -> list[Change]:
    """Author an attribute that fajin reads, and apply the schema that the attribute needs.

    Args:
        prim: a prim on an open stage.
        name: the USD name, "physics:mass", "physxJointAxis:angular:armature".
        value: in SI units and radians; a token for a token attribute.

    Raises:
        InvalidScene: fajin does not read the attribute, the axis does not exist, or the value breaks its rule.
    """
    rows = rows_named(name)
    if not rows:
        raise InvalidScene(prim.GetPath(), name, "", "an attribute that fajin reads", "see docs/usd-attributes.md")
    joint = prim.GetTypeName() in JOINT_TYPES
    row = rows[0] if joint else rows[-1]  # a tendon's gearing belongs to a joint or to an attachment
    instance = name.split(":")[1] if "{axis}" in row.name else ""
    at = own_axis(prim, instance) if joint else None
    acceleration = at is not None and row.gain and drive_type(at) == "acceleration"
    pen = AttributeWriter(prim, at, instance, acceleration)
    pen.check(row, value)
    schema = row.applied(instance) or schema_of(name)
    return [*(pen.apply(schema) if schema else []), pen.set(row, value)]


def own_axis(prim: Usd.Prim, instance: str) -> JointAxis | None:
    """Return the axis of a joint for an instance, or the joint's only axis; None if neither exists."""
    kind = joint_type(prim).name
    if kind in ("REVOLUTE", "PRISMATIC"):
        return joint_axis(prim)
    return joint_axis(prim, instance) if instance.startswith(("rot", "trans")) else None


def schema_of(name: str) -> str:
    """Return the schema that declares an attribute; "" if the prim type declares it."""
    return next((schema for head, schema in SCHEMA_BY_PREFIX.items() if name.startswith(head)), "")
