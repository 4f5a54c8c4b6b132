"""What MuJoCo does to a joint, from the `mjc:` attributes that a converter leaves: springs, dampers and actuators.

Each is an affine law, so those of one joint add up. MuJoCo counts positions from a zero of its own: q_mj = q + ref,
where q = 0 is the pose of the file.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, radians, sqrt
from typing import Any

from pxr import Usd

from ..model.mass_matrix import diagonal_inertia, effective_inertia
from ..scene import Joint, JointType, Scene
from ..usd.stage import schemas

AFFINE = ("none", "affine")
OPEN = (-inf, inf)


@dataclass(frozen=True)
class Motor:
    """What moves a joint: τ = effort - stiffness q - damping q̇, |τ| ≤ max_force."""

    stiffness: float = 0.0  # [N·m/rad | N/m]
    damping: float = 0.0  # [N·m·s/rad | N·s/m]
    max_force: float = inf  # [N·m | N]
    effort: float = 0.0  # at q = q̇ = 0 [N·m | N]

    def __add__(self, other: "Motor") -> "Motor":
        """Two motors on one joint."""
        sums = self.stiffness + other.stiffness, self.damping + other.damping, self.max_force + other.max_force
        return Motor(*sums, self.effort + other.effort)

    @property
    def target_q(self) -> float:
        """Where the stiffness pulls to [rad | m]."""
        return self.effort / self.stiffness if self.stiffness else 0.0

    @property
    def target_qd(self) -> float:
        """What the damping pulls to where no stiffness does [rad/s | m/s]."""
        return self.effort / self.damping if self.damping and not self.stiffness else 0.0

    @property
    def constant(self) -> float:
        """The effort that no target of a drive can stand for [N·m | N]."""
        return 0.0 if self.stiffness or self.damping else self.effort


@dataclass(frozen=True)
class Actuator:
    """One actuator on a joint: its motor at ctrl = 0, or the next to it in its range."""

    name: str
    motor: Motor | None  # None: no such law
    gain: float = 0.0  # effort per ctrl
    ctrl: float = 0.0  # what is next to 0 in its range
    notes: tuple[str, ...] = ()


class Mujoco:
    """The `mjc:` attributes of a converted stage, and of its scene as read."""

    def __init__(self, stage: Usd.Stage, scene: Scene):
        self.stage, self.scene = stage, scene
        self.settings = [prim for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsScene"]

    @cached_property
    def free(self) -> dict[str, float]:
        """1 / (M⁻¹)_kk of every degree of freedom."""
        return effective_inertia(self.scene)

    @cached_property
    def held(self) -> dict[str, float]:
        """M_kk of every degree of freedom."""
        return diagonal_inertia(self.scene)

    @cached_property
    def actuators(self) -> dict[str, list[Actuator]]:
        """Actuators by the path of their target; "" of those without one."""
        found: dict[str, list[Actuator]] = {}
        joints = {joint.path: joint for robot in self.scene.articulations for joint in robot.joints}
        for prim in (prim for prim in self.stage.Traverse() if prim.GetTypeName() == "MjcActuator"):
            for path in map(str, prim.GetRelationship("mjc:target").GetTargets() or [""]):
                joint = joints.get(path)
                single = joint and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
                there = f"acts on {path.rpartition('/')[2] or 'nothing'}, which is no hinge or slide: left out"
                law = self.actuator(prim, joint) if single else Actuator(prim.GetName(), None, notes=(there,))
                found.setdefault(path if single else "", []).append(law)
        return found

    def flag(self, name: str) -> bool:
        """Whether a part of MuJoCo's physics is on."""
        return all(authored_or_default(prim, f"mjc:flag:{name}", True) for prim in self.settings)

    def angle(self, value: float, joint: Joint) -> float:
        """A position in the unit of MuJoCo's compiler, in SI."""
        turned = joint.type is JointType.REVOLUTE and not self.in_radians
        return radians(value) if turned else value

    @cached_property
    def in_radians(self) -> bool:
        """Whether MuJoCo's compiler takes angles in radians."""
        return any(authored_or_default(prim, "mjc:compiler:angle", "degree") == "radian" for prim in self.settings)

    def ref(self, joint: Joint) -> float:
        """What MuJoCo calls the joint's position where it is 0 here [rad | m]."""
        prim = self.stage.GetPrimAtPath(joint.path)
        return (
            0.0 if joint.type is JointType.SPHERICAL else self.angle(authored_or_default(prim, "mjc:ref", 0.0), joint)
        )

    def passive(self, joint: Joint) -> Motor | None:
        """Spring and damper of a joint: τ = -stiffness (q_mj - springref) - damping q̇; None of other formats' joints.

        Its maximum force is the most that the spring does within the joint's limits.
        """
        prim = self.stage.GetPrimAtPath(joint.path)
        if "MjcJointAPI" not in schemas(prim):
            return None
        axis = joint.axes[0]
        stiffness, damping = authored_or_default(prim, "mjc:stiffness", 0.0), axis.friction.viscous
        constant, ratio = authored_or_default(prim, "mjc:springdamper", (0.0, 0.0))
        if constant > 0.0 and ratio > 0.0:
            moved = len(joint.axes) / sum(1.0 / self.free[f"{joint.path}:{one.token}"] for one in joint.axes)
            stiffness, damping = moved / (constant * ratio) ** 2, 2.0 * moved / constant
        stiffness, damping = stiffness * self.flag("spring"), damping * self.flag("damper")
        ball = joint.type is JointType.SPHERICAL
        rest = 0.0 if ball else self.angle(authored_or_default(prim, "mjc:springref", 0.0), joint) - self.ref(joint)
        reach = stiffness * max(abs(axis.lower - rest), abs(axis.upper - rest)) if stiffness else 0.0
        return Motor(stiffness, damping, reach, stiffness * rest)

    def actuator(self, prim: Usd.Prim, joint: Joint) -> Actuator:
        """An actuator: force = gain ctrl + bias₀ + bias₁ l + bias₂ l̇ with l = gear q_mj, τ = gear force.

        A positive bias₂ of a position servo is a damping ratio.
        """
        name, gear = prim.GetName(), authored_or_default(prim, "mjc:gear", (1.0,))[0]
        gain, affine = (
            authored_or_default(prim, "mjc:gainPrm", (1.0,))[0],
            authored_or_default(prim, "mjc:biasType", "none") == "affine",
        )
        bias = [*authored_or_default(prim, "mjc:biasPrm", ()), 0.0, 0.0, 0.0] if affine else [0.0, 0.0, 0.0]
        plain = (
            authored_or_default(prim, "mjc:gainType", "fixed") == "fixed"
            and authored_or_default(prim, "mjc:biasType", "none") in AFFINE
        )
        if not plain or not gear or bias[1] > 0.0 or (bias[2] > 0.0 and gain != -bias[1]):
            return Actuator(name, None, notes=("is neither a servo nor a motor: left out",))
        stiffness = gear**2 * abs(bias[1])
        damping = gear**2 * abs(bias[2])
        if bias[2] > 0.0:
            damping = 2.0 * bias[2] * sqrt(stiffness * self.held[f"{joint.path}:{joint.axes[0].token}"])
        ctrl = self.rest_ctrl(prim, joint)
        effort = gear * (gain * ctrl + bias[0]) - stiffness * self.ref(joint)
        bounds = [abs(gear) * smaller(interval(prim, "mjc:forceRange", "mjc:forceLimited"))]
        if gain and not affine:
            bounds.append(abs(gear * gain) * smaller(interval(prim, "mjc:ctrlRange", "mjc:ctrlLimited")))
        direct = authored_or_default(prim, "mjc:dynType", "none") == "none"
        notes = () if direct else ("has dynamics between ctrl and force: left out",)
        return Actuator(name, Motor(stiffness, damping, min(bounds), effort), gear * gain, ctrl, notes)

    def rest_ctrl(self, prim: Usd.Prim, joint: Joint) -> float:
        """The control of an actuator that gets none: 0, or what is next to 0 in its range."""
        integrates = authored_or_default(prim, "mjc:dynType", "none") == "integrator"
        name = "act" if integrates else "ctrl"
        low, high = interval(prim, f"mjc:{name}Range", f"mjc:{name}Limited")
        inherits, axis = authored_or_default(prim, "mjc:inheritRange", 0.0), joint.axes[0]
        if inherits > 0.0 and axis.upper < inf:
            middle, half = (axis.lower + axis.upper) / 2.0 + self.ref(joint), (axis.upper - axis.lower) / 2.0
            low, high = middle - inherits * half, middle + inherits * half
        return min(max(0.0, low), high)

    def bound(self, joint: Joint) -> float:
        """What bounds the sum of a joint's actuators [N·m | N]."""
        prim = self.stage.GetPrimAtPath(joint.path)
        return smaller(interval(prim, "mjc:actuatorfrcrange", "mjc:actuatorfrclimited"))


def authored_or_default(prim: Usd.Prim, name: str, default: Any) -> Any:
    """An authored value; the default of its schema, which need not be registered, where there is none."""
    value = prim.GetAttribute(name).Get()
    return default if value is None else value


def interval(prim: Usd.Prim, name: str, limited: str) -> tuple[float, float]:
    """A range of MuJoCo; open where it is switched off or none is authored."""
    ends = [prim.GetAttribute(f"{name}:{end}") for end in ("min", "max")]
    if authored_or_default(prim, limited, "auto") == "false" or not any(end and end.HasAuthoredValue() for end in ends):
        return OPEN
    low, high = (end.Get() if end and end.HasAuthoredValue() else 0.0 for end in ends)
    return low, high


def smaller(ends: tuple[float, float]) -> float:
    """The smaller end of a range that is taken to bound both ways; an end of 0 leaves the other."""
    known = [abs(end) for end in ends if end]
    return min(known, default=inf)
