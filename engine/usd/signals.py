"""Time-sampled drive targets, gains and limits: signals that the simulation follows."""

from math import isfinite
from typing import Any

from pxr import Usd

from ..scene import DriveType, InvalidScene, Joint, JointType, Signal
from .attribute import Attribute
from .attributes import AXIS_LIMIT, DRIVE, LIMIT
from .edges import Edge
from .joints import INSTANCES
from .kinds import quoted
from .stage import Source

FOLLOWED = ("target_q", "target_qd", "stiffness", "damping", "max_force", "lower", "upper")


def read_signals(source: Source, edge: Edge, joint: Joint) -> list[Signal]:
    """The signals of every degree of freedom of a joint."""
    signals = []
    for axis in joint.axes:
        instance = INSTANCES.get(edge.type, axis.token)
        rows = DRIVE if axis.drive else ()
        rows += {JointType.SPHERICAL: (), JointType.D6: AXIS_LIMIT}.get(edge.type, LIMIT)
        for row in rows:
            name = row.name.format(axis=instance)
            attribute = edge.prim.GetAttribute(name)
            if row.field in FOLLOWED and attribute and source.varies(attribute):
                acceleration = axis.drive is not None and axis.drive.type is DriveType.ACCELERATION
                scale = source.scale(row, axis.rotational, acceleration)
                signals.append(read_signal(source, attribute, row, f"{joint.path}:{axis.token}", scale))
    return signals


def read_signal(source: Source, attribute: Usd.Attribute, row: Attribute, dof: str, scale: float) -> Signal:
    """One time-sampled attribute: times in seconds, values in SI units."""
    codes = attribute.GetTimeSamples()
    values = [read_sample(attribute, row, code) for code in codes]
    source.followed.add((str(attribute.GetPrimPath()), attribute.GetName()))
    times = tuple(code / source.rate for code in codes)
    return Signal(dof, row.field, times, tuple(row.convert(value, scale) for value in values))


def read_sample(attribute: Usd.Attribute, row: Attribute, code: float) -> Any:
    """One sample, of the row's kind and within its rule."""
    held, place = attribute.Get(code), f"{attribute.GetPath()} at time code {code:g}"
    value = row.kind.read(held)
    if value is None or not isfinite(code):
        raise InvalidScene(f"{place} = {quoted(held)}: must be {row.kind.name}, at a finite time; author such a sample")
    row.check(value, place, held)
    return value
