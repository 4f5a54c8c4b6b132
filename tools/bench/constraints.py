"""Constraints whose cost `fajin bench constraints` measures, each added to a robot with drives and limits."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import fajin
from fajin.quaternion import multiply, rotate
from fajin.scene import (
    IDENTITY,
    WORLD,
    Articulation,
    Attachment,
    Axis,
    Envelope,
    FixedTendon,
    Joint,
    JointType,
    Link,
    Mimic,
    Pose,
    Scene,
    SpatialTendon,
    TendonAxis,
)

TURNS = (Axis("rotX"), Axis("rotY"), Axis("rotZ"))
BODY = Link("/bench/body", mass=0.1, inertia=((1e-4, 0.0, 0.0), (0.0, 1e-4, 0.0), (0.0, 0.0, 1e-4)))


def constrained(scene: Scene, constraint: str) -> Scene:
    """Return the scene with one of `CONSTRAINTS` on its first articulation, satisfied in the initial state."""
    return CONSTRAINTS[constraint](scene)


def _branch(robot: Articulation) -> list[Joint]:
    """Return the joints with one axis between root and last link, root first."""
    above = {joint.body1: joint for joint in robot.joints if joint.body0 != WORLD}
    found, link = [], robot.joints[-1].body1
    while link in above:
        found += [above[link]] if len(above[link].axes) == 1 else []
        link = above[link].body0
    return found[::-1]


def _dof(joint: Joint) -> str:
    return f"{joint.path}:{joint.axes[0].token}"


def _edited(scene: Scene, **fields: Any) -> Scene:
    first, *others = scene.articulations
    return replace(scene, articulations=(replace(first, **fields), *others))


def _mimic(scene: Scene) -> Scene:
    """Return the scene with the last axis following the previous axis in the file."""
    robot = scene.articulations[0]
    *others, master, follower = robot.joints
    offset = master.axes[0].q - follower.axes[0].q
    axis = replace(follower.axes[0], mimic=Mimic(((_dof(master), -1.0),), offset=offset))
    return _edited(scene, joints=(*others, master, replace(follower, axes=(axis,))))


def _envelope(scene: Scene) -> Scene:
    """Return the scene with an envelope on every drive."""
    bound = Envelope(max_actuator_velocity=2.0, velocity_dependent_resistance=0.5, speed_effort_gradient=0.01)
    joints = []
    for joint in scene.articulations[0].joints:
        axes = (replace(a, drive=a.drive and replace(a.drive, envelope=bound)) for a in joint.axes)
        joints.append(replace(joint, axes=tuple(axes)))
    return _edited(scene, joints=tuple(joints))


def _fixed_tendon(scene: Scene) -> Scene:
    """Return the scene with a fixed tendon over the last three axes of a branch."""
    axes = tuple(TendonAxis(_dof(joint), gearing=0.1) for joint in _branch(scene.articulations[0])[-3:])
    return _edited(scene, fixed_tendons=(FixedTendon("/bench:tendon", axes, stiffness=100.0, damping=1.0),))


def _spatial_tendon(scene: Scene) -> Scene:
    """Return the scene with a spatial tendon through the last three links of a branch."""
    links = [joint.body1 for joint in _branch(scene.articulations[0])[-3:]]
    last = len(links) - 1
    points = [Attachment(link, (0.0, 0.05, 0.0), i - 1, leaf=i == last) for i, link in enumerate(links)]
    return _edited(scene, spatial_tendons=(SpatialTendon("/bench:tendon", tuple(points), 100.0, 1.0),))


def _loop_to_root(scene: Scene) -> Scene:
    """Return the scene with the last link tied to the first; a loop on any other link above is weak, as in PhysX."""
    return _held(scene, scene.articulations[0].links[0].path)


def _free_body(scene: Scene) -> Scene:
    """Return the scene with a free body on the last link by a ball joint."""
    robot = scene.articulations[0]
    last = robot.joints[-1].body1
    body = replace(BODY, pose=_places(scene)[last])
    free = replace(robot, path=body.path, links=(body,), joints=(), fixed_base=False, free=True)
    return replace(scene, articulations=(*scene.articulations, free), joints=(_ball(last, body.path),))


def _held(scene: Scene, to: str) -> Scene:
    """Return the scene with the last link tied to another body by a ball joint at their initial poses."""
    last = scene.articulations[0].joints[-1].body1
    place = _places(scene)
    frame = place[last]
    if to != WORLD:
        (position, turn), (origin, other) = frame, place[to]
        back = np.array(other) * (-1.0, -1.0, -1.0, 1.0)
        away = rotate(back, np.subtract(position, origin))
        x, y, z = map(float, away)
        i, j, k, w = map(float, multiply(back, np.array(turn)))
        frame = (x, y, z), (i, j, k, w)
    return replace(scene, joints=(_ball(to, last, frame),))


def _ball(body0: str, body1: str, frame0: Pose = IDENTITY) -> Joint:
    return Joint("/bench/joint", JointType.SPHERICAL, body0, body1, frame0, axes=TURNS)


def _places(scene: Scene) -> dict[str, Pose]:
    """Return the initial world frames of the links."""
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    poses = next(sim.stream(0)).pose[0, 0]
    places = zip(sim.link, poses.tolist(), strict=True)
    return {path: (tuple(pose[:3]), tuple(pose[3:])) for path, pose in places}


CONSTRAINTS = {
    "mimic joint": _mimic,
    "performance envelopes": _envelope,
    "fixed tendon": _fixed_tendon,
    "spatial tendon": _spatial_tendon,
    "loop to the world": partial(_held, to=WORLD),
    "loop to the root link": _loop_to_root,
    "free body on a joint": _free_body,
}
