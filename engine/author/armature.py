"""Armature: the inertia of a rotor behind its gear, as the joint axis feels it."""

from pxr import Usd

from ..usd.attributes import AXIS
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change


def armature(prim: Usd.Prim, armature: float, *, axis: str | None = None) -> list[Change]:
    """Add to the inertia of a joint axis: rotor inertia × (gear ratio)² [kg·m² | kg].

    Raises:
        InvalidScene: no joint, no such axis, or a value that is negative or not finite.
    """
    return AttributeWriter(prim, joint_axis(prim, axis)).write(AXIS, {"armature": armature})
