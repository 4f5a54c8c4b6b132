"""Joints of trees: joint frames in both bodies and degrees of freedom, as authored, in SI units."""

from dataclasses import replace
from math import degrees, fmod, inf, isfinite, pi
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ...scene import WORLD, Axis, Drive, DriveType, Envelope, Friction, Joint, JointType, Pose, Quaternion
from ..attributes import AXIS, AXIS_LIMIT, CONE, DRIVE, ENVELOPE, FRICTION, JOINT, LIMIT, STATE
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .actuators import with_actuator
from .joint_prims import JointPrim

ROTATIONS = ("rotX", "rotY", "rotZ")
TRANSLATIONS = ("transX", "transY", "transZ")
SPHERICAL_FRAMES = {  # joint x, y, z = PhysX's twist, swing 1, swing 2
    "X": Gf.Quatd(1.0, 0.0, 0.0, 0.0),
    "Y": Gf.Quatd(0.5, 0.5, 0.5, 0.5),  # authored Y, Z, X
    "Z": Gf.Quatd(0.5, 0.5, -0.5, 0.5),  # authored Z, -X, -Y
}
INSTANCES = {JointType.REVOLUTE: "angular", JointType.PRISMATIC: "linear"}  # schema instances; else the axis token
HALF_TURN = pi * (1.0 + 1e-6)  # [rad] with single-precision tolerance


def read_joint(source: StageReader, edge: JointPrim) -> Joint:
    """Read a joint with its frames and axes."""
    axis, frames = read_frames(source, edge)
    return Joint(
        edge.path, edge.type, *edge.bodies, *frames, axis, read_axes(source, edge, axis), standing=edge.standing
    )


def read_frames(source: StageReader, edge: JointPrim) -> tuple[str, tuple[Pose, Pose]]:
    """Read the authored axis of a joint and its frames in both bodies."""
    rows = [row for row in JOINT if row.field == "axis" or row.field[-1] in "01"]
    if edge.type not in (JointType.REVOLUTE, JointType.PRISMATIC, JointType.SPHERICAL):
        rows = [row for row in rows if row.field != "axis"]
    values = source.values(edge.prim, rows)
    axis = values.get("axis", "X")
    twist = SPHERICAL_FRAMES[axis if edge.type is JointType.SPHERICAL else "X"]
    frame0, frame1 = (read_frame(source, edge, end, values, twist) for end in (0, 1))
    return axis, (frame0, frame1)


def read_frame(source: StageReader, edge: JointPrim, end: int, values: dict[str, Any], twist: Gf.Quatd) -> Pose:
    """Read the joint frame in a body's frame, or in the world; the target prim's scale applies to the origin only."""
    position = Gf.Vec3d(*values[f"position{end}"])
    rotation = Gf.Quatd(*as_real_first(values[f"rotation{end}"])).GetNormalized() * twist
    named, body = edge.targets[end], edge.bodies[end]
    if named is None:
        return source.rigid(Gf.Matrix4d(Gf.Rotation(rotation), position))
    if body == WORLD:
        origin = source.matrix(named).Transform(position)
        return source.rigid(Gf.Matrix4d(Gf.Rotation(source.frame(named).ExtractRotationQuat() * rotation), origin))
    frame = source.stage.GetPrimAtPath(body)
    between = source.matrix(named) * source.matrix(frame).GetInverse()
    place = np.array(between.Transform(position) if named != frame else position) * source.stretch_of(frame)
    rotation = source.frame_in(named, frame).ExtractRotationQuat() * rotation
    return source.rigid(Gf.Matrix4d(Gf.Rotation(rotation), Gf.Vec3d(*place.tolist())))


def as_real_first(quaternion: Quaternion) -> Quaternion:
    """Return (x, y, z, w) in Gf's order (w, x, y, z)."""
    return quaternion[3], *quaternion[:3]


def read_axes(source: StageReader, edge: JointPrim, axis: str) -> tuple[Axis, ...]:
    """Read the degrees of freedom of a joint."""
    if edge.type in INSTANCES:
        token = f"rot{axis}" if edge.type is JointType.REVOLUTE else f"trans{axis}"
        return (read_axis(source, edge, token, joint_limits(source, edge)),)
    if edge.type is JointType.SPHERICAL:
        bounds = (inf, *cone_angles(source, edge))
        return tuple(read_axis(source, edge, t, (-b, b)) for t, b in zip(ROTATIONS, bounds, strict=True))
    if edge.type is JointType.D6:
        report_translations(source, edge)
        bounds = {token: d6_limits(source, edge, token) for token in ROTATIONS}
        return tuple(read_axis(source, edge, token, b) for token, b in bounds.items() if b[0] <= b[1])
    return ()


def read_axis(source: StageReader, edge: JointPrim, token: str, bounds: tuple[float, float]) -> Axis:
    """Read one degree of freedom."""
    instance = INSTANCES.get(edge.type, token)
    rotational = token.startswith("rot")
    values = source.values(edge.prim, AXIS, instance, rotational)
    friction = read_friction(source, edge, instance, rotational)
    if edge.type is JointType.SPHERICAL:
        return Axis(token, *bounds, friction=friction, **values)
    state = source.values(edge.prim, STATE, instance, rotational)
    drive = read_drive(source, edge, token, bounds)
    if edge.type in INSTANCES:
        drive = with_actuator(source, edge.path, rotational, drive)
    return Axis(token, *bounds, drive, friction, **values, **state)


