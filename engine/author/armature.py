"""Armature: reflected rotor inertia of a joint axis."""

from pxr import Usd

from ..usd.attributes import AXIS
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change


def armature(prim: Usd.Prim, armature: float, *, axis: str | None = None) -> list[Change]:
    """Author the armature of a joint axis: rotor inertia × (gear ratio)² [kg·m² | kg].

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or the value is negative or not finite.
    """
    return AttributeWriter(prim, joint_axis(prim, axis)).write(AXIS, {"armature": armature})
