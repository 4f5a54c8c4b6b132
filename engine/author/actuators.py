"""Drives from what a converter leaves in a file: effort limits of URDF, actuators of MuJoCo."""

from dataclasses import dataclass
from math import inf, sqrt

from pxr import Usd

from ..model.inertia import held_inertia
from ..scene import Axis, Joint, JointType
from ..usd.read import read_stage
from .change import Change
from .drive import drive
from .limit import limit

EFFORT = "urdf:limit:effort"
SINGLE = (JointType.REVOLUTE, JointType.PRISMATIC)


@dataclass(frozen=True)
class Motor:
    """What moves a joint: τ = stiffness (target_q - q) + damping (target_qd - q̇), |τ| ≤ max_force."""

    stiffness: float = 0.0  # [N·m/rad | N/m]
    damping: float = 0.0  # [N·m·s/rad | N·s/m]
    max_force: float = inf  # [N·m | N]

    def __add__(self, other: "Motor") -> "Motor":
        """Two motors on one joint."""
        sums = self.stiffness + other.stiffness, self.damping + other.damping, self.max_force + other.max_force
        return Motor(*sums)


@dataclass(frozen=True)
class Outcome:
    """What was put on one joint, or why nothing was."""

    joint: str
    changes: tuple[Change, ...] = ()
    motor: Motor | None = None
    reason: str = ""


def actuate(stage: Usd.Stage, natural_frequency: float = 20.0, damping_ratio: float = 1.0) -> list[Outcome]:
    """Drive the joints of a converted robot: gains of MuJoCo's actuators, else by the effort limits of URDF.

    An actuator of MuJoCo is taken as it is: of position (kp, kv), of velocity (kv), or a motor, which only bounds the
    user's effort. URDF says no gains; they follow from what a joint moves at the initial pose while the others hold.
    Speed limits become those of PhysX as well. A joint that follows another gets no drive.

    Args:
        stage: a converted robot, open where the drives are to be written.
        natural_frequency: of the joints with a URDF effort limit [rad/s].
        damping_ratio: of the same.
    """
    scene = read_stage(stage)
    inertia = held_inertia(scene)
    found = muscles(stage, inertia)
    outcomes = []
    for joint in (joint for robot in scene.articulations for joint in robot.joints if joint.axes):
        prim, axis = stage.GetPrimAtPath(joint.path), joint.axes[0]
        moved = inertia[f"{joint.path}:{axis.token}"]
        swing = Motor(natural_frequency**2 * moved, 2.0 * damping_ratio * natural_frequency * moved)
        motor, reason = choose(prim, joint, axis, found.get(joint.path), swing)
        outcomes.append(Outcome(joint.path, put(prim, axis, motor), motor, reason))
    return outcomes


def choose(prim: Usd.Prim, joint: Joint, axis: Axis, motor: Motor | None, swing: Motor) -> tuple[Motor | None, str]:
    """The motor of a joint, or why it has none."""
    if joint.type not in SINGLE:
        return None, f"a {joint.type.name.lower()} joint, whose axes a motor does not name"
    if axis.drive:
        return None, "the converter wrote a drive"
    if axis.mimic:
        return None, "follows another joint"
    if motor is not None:
        return motor, ""
    effort = prim.GetAttribute(EFFORT).Get() if prim.HasAttribute(EFFORT) else None
    if not effort:
        return None, "the robot names neither an actuator nor an effort limit"
    return Motor(swing.stiffness, swing.damping, float(effort)), ""


def put(prim: Usd.Prim, axis: Axis, motor: Motor | None) -> tuple[Change, ...]:
    """Author a motor and the speed limit that the converter wrote in Newton's name."""
    changes = limit(prim, max_velocity=axis.max_velocity) if motor and axis.max_velocity < inf else []
    if motor:
        bound = motor.max_force if motor.max_force < inf else None
        changes += drive(prim, stiffness=motor.stiffness, damping=motor.damping, max_force=bound)
    return tuple(changes)


def muscles(stage: Usd.Stage, inertia: dict[str, float]) -> dict[str, Motor]:
    """MuJoCo's actuators on joints, by joint: force = gain ctrl + bias₁ l + bias₂ l̇, l = gear q, τ = gear force."""
    motors: dict[str, Motor] = {}
    for prim in (prim for prim in stage.Traverse() if prim.GetTypeName() == "MjcActuator"):
        for path in map(str, prim.GetRelationship("mjc:target").GetTargets()):
            moved = next((value for name, value in inertia.items() if name.rpartition(":")[0] == path), None)
            if moved is not None:
                motor = muscle(prim, stage.GetPrimAtPath(path), moved)
                motors[path] = motors[path] + motor if path in motors else motor
    return motors


def muscle(prim: Usd.Prim, joint: Usd.Prim, inertia: float) -> Motor:
    """One actuator of MuJoCo on a joint; a positive bias₂ is a damping ratio."""

    def first(name: str, default: float, at: int = 0) -> float:
        value = prim.GetAttribute(name).Get()
        return float(value[at]) if value else default

    gear, gain = first("mjc:gear", 1.0), first("mjc:gainPrm", 1.0)
    affine = prim.GetAttribute("mjc:biasType").Get() == "affine"
    spring, damper = (-first("mjc:biasPrm", 0.0, at) if affine else 0.0 for at in (1, 2))
    stiffness = gear**2 * max(spring, 0.0)
    damping = gear**2 * damper if damper >= 0.0 else -2.0 * damper * sqrt(stiffness * inertia)
    bounds = [abs(gear) * reach(prim, "mjc:forceRange"), reach(joint, "mjc:actuatorfrcrange")]
    bounds += [] if affine else [abs(gear * gain) * reach(prim, "mjc:ctrlRange")]
    return Motor(stiffness, damping, min(bounds))


def reach(prim: Usd.Prim, name: str) -> float:
    """The smaller end of a range, which bounds both ways; infinite if none is authored."""
    ends = [prim.GetAttribute(f"{name}:{end}") for end in ("min", "max")]
    known = [abs(end.Get()) for end in ends if end and end.HasAuthoredValue()]
    return min(known, default=inf)