def read_friction(source: StageReader, edge: JointPrim, instance: str, rotational: bool) -> Friction:
    """Read the friction of a degree of freedom; dynamic friction above static friction disables all friction."""
    friction = Friction(**source.values(edge.prim, FRICTION, instance, rotational))
    if friction.dynamic <= friction.static:
        return friction
    name = f"physxJointAxis:{instance}:dynamicFrictionEffort"
    source.report(edge.prim, name, Reason("friction-exchanged"), source.authored(edge.prim, name))
    return Friction()


def read_drive(source: StageReader, edge: JointPrim, token: str, bounds: tuple[float, float]) -> Drive | None:
    """Read the drive of a degree of freedom; it exists if its schema is applied, even with zero gains."""
    instance = INSTANCES.get(edge.type, token)
    if f"PhysicsDriveAPI:{instance}" not in schemas(edge.prim):
        return None
    rotational = token.startswith("rot")
    drive = gains(source, edge, instance, rotational)
    if f"PhysxDrivePerformanceEnvelopeAPI:{instance}" in schemas(edge.prim):
        drive = replace(drive, envelope=Envelope(**source.values(edge.prim, ENVELOPE, instance, rotational)))
    wraps = edge.type is JointType.REVOLUTE and not all(map(isfinite, bounds))
    if wraps and abs(drive.target_q) >= 2.0 * pi:
        name = f"drive:{instance}:physics:targetPosition"
        source.report(edge.prim, name, Reason("target-beyond-turn"), source.authored(edge.prim, name))
        drive = replace(drive, target_q=fmod(drive.target_q, 2.0 * pi))
    if edge.type is JointType.D6 and abs(drive.target_q) > pi:
        name = f"drive:{instance}:physics:targetPosition"
        source.report(edge.prim, name, Reason("target-beyond-half-turn"), source.authored(edge.prim, name))
        drive = replace(drive, target_q=0.0)
    return drive


def gains(source: StageReader, edge: JointPrim, instance: str, rotational: bool) -> Drive:
    """Read the attributes of a drive's own schema."""
    acceleration = source.values(edge.prim, DRIVE[:1], instance)["type"] is DriveType.ACCELERATION
    return Drive(**source.values(edge.prim, DRIVE, instance, rotational, acceleration))


def joint_limits(source: StageReader, edge: JointPrim) -> tuple[float, float]:
    """Read the limits of a revolute or prismatic joint; limits that PhysX cannot use lock the joint at 0."""
    values = source.values(edge.prim, LIMIT, rotational=edge.type is JointType.REVOLUTE)
    lower, upper = values["lower"], values["upper"]
    names = [row.name for row in LIMIT]
    if lower > upper:
        report_limit(source, edge, Reason("limit-reversed"), names)
        return 0.0, 0.0
    if isfinite(lower) != isfinite(upper):
        report_limit(source, edge, Reason("limit-one-sided"), names)
        return 0.0, 0.0
    return within_reach(source, edge, (lower, upper), names)


def within_reach(
    source: StageReader, edge: JointPrim, bounds: tuple[float, float], names: list[str]
) -> tuple[float, float]:
    """Return the bounds; infinite bounds, and a diagnostic, where both are +∞ or both -∞."""
    if isfinite(bounds[0]) or bounds[0] != bounds[1]:
        return bounds
    report_limit(source, edge, Reason("limit-unreachable"), names)
    return -inf, inf


def report_limit(source: StageReader, edge: JointPrim, reason: Reason, names: list[str]) -> None:
    """Report both limits of an axis."""
    values = (str(source.authored(edge.prim, name)) for name in names)
    source.report(edge.prim, ", ".join(names), reason, ", ".join(values))


def cone_angles(source: StageReader, edge: JointPrim) -> tuple[float, float]:
    """Read the half angles of a spherical joint about its swing axes [rad]; infinite unless both are limited."""
    values = source.values(edge.prim, CONE)
    angles: tuple[float, float] = values["cone0"], values["cone1"]
    limited = [0.0 <= angle < inf for angle in angles]
    if all(limited):
        if max(angles) > HALF_TURN:
            report_limit(source, edge, Reason("limit-too-far"), [row.name for row in CONE])
        turned = [0.0 if angle > HALF_TURN else angle for angle in angles]
        return turned[0], turned[1]
    if any(limited):
        report_limit(source, edge, Reason("cone-one-sided"), [row.name for row in CONE])
    return inf, inf


def d6_limits(source: StageReader, edge: JointPrim, token: str) -> tuple[float, float]:
    """Read the limits of one axis of a D6 joint; a lower limit above the upper limit locks the axis."""
    values = source.values(edge.prim, AXIS_LIMIT, token, token in ROTATIONS)
    lower, upper = values["lower"], values["upper"]
    if isfinite(lower) != isfinite(upper):
        source.report(edge.prim, f"limit:{token}", Reason("limit-one-sided"), f"{lower}, {upper}")
        return 0.0, 0.0
    if lower <= upper and isfinite(lower) and max(-lower, upper) > HALF_TURN:
        value = f"{degrees(lower):g}, {degrees(upper):g}"
        source.report(edge.prim, f"limit:{token}", Reason("limit-too-far"), value)
        return 0.0, 0.0
    return within_reach(source, edge, (lower, upper), [row.named(token) for row in AXIS_LIMIT])


def free_translations(source: StageReader, prim: Usd.Prim) -> list[str]:
    """Return the translations of a D6 joint that limits do not lock."""
    bounds = {token: source.values(prim, AXIS_LIMIT, token, rotational=False) for token in TRANSLATIONS}
    return [token for token, values in bounds.items() if values["lower"] < values["upper"]]


def report_translations(source: StageReader, edge: JointPrim) -> None:
    """Report the free translations of a D6 joint: they are locked."""
    for token in free_translations(source, edge.prim):
        source.report(edge.prim, token, Reason("free-translation"))
