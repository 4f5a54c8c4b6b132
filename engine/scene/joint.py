"""Joints between two links, or between the world and a link."""

from dataclasses import dataclass
from enum import IntEnum
from math import inf

from .axis import Axis
from .frame import IDENTITY, Pose

WORLD = ""
"""The path of the world where a joint names its bodies."""


class JointType(IntEnum):
    """Joint types, in the order in which PhysX ranks the children of a link."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    SPHERICAL = 3
    D6 = 4
    DISTANCE = 5
    GEAR = 6
    RACK_AND_PINION = 7


@dataclass(frozen=True)
class Distance:
    """Bounds on the distance between the origins of a joint's two frames; negative means unbounded."""

    minimum: float = -1.0  # [m]
    maximum: float = -1.0  # [m]
    spring: bool = False  # True if the bounds are springs
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]


@dataclass(frozen=True)
class Joint:
    """A joint between two links, or between the world (`WORLD`) and a link, as authored.

    In a tree, only the degrees of freedom in `axes` can move. Outside the trees (`Scene.joints`), the joint is a
    maximal joint: constraints between two bodies with coordinates of their own. Its `axes` may mix translations and
    rotations.
    """

    path: str
    type: JointType
    body0: str
    body1: str
    frame0: Pose = IDENTITY  # joint frame in body0 (in the world, if body0 is the world)
    frame1: Pose = IDENTITY
    axis: str = "X"  # X | Y | Z: the authored axis of a revolute, prismatic or spherical joint
    axes: tuple[Axis, ...] = ()  # the free axes, in the order transX, transY, transZ, rotX, rotY, rotZ
    distance: Distance | None = None
    gear_ratio: float = 0.0  # of a gear -ω1/ω0; of a rack and pinion ω0/v1 [rad/m]; frames have x along the axes
    parts: tuple[str, ...] = ()  # paths of the two joints that a gear relates
    break_force: float = inf  # [N] force above which a maximal joint breaks
    break_torque: float = inf  # [N·m]
    collision_enabled: bool = False  # True if the bodies of a maximal joint collide
    standing: str = ""  # path of the body or collider that stands still at its end in the world; "" if there is none

    @property
    def breaks(self) -> bool:
        """Return whether a force or a torque breaks the joint."""
        return min(self.break_force, self.break_torque) < inf


def physx_sort_key(joint: Joint) -> tuple[JointType, list[str]]:
    """Return PhysX's sort key for joints: the type, then the elements of the path."""
    return joint.type, joint.path.split("/")
