"""Selection of joints and bodies by regular expression."""

from pxr import Sdf, Usd

from ..scene import invalid_pattern
from ..selection import match_columns
from ..usd.read.joint_prims import JOINT_TYPES
from ..usd.stage.stage import schemas
from .axis import JointAxis, free_tokens, joint_axis


def select(stage: Usd.Stage, pattern: str, axis: str | None = None) -> list[JointAxis]:
    """Return the joint axes with a name that a regular expression matches as a whole, in stage order.

    The names of an axis are "/arm/elbow:rotZ", "/arm/elbow", "elbow" and "elbow:rotZ".

    Args:
        stage: an open stage.
        pattern: regular expression.
        axis: select this axis of each matching joint, even if it is locked; None: all free axes.

    A joint in an instance is made unique by `instanceable = false`, because edits cannot reach a shared prototype.

    Raises:
        InvalidScene: no joint matches, the pattern is not a regular expression, or a joint does not have the axis.
    """
    joints = [prim for prim in stage.Traverse(Usd.TraverseInstanceProxies()) if prim.GetTypeName() in JOINT_TYPES]
    found = [joint_axis(prim, token) for prim in joints for token in free_tokens(prim)]
    try:
        chosen = [found[i] for i in match_columns(pattern, [at.name for at in found], "dof")]
    except KeyError as error:
        raise invalid_pattern(pattern, error) from None
    tokens = [(at.prim.GetPath(), axis or at.token) for at in chosen]
    return [joint_axis(make_unique(stage, path), token) for path, token in dict.fromkeys(tokens)]


def select_bodies(stage: Usd.Stage, pattern: str) -> list[Usd.Prim]:
    """Return the rigid bodies whose path or last name a regular expression matches as a whole, in stage order.

    A body in an instance is made unique, as joints are.

    Raises:
        InvalidScene: no body matches, or the pattern is not a regular expression.
    """
    bodies = [prim for prim in stage.Traverse(Usd.TraverseInstanceProxies()) if "PhysicsRigidBodyAPI" in schemas(prim)]
    try:
        chosen = match_columns(pattern, [str(prim.GetPath()) for prim in bodies], "link")
    except KeyError as error:
        raise invalid_pattern(pattern, error, "body") from None
    return [make_unique(stage, bodies[i].GetPath()) for i in chosen]


def make_unique(stage: Usd.Stage, path: Sdf.Path) -> Usd.Prim:
    """Return the prim at a path after making its instances unique."""
    while stage.GetPrimAtPath(path).IsInstanceProxy():
        above = [stage.GetPrimAtPath(prefix) for prefix in path.GetPrefixes()]
        next(prim for prim in above if prim.IsInstance()).SetInstanceable(False)
    return stage.GetPrimAtPath(path)
