"""Friction of a joint axis: dry friction as an effort, viscous friction as an effort per speed."""

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import FRICTION
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change


def friction(
    prim: Usd.Prim,
    *,
    static: float | None = None,
    dynamic: float | None = None,
    viscous: float | None = None,
    axis: str | None = None,
) -> list[Change]:
    """Author friction of a joint axis: it sticks up to static, and slides against dynamic + viscous |q̇|.

    Args:
        prim: a joint on an open stage.
        static: [N·m | N].
        dynamic: [N·m | N], not above static.
        viscous: [N·m·s/rad | N·s/m].
        axis: required for a joint with several axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, dynamic is above static, or a value breaks its
            rule.
    """
    at = joint_axis(prim, axis)
    pen = AttributeWriter(prim, at)
    values = {"static": static, "dynamic": dynamic, "viscous": viscous}
    after = {**pen.values(FRICTION), **{field: value for field, value in values.items() if value is not None}}
    if after["dynamic"] > after["static"] and (static, dynamic) != (None, None):
        raise InvalidScene(
            at.name,
            "dynamic",
            f"{after['dynamic']:g}",
            f"at most static = {after['static']:g}",
            "give both, static the larger",
        )
    if any(pen.authored(row) for row in FRICTION if row.name.startswith("newton:")):
        values = after  # PhysX's attributes replace all of Newton's
    return pen.write(FRICTION, values)
