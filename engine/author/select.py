"""Joints by regular expression."""

from pxr import Usd

from ..columns import matching
from ..scene import InvalidScene
from ..usd.edges import JOINT_TYPES
from .axis import JointAxis, free_tokens, joint_axis


def select(stage: Usd.Stage, pattern: str, axis: str | None = None) -> list[JointAxis]:
    """The joint axes of which a regular expression fits a whole name, in the order of the stage.

    The names of an axis are "/arm/elbow:rotZ", "/arm/elbow", "elbow" and "elbow:rotZ".

    Args:
        stage: an open stage.
        pattern: regular expression.
        axis: take this axis of each joint that fits, locked or not; else all that can move.

    Raises:
        InvalidScene: no joint fits, the pattern is no regular expression, or a joint has no such axis.
    """
    joints = [prim for prim in stage.Traverse(Usd.TraverseInstanceProxies()) if prim.GetTypeName() in JOINT_TYPES]
    found = [joint_axis(prim, token) for prim in joints for token in free_tokens(prim)]
    try:
        chosen = [found[i] for i in matching(pattern, [at.name for at in found], "dof")]
    except KeyError as error:
        raise InvalidScene(f"joint pattern: {error.args[0]}") from None
    if axis is None:
        return chosen
    return [joint_axis(prim, axis) for prim in {at.prim.GetPath(): at.prim for at in chosen}.values()]
