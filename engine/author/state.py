"""Initial states of joint axes."""

from pxr import Usd

from ..usd.attributes import STATE
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change


def state(prim: Usd.Prim, *, q: float | None = None, qd: float | None = None, axis: str | None = None) -> list[Change]:
    """Author the initial position q [rad | m] and speed qd [rad/s | m/s] of a joint axis.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or a value is not finite.
    """
    return AttributeWriter(prim, joint_axis(prim, axis)).write(STATE, {"q": q, "qd": qd})
