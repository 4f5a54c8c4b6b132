"""Actuators of an articulation, appended to a model's arrays."""

from math import inf

from ..scene import Actuator, InvalidScene, Joint, JointType
from ..tables.topology import NODE
from .builder import Builder

ROWS = {
    "INTEGRAL_GAIN": "integral_gain",
    "INTEGRAL_MAX": "integral_max",
    "CONSTANT_EFFORT": "constant_effort",
    "SATURATION_EFFORT": "saturation_effort",
    "MAX_MOTOR_EFFORT": "max_motor_effort",
    "NO_LOAD_SPEED": "no_load_speed",
}
"""Parameters of an actuator, and the field of the scene that has each of them."""

SINGLE = (JointType.REVOLUTE, JointType.PRISMATIC)


def add_actuators(b: Builder, joints: tuple[Joint, ...], root: int) -> None:
    """Append the actuators of one articulation, whose nodes start at `root`, in the order of its joints.

    Raises:
        InvalidScene: an actuator is on a joint of several axes, or a value breaks its rule.
    """
    node_of = {b.dof[node[NODE["DOF"]]]: k for k, node in enumerate(b.nodes[root:], root) if node[NODE["DOF"]] >= 0}
    for joint in joints:
        for axis in joint.axes:
            if axis.drive and axis.drive.actuator:
                name = f"{joint.path}:{axis.token}"
                _check(name, joint, axis.drive.actuator)
                _append(b, node_of[name], axis.drive.actuator)


def _append(b: Builder, node: int, actuator: Actuator) -> None:
    last = b.tables["ACTUATORS"][-1] if b.tables["ACTUATORS"] else (0, 0, 0, 0, 0)
    _, _, command, _, point = last
    b.add(
        "ACTUATORS", NODE=node, COMMAND=command, COMMAND_END=command + actuator.delay,
        POINT=point, POINT_END=point + len(actuator.bound_positions),
    )  # fmt: skip
    for row, field in ROWS.items():
        b.rows[row].append(getattr(actuator, field))
    b.rows["BOUND_POSITION"].extend(actuator.bound_positions)
    b.rows["BOUND_EFFORT"].extend(actuator.bound_efforts)


def _check(name: str, joint: Joint, actuator: Actuator) -> None:
    """Raise InvalidScene for an actuator whose law is not defined."""
    if joint.type not in SINGLE:
        raise InvalidScene(name, "drive.actuator", rule="on a revolute or prismatic joint", fix="remove it")
    for row in ROWS.values():
        value = getattr(actuator, row)
        bounded = row in ("integral_gain", "constant_effort")
        if not ((abs(value) < inf if bounded else True) and (value >= 0.0 or row == "constant_effort")):
            rule = f"{'finite' if bounded else 'a number'}{'' if row == 'constant_effort' else ' and not negative'}"
            raise InvalidScene(name, f"drive.actuator.{row}", value, rule, "give such a number")
    if not 0 <= actuator.delay <= MOST_STEPS:
        raise InvalidScene(name, "drive.actuator.delay", actuator.delay, f"0 to {MOST_STEPS} steps", "shorten it")
    positions, efforts = actuator.bound_positions, actuator.bound_efforts
    if list(positions) != sorted(positions) or not all(abs(q) < inf for q in positions):
        raise InvalidScene(name, "drive.actuator.bound_positions", positions, "finite and ascending", "sort them")
    if len(efforts) != len(positions) or not all(0.0 <= effort < inf for effort in efforts):
        rule = "as many numbers as positions, finite and not negative"
        raise InvalidScene(name, "drive.actuator.bound_efforts", efforts, rule, "give such numbers")


MOST_STEPS = 1000
"""Most steps of a delay: each step shifts all commands that an actuator holds."""
