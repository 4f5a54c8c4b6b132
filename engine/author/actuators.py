"""Drives from the data that a converter leaves in a file: URDF effort limits; MuJoCo springs, dampers and actuators."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import reduce
from math import degrees, inf, pi
from operator import add

from pxr import Usd, UsdPhysics

from ..scene import Axis, Joint, JointType, Scene
from ..stance.delivery import free_gains
from ..stance.hold import Hold
from ..usd.read.joints import TRANSLATIONS
from ..usd.read.reader import read_stage
from .change import Change
from .drive import drive
from .friction import friction
from .limit import limit
from .mujoco import Actuator, Motor, Mujoco, authored_or_default

SINGLE = (JointType.REVOLUTE, JointType.PRISMATIC)
EFFORT = "urdf:limit:effort"
SAME = 1e-9  # relative, or rad or m
FOLLOWS = "acts on a joint that follows another joint: not authored"
SPHERICAL = ("physics:axis", "physics:coneAngle0Limit", "physics:coneAngle1Limit")
POSED = "the target holds the pose, where ctrl = 0 does not"
BALL = "its three drives apply 2 k sin(θ/2), as in PhysX, where MuJoCo's spring applies k θ"


@dataclass(frozen=True)
class DriveResult:
    """The drive authored on one joint, or the reason why no drive was authored."""

    joint: str
    changes: tuple[Change, ...] = ()
    motor: Motor | None = None
    reason: str = ""
    axis: Axis | None = None  # before the edit
    passive: Motor | None = None  # part of the motor that is MuJoCo's spring and damper
    notes: tuple[str, ...] = ()
    role: str = ""  # leg | wheel, if it carries the robot on a ground


def add_drives(
    stage: Usd.Stage, natural_frequency: float = 20.0, damping_ratio: float = 1.0, held: Hold | None = None
) -> list[DriveResult]:
    """Author drives on a converted robot: from MuJoCo's springs, dampers and actuators, else from URDF's effort limits.

    MuJoCo's elements keep their values and add up in one drive: springs, position servos (kp, kv), velocity servos
    (kv), and motors, which only bound the user's effort. Joint damping becomes drive damping, which is implicit, as in
    MuJoCo. Viscous friction is not implicit: it loses what exceeds the inertia in a step. A bound of actuators leaves
    room for the spring. URDF has no gains; they follow from the inertia of the joint at the initial pose while all
    other joints are fixed. Speed limits are also authored as PhysX speed limits. A joint that follows another gets only
    its spring and damper.

    Args:
        stage: a converted robot; its edit target receives the drives.
        natural_frequency: of the joints with a URDF effort limit [rad/s].
        damping_ratio: damping ratio of these joints.
        held: drives that hold the robot on a ground. Wheels get a damping and no stiffness. Legs get gains that hold
            what they carry, and targets at which their efforts hold the weight; so do joints of a robot that stands
            whose actuators have no gains, and all joints of a robot on feet whose file bounds no effort. So do wheels
            at the base, if the file bounds the effort of none.
    """
    scene = read_stage(stage)
    mujoco, outcomes = Mujoco(stage, scene), []
    bare = unbounded(held, efforts(stage, scene)) if held and not mujoco.actuators else set()
    for joint in (joint for robot in scene.articulations for joint in robot.joints if joint.axes):
        name, prim = f"{joint.path}:{joint.axes[0].token}", stage.GetPrimAtPath(joint.path)
        if not held or name not in held.gains:
            law = free_gains(mujoco.held[name], (natural_frequency, damping_ratio), 0.0)
            swing = Motor(law.stiffness, law.damping, effort=law.stiffness * joint.axes[0].q)
            outcomes.append(put(prim, joint, choose(mujoco, prim, joint, swing)))
            continue
        outcomes.append(put(prim, joint, choose_held(mujoco, prim, joint, held, bare)))
    return outcomes + [DriveResult(law.name, reason=law.notes[0]) for law in mujoco.actuators.get("", ())]


def choose_held(mujoco: Mujoco, prim: Usd.Prim, joint: Joint, held: Hold, bare: Set[str]) -> DriveResult:
    """Return the drive of a joint of a robot on a ground; `bare` are the joints with a drive of unbounded effort."""
    name = f"{joint.path}:{joint.axes[0].token}"
    stiffness, damping, effort = held.law(name)
    swing = Motor(stiffness, damping, effort=effort)
    result = replace(choose(mujoco, prim, joint, swing), role=held.role(name))
    motor = result.motor
    if motor is None:
        usable = name in bare and joint.type in SINGLE and not joint.axes[0].mimic
        return replace(result, motor=swing, reason="") if usable else replace(result, role="")
    if not motor.stiffness and result.role != "wheel":  # actuators without gains
        bound = min(motor.max_force, mujoco.bound(joint))
        return replace(result, motor=replace(swing, damping=swing.damping + motor.damping, max_force=bound))
    if held.carriage.stands and mujoco.servos(joint):
        effort = held.effort(name, motor.stiffness, motor.damping)
        return replace(result, motor=replace(motor, effort=effort), notes=(*result.notes, POSED))
    return result


def efforts(stage: Usd.Stage, scene: Scene) -> dict[str, float]:
    """Return the URDF effort limit of each degree of freedom, 0 for none."""
    found = {}
    for joint in (joint for robot in scene.articulations for joint in robot.joints):
        effort = float(authored_or_default(stage.GetPrimAtPath(joint.path), EFFORT, 0.0))
        found |= {f"{joint.path}:{axis.token}": effort for axis in joint.axes}
    return found


def unbounded(held: Hold, bounds: dict[str, float]) -> set[str]:
    """Return the degrees of freedom of a robot without effort limits that get drives nevertheless.

    They are all of a robot on feet, and wheels that turn at the base.
    """
    if held.on_feet:
        return set() if any(bounds.values()) else set(held.gains)
    wheels = [support.dofs for support in held.carriage.supports if support.wheel]
    names = held.carriage.tree.names
    if any(bounds[names[dofs[-1]]] for dofs in wheels):
        return set()
    return {names[dofs[0]] for dofs in wheels if len(dofs) == 1}


def move_limits(stage: Usd.Stage) -> dict[str, float]:
    """Shift limits to positions measured from the file's pose; return MuJoCo's `ref` by joint.

    The converter writes MuJoCo's range unchanged, although the joint's frames coincide at ref: q = q_mj - ref.
    """
    scene = read_stage(stage)
    mujoco, moved = Mujoco(stage, scene), {}
    for joint in (joint for robot in scene.articulations for joint in robot.joints if joint.type in SINGLE):
        axis, ref = joint.axes[0], mujoco.ref(joint)
        if ref and axis.upper < inf:
            limit(stage.GetPrimAtPath(joint.path), lower=axis.lower - ref, upper=axis.upper - ref)
            moved[joint.path] = ref
    return moved


def choose(mujoco: Mujoco, prim: Usd.Prim, joint: Joint, swing: Motor) -> DriveResult:
    """Return the drive of a joint, or the reason why it has no drive; nothing is written yet."""
    axis, passive = joint.axes[0], mujoco.passive(joint)
    laws = mujoco.actuators.get(joint.path, [])
    acting = [law.motor for law in laws if law.motor and not axis.mimic]
    if passive is not None and not (passive.stiffness > 0.0 or passive.damping > 0.0):
        passive = None
    result = DriveResult(joint.path, axis=axis, passive=passive)
    if any(one.drive for one in joint.axes):
        return replace(result, passive=None, reason="the converter wrote a drive")
    if acting:
        total = reduce(add, acting)
        total = replace(total, max_force=min(total.max_force, mujoco.bound(joint)))
        motor = total + passive if passive else total
        return replace(result, motor=motor, notes=tuple(notes(laws, motor)))
    left = tuple(f"{law.name} {note}" for law in laws for note in law.notes or (FOLLOWS,))
    if passive:
        return replace(result, motor=replace(passive, max_force=inf), notes=left + (BALL,) * (joint.type not in SINGLE))
    if joint.type not in SINGLE:
        return replace(result, reason=f"a {joint.type.name.lower()} joint: a motor does not identify one of its axes")
    if axis.mimic:
        return replace(result, reason="follows another joint")
    effort = authored_or_default(prim, EFFORT, 0.0)
    if not effort:
        return replace(result, reason="; ".join(left) or "the robot has neither an actuator nor an effort limit for it")
    return replace(result, motor=replace(swing, max_force=float(effort)))


def notes(laws: Sequence[Actuator], motor: Motor) -> Iterator[str]:
    """Yield the properties of a joint's actuators that its drive cannot represent, or represents differently."""
    yield from (f"{law.name} {note}" for law in laws for note in law.notes)
    if motor.constant:
        yield f"a constant effort of {motor.constant:.6g} is not authored"
    servos = [law for law in laws if law.motor and law.motor.stiffness and law.gain]
    if len(servos) == 1:
        slope = servos[0].gain / motor.stiffness
        offset = motor.target_q - slope * servos[0].ctrl
        if abs(slope - 1.0) > SAME or abs(offset) > SAME:
            sign = "-" if offset < 0.0 else "+"
            yield f"{servos[0].name}: target_q = {slope:.6g} ctrl {sign} {abs(offset):.6g} [rad | m]"


