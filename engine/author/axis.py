"""Joint axes as schemas name them: a degree of freedom and its schema instance."""

from dataclasses import dataclass

from pxr import Usd, UsdPhysics

from ..scene import InvalidScene, JointType
from ..usd.read.joint_prims import JOINT_TYPES
from ..usd.read.joints import INSTANCES, ROTATIONS, TRANSLATIONS

OWN_AXIS = {JointType.REVOLUTE: "rot", JointType.PRISMATIC: "trans"}  # followed by the letter of physics:axis


@dataclass(frozen=True)
class JointAxis:
    """One degree of freedom of a joint prim."""

    prim: Usd.Prim
    token: str  # rotX | rotY | rotZ | transX | transY | transZ
    instance: str  # angular | linear for a joint with one axis, else the token

    @property
    def rotational(self) -> bool:
        """Return whether the axis is a rotation."""
        return self.token.startswith("rot")

    @property
    def name(self) -> str:
        """Return the name of the degree of freedom, "/robot/elbow:rotZ"."""
        return f"{self.prim.GetPath()}:{self.token}"


def joint_type(prim: Usd.Prim) -> JointType:
    """Return the type of a joint prim.

    Raises:
        InvalidScene: the prim is not a joint.
    """
    kind = JOINT_TYPES.get(prim.GetTypeName()) if prim else None
    if kind is None:
        path = prim.GetPath() if prim else "prim"
        raise InvalidScene(
            path, "", (prim and prim.GetTypeName()) or "prim without type", "a joint", "name a joint prim"
        )
    return kind


def free_tokens(prim: Usd.Prim) -> tuple[str, ...]:
    """Return the free axes of a joint."""
    kind = joint_type(prim)
    if kind in OWN_AXIS:
        return (f"{OWN_AXIS[kind]}{prim.GetAttribute('physics:axis').Get() or 'X'}",)
    if kind is JointType.SPHERICAL:
        return ROTATIONS
    if kind is JointType.D6:
        return tuple(token for token in (*TRANSLATIONS, *ROTATIONS) if not locked(prim, token))
    return ()


def locked(prim: Usd.Prim, token: str) -> bool:
    """Return whether the limits of one axis of a D6 joint lock it: the lower limit is above the upper limit."""
    limit = UsdPhysics.LimitAPI.Get(prim, token)
    low, high = limit.GetLowAttr().Get(), limit.GetHighAttr().Get()
    return low is not None and high is not None and low > high


def joint_axis(prim: Usd.Prim, axis: str | None = None) -> JointAxis:
    """Return the selected degree of freedom; a joint with several axes requires `axis`.

    Args:
        prim: a joint.
        axis: rotX | rotY | rotZ | transX | transY | transZ; a joint with one axis also accepts its instance.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or it has several and `axis` is None.
    """
    kind, free = joint_type(prim), free_tokens(prim)
    if kind in INSTANCES:
        if axis not in (None, INSTANCES[kind], *free):
            raise InvalidScene(prim.GetPath(), "axis", axis, f"{free[0]}, the only axis", "name that or none")
        return JointAxis(prim, free[0], INSTANCES[kind])
    names = (*TRANSLATIONS, *ROTATIONS) if kind is JointType.D6 else free
    if axis is None and len(free) == 1:
        axis = free[0]
    if axis is None or axis not in names:
        if not names:
            raise InvalidScene(
                prim.GetPath(), "", f"{kind.name.lower()} joint", "a joint with an axis", "name another joint"
            )
        raise InvalidScene(prim.GetPath(), "axis", axis or "none", f"one of {', '.join(names)}", "name one of them")
    return JointAxis(prim, axis, axis)
