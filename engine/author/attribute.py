"""Any attribute of the table, by its USD name and in SI units: for what has no command of its own."""

from typing import Any

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import rows_named
from ..usd.joint_prims import JOINT_TYPES
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis, joint_type
from .change import Change
from .drive import drive_type

SCHEMA_BY_PREFIX = {  # by how the name begins: what declares an attribute that acts without it, too
    "fajinScene:": "FajinSceneAPI",
    "newton:mimic": "NewtonMimicAPI",
    "newton:inertia": "NewtonMassAPI",
    "newton:gravityEnabled": "NewtonSceneAPI",
    "newton:timeStepsPerSecond": "NewtonSceneAPI",
    "newton:": "NewtonJointAPI",
}


def attribute(prim: Usd.Prim, name: str, value: Any) -> list[Change]:
    """Author an attribute that fajin reads, with the schema that it needs.

    Args:
        prim: a prim on an open stage.
        name: as in the file, "physics:mass", "physxJointAxis:angular:armature".
        value: in SI units and radians; of a token attribute the token.

    Raises:
        InvalidScene: an attribute that fajin does not read, no such axis, or a value that breaks its rule.
    """
    rows = rows_named(name)
    if not rows:
        raise InvalidScene(f"{prim.GetPath()}.{name}: not an attribute that fajin reads; see docs/usd-attributes.md")
    joint = prim.GetTypeName() in JOINT_TYPES
    row = rows[0] if joint else rows[-1]  # a tendon's gearing: of a joint, or of a point of a link
    instance = name.split(":")[1] if "{axis}" in row.name else ""
    at = own_axis(prim, instance) if joint else None
    acceleration = at is not None and row.gain and drive_type(at) == "acceleration"
    pen = AttributeWriter(prim, at, instance, acceleration)
    pen.check(row, value)
    schema = row.applied(instance) or schema_of(name)
    return [*(pen.apply(schema) if schema else []), pen.set(row, value)]


def own_axis(prim: Usd.Prim, instance: str) -> JointAxis | None:
    """The axis of a joint that an instance means, or its only one; None where there is no such thing."""
    kind = joint_type(prim).name
    if kind in ("REVOLUTE", "PRISMATIC"):
        return joint_axis(prim)
    return joint_axis(prim, instance) if instance.startswith(("rot", "trans")) else None


def schema_of(name: str) -> str:
    """The schema that declares an attribute; "" where the type of the prim does."""
    return next((schema for head, schema in SCHEMA_BY_PREFIX.items() if name.startswith(head)), "")
