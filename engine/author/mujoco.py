"""MuJoCo's springs, dampers and actuators, from the `mjc:` attributes that a converter writes.

Each is an affine law of q and q̇, so the laws of one joint add up. MuJoCo measures positions from its own zero:
q_mj = q + ref, where q = 0 is the pose of the file.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, radians, sqrt
from typing import Any

from pxr import Usd

from ..model.mass_matrix import diagonal_inertia, effective_inertia
from ..scene import Joint, JointType, Scene
from ..usd.stage.stage import schemas

AFFINE = ("none", "affine")
OPEN = (-inf, inf)


@dataclass(frozen=True)
class Motor:
    """An affine motor: τ = effort - stiffness q - damping q̇, |τ| ≤ max_force."""

    stiffness: float = 0.0  # [N·m/rad | N/m]
    damping: float = 0.0  # [N·m·s/rad | N·s/m]
    max_force: float = inf  # [N·m | N]
    effort: float = 0.0  # at q = q̇ = 0 [N·m | N]

    def __add__(self, other: "Motor") -> "Motor":
        """Return the sum of two motors on one joint."""
        sums = self.stiffness + other.stiffness, self.damping + other.damping, self.max_force + other.max_force
        return Motor(*sums, self.effort + other.effort)

    @property
    def target_q(self) -> float:
        """Return the position target of the stiffness [rad | m]."""
        return self.effort / self.stiffness if self.stiffness else 0.0

    @property
    def target_qd(self) -> float:
        """Return the velocity target of the damping, for a motor without stiffness [rad/s | m/s]."""
        return self.effort / self.damping if self.damping and not self.stiffness else 0.0

    @property
    def constant(self) -> float:
        """Return the constant effort that drive targets cannot represent [N·m | N]."""
        return 0.0 if self.stiffness or self.damping else self.effort


@dataclass(frozen=True)
class Actuator:
    """One actuator on a joint: its motor at ctrl = 0, or at the allowed control closest to 0."""

    name: str
    motor: Motor | None  # None: not an affine law
    gain: float = 0.0  # effort per ctrl
    ctrl: float = 0.0  # allowed control closest to 0
    notes: tuple[str, ...] = ()


class Mujoco:
    """The `mjc:` attributes of a converted stage and its scene."""

    def __init__(self, stage: Usd.Stage, scene: Scene):
        self.stage, self.scene = stage, scene
        self.settings = [prim for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsScene"]

    @cached_property
    def free(self) -> dict[str, float]:
        """Return 1 / (M⁻¹)_kk of every degree of freedom."""
        return effective_inertia(self.scene)

    @cached_property
    def held(self) -> dict[str, float]:
        """Return M_kk of every degree of freedom."""
        return diagonal_inertia(self.scene)

    @cached_property
    def actuators(self) -> dict[str, list[Actuator]]:
        """Return actuators by the path of their target; "" for actuators without a target."""
        found: dict[str, list[Actuator]] = {}
        joints = {joint.path: joint for robot in self.scene.articulations for joint in robot.joints}
        for prim in (prim for prim in self.stage.Traverse() if prim.GetTypeName() == "MjcActuator"):
            for path in map(str, prim.GetRelationship("mjc:target").GetTargets() or [""]):
                joint = joints.get(path)
                there = f"acts on {path.rpartition('/')[2] or 'nothing'}, which is not a hinge or slide: not authored"
                if joint and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
                    found.setdefault(path, []).append(self.actuator(prim, joint))
                else:
                    found.setdefault("", []).append(Actuator(prim.GetName(), None, notes=(there,)))
        return found

    def flag(self, name: str) -> bool:
        """Return whether a part of MuJoCo's physics is enabled."""
        return all(authored_or_default(prim, f"mjc:flag:{name}", True) for prim in self.settings)

    def angle(self, value: float, joint: Joint) -> float:
        """Convert a position from the unit of MuJoCo's compiler to SI."""
        turned = joint.type is JointType.REVOLUTE and not self.in_radians
        return radians(value) if turned else value

    @cached_property
    def in_radians(self) -> bool:
        """Return whether MuJoCo's compiler uses radians."""
        return any(authored_or_default(prim, "mjc:compiler:angle", "degree") == "radian" for prim in self.settings)

    def ref(self, joint: Joint) -> float:
        """Return MuJoCo's joint position at q = 0 [rad | m]."""
        prim = self.stage.GetPrimAtPath(joint.path)
        return (
            0.0 if joint.type is JointType.SPHERICAL else self.angle(authored_or_default(prim, "mjc:ref", 0.0), joint)
        )

    def passive(self, joint: Joint) -> Motor | None:
        """Return spring and damper of a joint: τ = -stiffness (q_mj - springref) - damping q̇; None for other formats.

        The maximum force is the largest spring force within the joint's limits.
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
        """Return an actuator: force = gain ctrl + bias₀ + bias₁ l + bias₂ l̇ with l = gear q_mj, τ = gear force.

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
            return Actuator(name, None, notes=("is neither a servo nor a motor: not authored",))
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
        notes = () if direct else ("has dynamics between ctrl and force: not authored",)
        return Actuator(name, Motor(stiffness, damping, min(bounds), effort), gear * gain, ctrl, notes)

    def rest_ctrl(self, prim: Usd.Prim, joint: Joint) -> float:
        """Return the default control of an actuator: 0, or the allowed control closest to 0."""
        integrates = authored_or_default(prim, "mjc:dynType", "none") == "integrator"
        name = "act" if integrates else "ctrl"
        low, high = interval(prim, f"mjc:{name}Range", f"mjc:{name}Limited")
        inherits, axis = authored_or_default(prim, "mjc:inheritRange", 0.0), joint.axes[0]
        if inherits > 0.0 and axis.upper < inf:
            middle, half = (axis.lower + axis.upper) / 2.0 + self.ref(joint), (axis.upper - axis.lower) / 2.0
            low, high = middle - inherits * half, middle + inherits * half
        return min(max(0.0, low), high)

    def servos(self, joint: Joint) -> bool:
        """Return whether actuators with a stiffness act on a joint that follows none."""
        laws = self.actuators.get(joint.path, [])
        return not joint.axes[0].mimic and any(law.motor and law.motor.stiffness for law in laws)

    def bound(self, joint: Joint) -> float:
        """Return the bound on the sum of a joint's actuators [N·m | N]."""
        prim = self.stage.GetPrimAtPath(joint.path)
        return smaller(interval(prim, "mjc:actuatorfrcrange", "mjc:actuatorfrclimited"))


def authored_or_default(prim: Usd.Prim, name: str, default: Any) -> Any:
    """Return an authored value, or the default of its schema, which need not be registered."""
    value = prim.GetAttribute(name).Get()
    return default if value is None else value


def interval(prim: Usd.Prim, name: str, limited: str) -> tuple[float, float]:
    """Return a range of MuJoCo; infinite if it is disabled or not authored."""
    ends = [prim.GetAttribute(f"{name}:{end}") for end in ("min", "max")]
    if authored_or_default(prim, limited, "auto") == "false" or not any(end and end.HasAuthoredValue() for end in ends):
        return OPEN
    low, high = (end.Get() if end and end.HasAuthoredValue() else 0.0 for end in ends)
    return low, high


def smaller(ends: tuple[float, float]) -> float:
    """Return the smaller bound of a range that is used in both directions; a bound of 0 selects the other one."""
    known = [abs(end) for end in ends if end]
    return min(known, default=inf)
