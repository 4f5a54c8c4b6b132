"""Observations, (W, K)."""

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ..environment import Environment


def base_pos_z(env: "Environment") -> torch.Tensor:
    """Return the height of the root [m], (W, 1)."""
    return env.robot.root_pose_w[:, 2:3]


def base_lin_vel(env: "Environment") -> torch.Tensor:
    """Return the linear velocity of the root in its axes [m/s], (W, 3)."""
    return env.robot.root_lin_vel_b


def base_ang_vel(env: "Environment") -> torch.Tensor:
    """Return the angular velocity of the root in its axes [rad/s], (W, 3)."""
    return env.robot.root_ang_vel_b


def projected_gravity(env: "Environment") -> torch.Tensor:
    """Return the direction of gravity in the root's axes, (W, 3)."""
    return env.robot.projected_gravity_b


def joint_pos(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the positions of joints [rad | m], (W, D)."""
    return env.robot.joint_pos[:, env.robot.find_joints(joint_names)]


def joint_pos_rel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the positions of joints less those of the scene [rad | m], (W, D)."""
    return (env.robot.joint_pos - env.robot.default_joint_pos)[:, env.robot.find_joints(joint_names)]


def joint_vel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the speeds of joints [rad/s | m/s], (W, D)."""
    return env.robot.joint_vel[:, env.robot.find_joints(joint_names)]


def joint_vel_rel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the speeds of joints less those of the scene [rad/s | m/s], (W, D)."""
    return (env.robot.joint_vel - env.robot.default_joint_vel)[:, env.robot.find_joints(joint_names)]


def last_action(env: "Environment") -> torch.Tensor:
    """Return the actions of the last control step, (W, num_actions)."""
    return env.actions


def generated_commands(env: "Environment", command_name: str) -> torch.Tensor:
    """Return a command, (W, K)."""
    return env.command(command_name)
