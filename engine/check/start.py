"""Rules on the scene at the start: overlaps, bodies in or above the ground, and frames of joints that do not meet."""

from collections.abc import Iterator
from math import degrees

import numpy as np

from ..model.model import Model
from ..model.start_overlaps import Overlap, start_overlaps
from ..quaternion import conjugate, multiply, rotate, rotation_vector
from ..scene import WORLD, Collider, Joint, JointType, Scene, ShapeKind
from .finding import Edit, Finding
from .rules import found

DEPTH = 1e-3
"""Depth of an overlap that is reported [m], beyond what bodies at rest have."""
APART = 1e-4, 0.01
"""Distance [m] and angle [degrees] of the two frames of a joint that is reported."""
FRAMES_STAY_APART = JointType.DISTANCE, JointType.GEAR, JointType.RACK_AND_PINION
"""Types of joints that do not draw their frames together."""
FILTERS = "physics:filteredPairs"
SELF = "physxArticulation:enabledSelfCollisions"
GROUNDS = (ShapeKind.PLANE, ShapeKind.TRIANGLE_MESH)


def overlaps(model: Model) -> Iterator[Finding]:
    """Yield a finding for the deepest colliders of every pair of bodies that overlap, the deepest pair first."""
    owners = {link.path: robot for robot in model.scene.articulations for link in robot.links}
    deepest: dict[tuple[str, str], Overlap] = {}
    for overlap in sorted(start_overlaps(model, DEPTH), key=lambda overlap: -overlap.depth):
        one, other = name_of(overlap.one), name_of(overlap.other)
        if overlap.other.body == WORLD and overlap.other.kind in GROUNDS:
            one = owners[overlap.one.body].path
        deepest.setdefault((one, other), overlap)
    for (one, other), overlap in deepest.items():
        depth = f"{overlap.depth:.3g} m"
        if overlap.other.body == WORLD and overlap.other.kind in GROUNDS:
            at = "" if overlap.one.body == one else f" with {overlap.one.body}"
            message = f"begins {depth} inside {other}{at}: contacts throw it out"
            yield found("starts-in-ground", one, "", message, fix=f"raise it by {depth}")
            continue
        message = f"overlaps {other} by {depth} at the start: contacts push them apart"
        robot = owners.get(overlap.one.body)
        if robot is None or robot is not owners.get(overlap.other.body):
            yield found("overlap-at-start", one, "", message)
            continue
        fix = f"filter the pair, or author {SELF} = false on {robot.path}"
        yield found("overlap-at-start", one, "", message, edits=(Edit("filter", one, FILTERS, other),), fix=fix)


def name_of(collider: Collider) -> str:
    """Return the path of the body of a collider, or its own if it belongs to the world."""
    return collider.body or collider.path


def bodies_without_colliders(scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each free body above a plane that has no collider and that no joint holds."""
    planes = [collider for collider in scene.colliders if collider.kind is ShapeKind.PLANE and collider.body == WORLD]
    held = {body for joint in scene.joints for body in (joint.body0, joint.body1)}
    held |= {collider.body for collider in scene.colliders}
    held |= {report.prim for report in scene.reports if report.code == "contacts-not-solved"}  # it says why
    gravity = np.array(scene.gravity)
    for body in (a.links[0] for a in scene.articulations if a.free and not a.kinematic):
        if body.path in held or body.disable_gravity or not gravity.any():
            continue
        for plane in planes:
            normal = rotate(np.array(plane.pose[1]), np.array((1.0, 0.0, 0.0)))
            height = (np.array(body.pose[0]) - np.array(plane.pose[0])) @ normal
            if height >= 0.0 and gravity @ normal < 0.0:
                message = f"does not have a collider: it falls through {plane.path}"
                yield found("falls-through", body.path, "PhysicsCollisionAPI", message)
                break


def frames_apart(scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each joint whose frames do not meet where the bodies' prims stand."""
    poses = {link.path: link.pose for robot in scene.articulations for link in robot.links}
    poses[WORLD] = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    inside = {joint.path for robot in scene.articulations for joint in robot.joints}
    for joint in (*(joint for robot in scene.articulations for joint in robot.joints), *scene.joints):
        if joint.type in FRAMES_STAY_APART or not {joint.body0, joint.body1} <= set(poses):
            continue
        distance, angle = gap(joint, poses)
        if distance > APART[0] or angle > APART[1]:
            parts = [f"{distance:.3g} m"] * (distance > APART[0]) + [f"{angle:.3g} degrees"] * (angle > APART[1])
            ends = f"at {joint.body0 or 'the world'} and {joint.body1 or 'the world'}"
            then = "a link stands elsewhere from the start" if joint.path in inside else "the bodies are drawn together"
            message = f"its frames {ends} are {' and '.join(parts)} apart: {then}"
            yield found("joint-frames-apart", joint.path, "physics:localPos0, physics:localPos1", message)


def gap(joint: Joint, poses: dict) -> tuple[float, float]:
    """Return the distance [m] and the angle [degrees] between a joint's frames, but along its free axes."""
    (p0, q0), (p1, q1) = (
        world_frame(poses[body], frame) for body, frame in ((joint.body0, joint.frame0), (joint.body1, joint.frame1))
    )
    way, turn = rotate(conjugate(q0), p1 - p0), multiply(conjugate(q0), q1)
    slides = ["XYZ".index(axis.token[-1]) for axis in joint.axes if not axis.rotational]
    turns = ["XYZ".index(axis.token[-1]) for axis in joint.axes if axis.rotational]
    way[slides] = 0.0
    if len(turns) > 1:
        return float(np.linalg.norm(way)), 0.0
    if turns:  # the swing that a twist about the free axis leaves
        swing = 2.0 * np.arctan2(np.linalg.norm(np.delete(turn[:3], turns[0])), np.hypot(turn[turns[0]], turn[3]))
        return float(np.linalg.norm(way)), degrees(swing)
    return float(np.linalg.norm(way)), degrees(float(np.linalg.norm(rotation_vector(turn))))


def world_frame(pose: tuple, frame: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return position and orientation of a joint's frame in the world."""
    (origin, turn), (position, orientation) = (tuple(map(np.array, each)) for each in (pose, frame))
    return origin + rotate(turn, position), multiply(turn, orientation)
