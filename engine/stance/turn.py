"""Robots whose file has another axis up: how to turn them so that they stand on their feet."""

from dataclasses import replace

import numpy as np

from ..quaternion import multiply
from ..scene import Articulation, Scene
from .carry import Carriage, carriage
from .ground import up_of
from .polygon import margin

FAR = 0.25
"""Distance of the centre of mass from the feet, by its height, of a robot that does not stand as the file has it."""
CANDIDATES = ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
"""Axes of the file that may be up, the usual one first."""


def upright(scene: Scene, carried: Carriage) -> np.ndarray | None:
    """Return the rotation (x, y, z, w) of the base with which a robot stands on feet, where it lies as the file has it.

    None if it stands, or nearly, if it has wheels, or if no quarter turn helps.
    """
    up = up_of(scene)
    if not carried.reason or any(one.wheel for one in carried.supports) or not _lies(carried, up):
        return None
    robot = carried.tree.robot
    place, turn = robot.links[0].pose
    for direction in (np.array(one) for one in CANDIDATES):
        if abs(direction @ up) > 0.5:
            continue
        quarter = np.append(np.cross(direction, up), 1.0) / np.sqrt(2.0)
        turned = multiply(quarter, np.array(turn))
        found = carriage(scene, _with_base(robot, place, turned), True)
        if found.stands and not any(one.wheel or one.slides for one in found.supports):
            return turned
    return None


def _lies(carried: Carriage, up: np.ndarray) -> bool:
    """Return whether the centre of mass is far outside the supports of a robot."""
    if not carried.supports:
        return False
    placement = carried.tree.place(carried.q)
    soles = np.concatenate([one.sole(placement, up) for one in carried.supports])
    com = carried.tree.com(placement)
    return margin(soles, com, up) < -FAR * ((com - soles.mean(0)) @ up)


def _with_base(robot: Articulation, place: tuple, turn: np.ndarray) -> Articulation:
    """Return a robot with a pose of its base."""
    x, y, z, w = map(float, turn)
    return replace(robot, links=(replace(robot.links[0], pose=(place, (x, y, z, w))), *robot.links[1:]))
