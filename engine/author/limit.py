"""Limits: range of a joint axis, cone of a spherical joint, and maximum speed of an axis."""

from math import isfinite

from pxr import Usd

from ..scene import InvalidScene, JointType
from ..usd.attributes import AXIS, AXIS_LIMIT, CONE, LIMIT
from ..usd.read.joints import INSTANCES
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis, joint_type
from .change import Change


def limit(
    prim: Usd.Prim,
    *,
    lower: float | None = None,
    upper: float | None = None,
    max_velocity: float | None = None,
    axis: str | None = None,
) -> list[Change]:
    """Limit a joint axis: lower ≤ q ≤ upper and |q̇| ≤ max_velocity; infinite values remove a limit.

    Args:
        prim: a joint on an open stage.
        lower: [rad | m]; an axis has two finite limits or none.
        upper: [rad | m].
        max_velocity: [rad/s | m/s].
        axis: required for a joint with several axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, only one limit is finite, or lower is above
            upper.
    """
    at = joint_axis(prim, axis)
    pen = AttributeWriter(prim, at)
    bounds = {"lower": lower, "upper": upper}
    if lower is None and upper is None:
        return pen.write(AXIS, {"max_velocity": max_velocity})
    if joint_type(prim) is JointType.SPHERICAL:
        raise InvalidScene(
            at.name,
            "lower, upper",
            "",
            "left out on a spherical joint, which a cone limits",
            "give the angles of the cone",
        )
    rows = LIMIT if joint_type(prim) in INSTANCES else AXIS_LIMIT
    said = {field: value for field, value in bounds.items() if value is not None}
    check_bounds(at, {**pen.values(rows), **said})
    return pen.write((*rows, *AXIS), {**bounds, "max_velocity": max_velocity})


def check_bounds(at: JointAxis, bounds: dict[str, float]) -> None:
    """Raise InvalidScene for limits that would lock the axis instead of limiting it."""
    lower, upper = bounds["lower"], bounds["upper"]
    if lower > upper:
        raise InvalidScene(at.name, "lower", f"{lower:g}", f"at most upper = {upper:g}", "exchange them")
    if isfinite(lower) != isfinite(upper):
        mend = "give lower and upper, or -inf and inf for none"
        raise InvalidScene(
            at.name,
            "lower, upper",
            f"{lower:g}, {upper:g}",
            "both finite or both infinite, as one limit alone locks a joint",
            mend,
        )


def cone(prim: Usd.Prim, angle0: float, angle1: float) -> list[Change]:
    """Limit a spherical joint by an elliptic cone about its axis; infinite angles remove the limit.

    Args:
        prim: a spherical joint on an open stage.
        angle0: half angle about the first axis after the joint's own axis, in the order X, Y, Z, X [rad].
        angle1: half angle about the second axis [rad].

    Raises:
        InvalidScene: the prim is not a spherical joint, an angle is below 0, or only one angle is finite.
    """
    if joint_type(prim) is not JointType.SPHERICAL:
        raise InvalidScene(prim.GetPath(), rule="a spherical joint to have a cone", fix="give lower and upper")
    angles = (angle0, angle1)
    if not all(angle >= 0.0 for angle in angles) or isfinite(angle0) != isfinite(angle1):
        raise InvalidScene(
            prim.GetPath(),
            "cone",
            f"{angle0:g}, {angle1:g}",
            "two angles of 0 or more, both finite or both infinite",
            "give two angles, or inf, inf",
        )
    return AttributeWriter(prim).write(CONE, {"cone0": angle0, "cone1": angle1})
