"""Where a converted robot begins: which way up, on which ground, at which positions, and which links touch."""

import re
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from ..author import base_pose, ground, self_collisions
from ..author.limit import limit
from ..author.state import state
from ..model.model import compiled
from ..model.start_overlaps import start_overlaps
from ..quaternion import conjugate, multiply, rotate
from ..scene import WORLD, Articulation, InvalidScene, Scene
from ..stance.carry import Carriage, carriage
from ..stance.ground import CLEARANCE, ground_height, lowest_height, up_of
from ..stance.turn import upright
from ..usd.read.reader import read_stage

DEPTH = 1e-3
"""Depth of an overlap [m] beyond which links of a robot must not collide."""


def carried_robot(stage: Any, standing: bool) -> Carriage | None:
    """Return what carries the heaviest robot of a stage on a ground; None if its base is held in the world."""
    found = read_stage(stage)
    robot = heaviest(found)
    return None if robot is None or held_in_place(robot) else carriage(found, robot, standing)


def heaviest(found: Scene) -> Articulation | None:
    """Return the heaviest articulation."""
    robots = [one for one in found.articulations if not one.free]
    return max(robots, key=lambda one: sum(link.mass for link in one.links), default=None)


def held_in_place(robot: Articulation) -> bool:
    """Return whether a robot's base is fixed, or hangs on joints of the world."""
    return robot.fixed_base or hangs(robot)


def hangs(robot: Articulation) -> bool:
    """Return whether a robot hangs on joints of the world with axes."""
    return any(WORLD in (joint.body0, joint.body1) for joint in robot.joints)


def collides(found: Scene, robot: Articulation) -> bool:
    """Return whether a link of a robot has a collider."""
    links = {link.path for link in robot.links}
    return any(one.body in links for one in found.colliders)


def has_colliders(stage: Any) -> bool:
    """Return whether a link of the heaviest robot of a stage has a collider."""
    found = read_stage(stage)
    robot = heaviest(found)
    return robot is None or collides(found, robot)


def set_upright(stage: Any) -> str:
    """Turn a robot whose file has another axis up; return this axis, "" if the robot stays as it is."""
    carried = carried_robot(stage, True)
    scene = read_stage(stage)
    turn = upright(scene, carried) if carried else None
    if carried is None or turn is None:
        return ""
    robot = carried.tree.robot
    base_pose(stage, rotation=[float(part) for part in turn], robot=re.escape(robot.links[0].path))
    along = rotate(multiply(np.array(robot.links[0].pose[1]), conjugate(turn)), up_of(scene))
    number = int(np.abs(along).argmax())
    return f"{'-' if along[number] < 0.0 else ''}{'XYZ'[number]}"


def has_base(stage: Any) -> bool:
    """Return whether a stage has a robot whose base can be fixed or freed: with joints, but none to the world."""
    return any(not one.free and not hangs(one) for one in read_stage(stage).articulations)


def put_on_ground(stage: Any) -> dict[str, Any]:
    """Author a ground, unless there is one, and heights of bases above it; return the fields of `Placed`.

    The ground of a robot that hangs on joints of the world, or of an object, is where its lowest collider touches it.
    """
    found = read_stage(stage)
    level, below = ground_height(found, up_of(found)), 0.0
    if level is None:
        robots = [one for one in found.articulations if not one.free] or found.articulations
        stays = [one for one in robots if (hangs(one) or one.free) and collides(found, one)]
        below = lowest_height(replace(found, articulations=tuple(stays)), up_of(found)) - CLEARANCE if stays else 0.0
        ground(stage, height=below)
    for robot in (one for one in found.articulations if not one.free):
        if not hangs(robot) and collides(found, robot):
            base_pose(stage, touch=True, robot=re.escape(robot.links[0].path))
    found = read_stage(stage)
    robot = heaviest(found) or next(iter(found.articulations), None)
    if robot is None:
        raise InvalidScene(file=found.source, attribute="ground", rule="for a body that moves", fix="leave it out")
    height = float(up_of(found) @ robot.links[0].pose[0])
    hung = hangs(robot) and not robot.fixed_base
    return {"fixed": robot.fixed_base, "hung": hung, "height": height, "plane": level, "below": below}


def begin_within_limits(stage: Any) -> list[str]:
    """Author initial positions at the limits where they are beyond them; return the paths of the joints."""
    found = []
    for joint in (joint for robot in read_stage(stage).articulations for joint in robot.joints):
        for axis in joint.axes:
            nearest = min(max(axis.q, axis.lower), axis.upper)
            if nearest != axis.q and axis.lower <= axis.upper and not axis.mimic:
                state(stage.GetPrimAtPath(joint.path), q=nearest, axis=axis.token)
                found.append(joint.path)
    return found


def free_speeds(stage: Any) -> list[str]:
    """Remove speed limits of 0, which descriptions have where they know none; return the paths of the joints."""
    found = []
    for joint in (joint for robot in read_stage(stage).articulations for joint in robot.joints):
        if len(joint.axes) == 1 and joint.axes[0].max_velocity == 0.0:
            limit(stage.GetPrimAtPath(joint.path), max_velocity=inf)
            found.append(joint.path)
    return found


def set_self_collisions(stage: Any, collide: bool | None) -> tuple[bool | None, int]:
    """Author whether links of robots collide; return that, and how many pairs overlap if this has decided.

    By default they do as the converter has them, but not if contacts would push links apart at the start.
    """
    overlapping = 0
    if collide is None:
        scene = read_stage(stage)
        owners = {link.path: robot.path for robot in scene.articulations for link in robot.links}
        pairs = {(one.one.body, one.other.body) for one in start_overlaps(compiled(scene), DEPTH)}
        overlapping = sum(owners.get(one, 0) == owners.get(other, 1) for one, other in pairs)
        collide = False if overlapping else None
    if heaviest(read_stage(stage)) is None:
        return None, 0
    if collide is not None:
        self_collisions(stage, collide)
    return collide, overlapping
