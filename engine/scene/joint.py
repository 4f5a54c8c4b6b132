"""Joints between two links, or between the world and a link."""

from dataclasses import dataclass
from enum import IntEnum

from .axis import Axis
from .frame import IDENTITY, Pose

WORLD = ""
"""The path that stands for the world where a joint names its bodies."""


class JointType(IntEnum):
    """Joint types, in the order in which PhysX ranks the children of a link."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    SPHERICAL = 3
    D6 = 4
    DISTANCE = 5


@dataclass(frozen=True)
class Distance:
    """Bounds on the distance between the origins of a joint's two frames; negative: no bound."""

    minimum: float = -1.0  # [m]
    maximum: float = -1.0  # [m]
    spring: bool = False  # whether the bounds are springs
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]


@dataclass(frozen=True)
class Joint:
    """A joint between two links, or between the world (`WORLD`) and a link, as authored.

    In a tree it takes the degrees of freedom of `axes` away from its links; outside the trees (`Scene.joints`) it is a
    set of constraints between two bodies that are placed already, and may be translations and rotations at once.
    """

    path: str
    type: JointType
    body0: str
    body1: str
    frame0: Pose = IDENTITY  # joint frame in body0 (in the world, if body0 is the world)
    frame1: Pose = IDENTITY
    axis: str = "X"  # X | Y | Z: the authored axis of a revolute, prismatic or spherical joint
    axes: tuple[Axis, ...] = ()  # those that move, in the order transX, transY, transZ, rotX, rotY, rotZ
    distance: Distance | None = None


def physx_sort_key(joint: Joint) -> tuple[JointType, list[str]]:
    """PhysX's order among joints: by type, then by path, element by element."""
    return joint.type, joint.path.split("/")
