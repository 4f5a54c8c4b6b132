"""Robots that fell over, fell out of the world or flew off in a recording."""

from collections.abc import Iterator, Sequence
from posixpath import commonpath
from typing import TYPE_CHECKING

import numpy as np

from fajin.quaternion import rotate

if TYPE_CHECKING:
    from fajin import Recording
    from fajin.scene import Articulation

FALL = 1.0  # [m] fall of a base without a ground that is reported
SUNK = 0.5  # height of the centre of mass above the ground of a robot that fell over, relative to that at the start
LYING = 60.0  # [degrees] of the base of a robot that fell over
FLIGHT = 2.0  # rise of the centre of mass of a robot that flew off, relative to its height and to a metre


def falls(recording: "Recording") -> Iterator[str]:
    """Yield what became of each floating robot that does not end about as high and upright as it began."""
    from fajin.scene import WORLD
    from fajin.stance.ground import ground_height, up_of

    scene = recording.scene
    if not np.any(scene.gravity) or len(recording) < 2:
        return
    up = up_of(scene)
    floor = ground_height(scene, up)
    robots = [robot for robot in scene.articulations if not robot.free]
    for name, robot in zip(_names([robot.path for robot in robots]), robots, strict=True):
        if robot.fixed_base or any(WORLD in (joint.body0, joint.body1) for joint in robot.joints):
            continue
        heights = _heights(recording, robot, up)
        if floor is None:
            if (fall := heights[0] - heights[-1]) > FALL:
                yield f"the base of {name} fell {fall:.3g} m: no contact holds it; --fixed-base does"
            continue
        heights = heights - floor
        reach = max(heights[0], 0.0)
        if heights.max() - reach > FLIGHT * max(1.0, reach):
            when = recording.time[np.argmax(heights - reach > FLIGHT * max(1.0, reach))]
            yield f"{name} flew off at {when:.2g} s: its centre of mass rose by {heights.max() - reach:.3g} m"
        elif reach and heights[-1] < SUNK * reach:
            when = recording.time[1 + np.flatnonzero(heights[:-1] >= SUNK * reach)[-1]]
            yield f"{name} fell over at {when:.2g} s: its centre of mass sank from {reach:.3g} to {heights[-1]:.3g} m"
        elif (tilt := _tilt(recording, robot, up)) > LYING:
            yield f"{name} fell over: its base is tilted by {tilt:.0f} degrees"


def _names(paths: Sequence[str]) -> list[str]:
    """Return the first part of each robot's path, or the first in which the paths of several robots differ."""
    common = commonpath(paths).count("/") if len(paths) > 1 and commonpath(paths) != "/" else 0
    parts = [path.split("/")[1:] for path in paths]
    return [part[min(common, len(part) - 1)] for part in parts]


def _heights(recording: "Recording", robot: "Articulation", up: np.ndarray) -> np.ndarray:
    """Return the height of a robot's centre of mass, (T,) [m]."""
    columns = [recording.link.index(link.path) for link in robot.links]
    poses = recording.pose[:, 0, columns].astype(float)
    masses = np.array([link.mass for link in robot.links])
    centres = poses[..., :3] + rotate(poses[..., 3:], np.array([link.com for link in robot.links]))
    return centres @ up @ masses / masses.sum()


def _tilt(recording: "Recording", robot: "Articulation", up: np.ndarray) -> float:
    """Return the angle [degrees] between the up axis of a robot's base at the start and at the end."""
    first, last = recording.pose[[0, -1], 0, recording.link.index(robot.links[0].path), 3:].astype(float)
    back = first * (-1.0, -1.0, -1.0, 1.0)
    return float(np.degrees(np.arccos(np.clip(up @ rotate(last, rotate(back, up)), -1.0, 1.0))))
