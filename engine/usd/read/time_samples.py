"""Time-sampled drive targets, gains and limits as signals of the simulation."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from pxr import Usd

from ...scene import DriveType, InvalidScene, Joint, JointType, TimeSamples
from ..attributes import AXIS_LIMIT, DRIVE, LIMIT
from ..attributes.attribute import Attribute
from ..attributes.kinds import quoted
from ..stage.stage import StageReader
from .joint_prims import JointPrim
from .joints import INSTANCES

FOLLOWED = ("target_q", "target_qd", "stiffness", "damping", "max_force", "lower", "upper")


def read_signals(
    source: StageReader, edges: list[JointPrim], inside: Iterable[Joint], outside: Iterable[Joint]
) -> Iterator[TimeSamples]:
    """Read the signals of joints inside and outside the trees, in stage order."""
    limited = {JointType.SPHERICAL: (), JointType.D6: AXIS_LIMIT}
    trees, others = ({joint.path: joint for joint in joints} for joints in (inside, outside))
    for edge in edges:
        if edge.path in trees:
            yield from of_joint(source, edge, trees[edge.path], limited.get(edge.type, LIMIT))
        elif edge.path in others:  # limits of maximal joints are constant
            yield from of_joint(source, edge, others[edge.path], ())


def of_joint(
    source: StageReader, edge: JointPrim, joint: Joint, limits: tuple[Attribute, ...]
) -> Iterator[TimeSamples]:
    """Return the signals of every axis of a joint: those of its drive and of the rows of its limits."""
    for axis in joint.axes:
        instance = INSTANCES.get(edge.type, axis.token)
        for row in (*(DRIVE if axis.drive else ()), *limits):
            name = row.named(instance)
            attribute = edge.prim.GetAttribute(name)
            if row.field in FOLLOWED and attribute and source.varies(attribute):
                acceleration = axis.drive is not None and axis.drive.type is DriveType.ACCELERATION
                scale = source.scale(row, axis.rotational, acceleration)
                yield read_signal(source, attribute, row, f"{joint.path}:{axis.token}", scale)


def read_signal(source: StageReader, attribute: Usd.Attribute, row: Attribute, dof: str, scale: float) -> TimeSamples:
    """Read one time-sampled attribute: times in seconds, values in SI units."""
    codes = attribute.GetTimeSamples()
    values = [read_sample(attribute, row, code) for code in codes]
    source.followed.add((str(attribute.GetPrimPath()), attribute.GetName()))
    times = tuple(code / source.rate for code in codes)
    return TimeSamples(dof, row.field, times, tuple(row.convert(value, scale) for value in values))


def read_sample(attribute: Usd.Attribute, row: Attribute, code: float) -> Any:
    """Read one sample and check its kind and rule."""
    held, at = attribute.Get(code), (attribute.GetPrimPath(), attribute.GetName())
    text = f"{quoted(held)} at time code {code:g}"
    value = row.kind.read(held)
    if value is None or not isfinite(code):
        raise InvalidScene(*at, text, f"{row.kind.name}, at a finite time", "author such a sample")
    row.check(value, *at, text)
    return value
