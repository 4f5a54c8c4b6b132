"""Initial states of joint axes."""

from pxr import Usd

from ..usd.attributes import STATE
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change


def state(prim: Usd.Prim, *, q: float | None = None, qd: float | None = None, axis: str | None = None) -> list[Change]:
    """Start a joint axis at position q [rad | m] with speed qd [rad/s | m/s].

    Raises:
        InvalidScene: no joint, no such axis, or a value that is not finite.
    """
    return AttributeWriter(prim, joint_axis(prim, axis)).write(STATE, {"q": q, "qd": qd})
