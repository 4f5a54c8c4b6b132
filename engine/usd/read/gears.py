"""Gear joints, and rack and pinion joints: the axes of the two joints that they relate, in their bodies."""

from math import radians

import numpy as np
from pxr import Usd

from ...quaternion import multiply
from ...scene import InvalidScene, Joint, JointType, Pose
from ..attributes import BREAK
from ..attributes.kinds import NUMBER
from ..stage.stage import StageReader
from .joint_prims import JOINT_TYPES, JointPrim, connect
from .joints import read_frames

HALF = 0.5**0.5
ONTO = {"X": (0.0, 0.0, 0.0, 1.0), "Y": (0.0, 0.0, HALF, HALF), "Z": (0.0, -HALF, 0.0, HALF)}
"""Rotations of x onto each axis."""
PARTS = {  # names of the ratio, and of the two joints with their types
    JointType.GEAR: (
        "physics:gearRatio",
        (("physics:hinge0", JointType.REVOLUTE), ("physics:hinge1", JointType.REVOLUTE)),
    ),
    JointType.RACK_AND_PINION: (
        "physics:ratio",
        (("physics:hinge", JointType.REVOLUTE), ("physics:prismatic", JointType.PRISMATIC)),
    ),
}


def read_gear(source: StageReader, edge: JointPrim, bodies: dict[str, Usd.Prim]) -> Joint:
    """Read a gear joint, or a rack and pinion joint; its frames have x along the axes of the joints that it relates.

    Raises:
        InvalidScene: a joint that it names does not exist, has another type, or does not hold its body.
    """
    name, parts = PARTS[edge.type]
    source.used.add((edge.path, name))
    ratio = source.typed(edge.prim, name, NUMBER)
    ratio = 1.0 if ratio is None else ratio
    if not abs(ratio) < np.inf:
        raise InvalidScene(edge.path, name, ratio, "finite", "author such a number")
    if edge.type is JointType.RACK_AND_PINION:
        ratio *= radians(1.0) / source.metres
    frame0, frame1 = (read_part_axis(source, edge, end, *part, bodies) for end, part in enumerate(parts))
    related = tuple(str(source.target(edge.prim, part)) for part, _ in parts)
    return Joint(
        edge.path,
        edge.type,
        *edge.bodies,
        frame0,
        frame1,
        gear_ratio=ratio,
        parts=related,
        **source.values(edge.prim, BREAK),
    )


def read_part_axis(
    source: StageReader, edge: JointPrim, end: int, name: str, kind: JointType, bodies: dict[str, Usd.Prim]
) -> Pose:
    """Return the frame of the joint that one end names in the body there, turned so that its axis is x."""
    target = source.target(edge.prim, name)
    prim = source.prim(target) if target else None
    if not prim or JOINT_TYPES.get(prim.GetTypeName()) is not kind:
        article = "a revolute joint" if kind is JointType.REVOLUTE else "a prismatic joint"
        raise InvalidScene(edge.path, name, target or "", article, "name one that holds the body")
    joint = connect(source, prim, bodies, False)
    axis, frames = read_frames(source, joint)
    if edge.bodies[end] not in joint.bodies:
        rule = f"a joint of {edge.bodies[end] or 'a body'}, which is physics:body{end}"
        raise InvalidScene(edge.path, name, target, rule, "name a joint that holds the body")
    origin, rotation = frames[joint.bodies.index(edge.bodies[end])]
    return origin, tuple(multiply(np.array(rotation), np.array(ONTO[axis])).tolist())
