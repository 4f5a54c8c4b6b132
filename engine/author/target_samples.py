"""Targets of drives that change over time: a motion as time samples."""

from collections.abc import Iterable

from pxr import Usd

from ..usd.attributes import DRIVE
from .attribute_writer import AttributeWriter, as_usd
from .axis import joint_axis
from .change import Change
from .drive import drive


def target_samples(
    prim: Usd.Prim, times: Iterable[float], values: Iterable[float], axis: str | None = None
) -> list[Change]:
    """Author the target position of a drive as time samples; return the change of its value at the start.

    Args:
        prim: a joint on an open stage; the stage's edit target receives the samples.
        times: times [s].
        values: targets [rad | m], one per time.
        axis: required for a joint with several axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or a value breaks its rule.
    """
    at, said = joint_axis(prim, axis), [float(value) for value in values]
    writer = AttributeWriter(prim, at)
    (row,) = (row for row in DRIVE if row.field == "target_q")
    for value in said:
        writer.check(row, value)
    changes = drive(prim, target_q=said[0], axis=axis)
    attribute, scale = prim.GetAttribute(writer.name(row)), row.measure(*writer.kind).scale(*writer.units)
    for time, value in zip(times, said, strict=True):
        written = as_usd(attribute.GetTypeName(), row.revert(value, scale))
        attribute.Set(written, Usd.TimeCode(time * writer.source.rate))
    return changes
