"""Contacts between the links of one robot."""

from pxr import Usd

from ..usd.attributes import SELF_COLLISION
from ..usd.read.reader import read_stage
from .attribute_writer import AttributeWriter
from .base_pose import ALL, select_robots
from .change import Change


def self_collisions(stage: Usd.Stage, on: bool, robot: str = ALL) -> list[Change]:
    """Author whether links of robots collide with other links of their robot that no joint connects to them.

    Args:
        stage: an open stage.
        on: True if they collide, PhysX's default.
        robot: regular expression that matches names or paths of robots.

    Raises:
        InvalidScene: no robot matches, or the scene cannot be simulated.
    """
    changes = []
    for one in select_robots(read_stage(stage), robot):
        prim = stage.GetPrimAtPath(one.path)
        changes += AttributeWriter(prim).write(SELF_COLLISION, {"self_collisions": on}, "PhysxArticulationAPI")
    return changes
