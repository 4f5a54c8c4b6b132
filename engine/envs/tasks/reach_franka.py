"""A Franka Panda moves its hand to poses: Isaac Lab's `Isaac-Reach-Franka-v0`, without its curriculum."""

import math
from typing import Any

from .. import mdp
from ..task import Task, Term
from . import SCENES

HAND: dict[str, Any] = {"body_name": "panda_hand", "command_name": "ee_pose"}
WITHIN_REACH = {
    "x": (0.35, 0.65), "y": (-0.2, 0.2), "z": (0.15, 0.5), "pitch": (math.pi, math.pi), "yaw": (-3.14, 3.14),
}  # fmt: skip


def reach_franka() -> Task:
    """Return the task: position targets of seven joints at 30 Hz; a pose within reach every 4 s."""
    return Task(
        scene=SCENES / "franka.usda",
        decimation=2,
        episode_seconds=12.0,
        actions={"arm": mdp.JointPositionAction("panda_joint.", scale=0.5)},
        commands={"ee_pose": mdp.UniformPoseCommand(WITHIN_REACH, resampling_time=4.0)},
        observations={
            "joint_pos": Term(mdp.joint_pos_rel, noise=0.01),
            "joint_vel": Term(mdp.joint_vel_rel, noise=0.01),
            "pose_command": Term(mdp.generated_commands, command_name="ee_pose"),
            "actions": Term(mdp.last_action),
        },
        rewards={
            "end_effector_position_tracking": Term(mdp.position_command_error, -0.2, **HAND),
            "end_effector_position_tracking_fine_grained": Term(mdp.position_command_error_tanh, 0.1, std=0.1, **HAND),
            "end_effector_orientation_tracking": Term(mdp.orientation_command_error, -0.1, **HAND),
            "action_rate": Term(mdp.action_rate_l2, -1e-4),
            "joint_vel": Term(mdp.joint_vel_l2, -1e-4),
        },
        resets={"joints": Term(mdp.reset_joints_by_scale, position_range=(0.5, 1.5), velocity_range=(0.0, 0.0))},
        learning={"worlds": 512, "steps": 24, "hidden": (64, 64), "iterations": 200},
    )