def put(prim: Usd.Prim, joint: Joint, outcome: DriveResult) -> DriveResult:
    """Author a motor, and copy the speed limit from Newton's attribute; return the outcome with the changes."""
    motor, axis, changes = outcome.motor, joint.axes[0], []
    if motor is None:
        return outcome
    if axis.max_velocity < inf:
        changes += limit(prim, max_velocity=axis.max_velocity)
    if joint.type is JointType.SPHERICAL:
        free_axes(prim, joint)
    bound = motor.max_force if motor.max_force < inf else None
    for token in (None,) if joint.type in SINGLE else [one.token for one in joint.axes]:
        changes += drive(
            prim,
            stiffness=motor.stiffness,
            damping=motor.damping,
            max_force=bound,
            target_q=motor.target_q or None,
            target_qd=motor.target_qd or None,
            axis=token,
        )
        if outcome.passive and axis.friction.viscous:
            changes += friction(prim, viscous=0.0, axis=token)
    return replace(outcome, changes=tuple(changes))


def free_axes(prim: Usd.Prim, joint: Joint) -> None:
    """Convert a spherical joint to a D6 joint with three axes, on which drives can act, with the same limits.

    Equal springs on the axes equal MuJoCo's ball spring to third order: τ = -2 k sin(θ/2) e instead of -k θ e.
    """
    prim.SetTypeName("PhysicsJoint")
    own = "XYZ".index(joint.axis)
    swings = [f"rot{'XYZ'[(own + step) % 3]}" for step in (1, 2)]
    bounds = dict.fromkeys(TRANSLATIONS, -1.0) | dict(zip(swings, (one.upper for one in joint.axes[1:]), strict=True))
    for token, high in bounds.items():
        if high <= pi:
            bound = UsdPhysics.LimitAPI.Apply(prim, token)
            bound.CreateLowAttr(-degrees(high))
            bound.CreateHighAttr(degrees(high))
    for name in (name for name in SPHERICAL if prim.GetAttribute(name)):
        prim.GetAttribute(name).Block()
