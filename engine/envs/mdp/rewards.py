"""Rewards, (W,); the weight of a term makes it a penalty."""

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ..environment import Environment


def _square(x: torch.Tensor) -> torch.Tensor:
    """Return x², by the product that most terms need: the code of another operation is far from the processor."""
    return x * x


def _sum_of_squares(x: torch.Tensor) -> torch.Tensor:
    """Return the sum of the squares of each row, (W,)."""
    return (x * x).sum(1)


def is_alive(env: "Environment") -> torch.Tensor:
    """Return 1 for the worlds that no termination has ended."""
    return (~env.terminated).float()


def is_terminated(env: "Environment") -> torch.Tensor:
    """Return 1 for the worlds that a termination has ended."""
    return env.terminated.float()


def track_lin_vel_xy_exp(env: "Environment", std: float, command_name: str) -> torch.Tensor:
    """Return exp(-|v_xy - command|² / std²), in the root's axes."""
    error = _sum_of_squares(env.command(command_name)[:, :2] - env.robot.root_lin_vel_b[:, :2])
    return torch.exp(error / -(std**2))


def track_ang_vel_z_exp(env: "Environment", std: float, command_name: str) -> torch.Tensor:
    """Return exp(-(ω_z - command)² / std²), in the root's axes."""
    error = _square(env.command(command_name)[:, 2] - env.robot.root_ang_vel_b[:, 2])
    return torch.exp(error / -(std**2))


def lin_vel_z_l2(env: "Environment") -> torch.Tensor:
    """Return v_z² of the root, in its axes."""
    return _square(env.robot.root_lin_vel_b[:, 2])


def ang_vel_xy_l2(env: "Environment") -> torch.Tensor:
    """Return |ω_xy|² of the root, in its axes."""
    return _sum_of_squares(env.robot.root_ang_vel_b[:, :2])


def flat_orientation_l2(env: "Environment") -> torch.Tensor:
    """Return |g_xy|² of the direction of gravity, in the root's axes."""
    return _sum_of_squares(env.robot.projected_gravity_b[:, :2])


def base_height_l2(env: "Environment", target_height: float) -> torch.Tensor:
    """Return (z - target)² of the root."""
    return _square(env.robot.root_pose_w[:, 2] - target_height)


def joint_torques_l2(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ τ² of joints, of the last physics step."""
    return _sum_of_squares(env.robot.of_joints(env.robot.applied_torque, joint_names))


def joint_vel_l1(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ |q̇| of joints."""
    return env.robot.of_joints(env.robot.joint_vel, joint_names).abs().sum(1)


def joint_vel_l2(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ q̇² of joints."""
    return _sum_of_squares(env.robot.of_joints(env.robot.joint_vel, joint_names))


def joint_acc_l2(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ q̈² of joints, of the last physics step."""
    return _sum_of_squares(env.robot.of_joints(env.robot.joint_acc, joint_names))


def joint_pos_target_l2(env: "Environment", target: float, joint_names: str = ".*") -> torch.Tensor:
    """Return Σ (q - target)² of joints, q from -π to π."""
    q = env.robot.of_joints(env.robot.joint_pos, joint_names)
    return _sum_of_squares(torch.remainder(q + torch.pi, 2.0 * torch.pi) - torch.pi - target)


def joint_deviation_l1(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ |q - q of the scene| of joints."""
    away = env.robot.joint_pos - env.robot.default_joint_pos
    return env.robot.of_joints(away, joint_names).abs().sum(1)


def joint_pos_limits(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return Σ of how far joints are beyond their limits."""
    columns = env.robot.find_joints(joint_names)
    q, limits = env.robot.joint_pos[:, columns], env.robot.joint_pos_limits[:, columns]
    return ((limits[..., 0] - q).clamp(min=0.0) + (q - limits[..., 1]).clamp(min=0.0)).sum(1)


def action_l2(env: "Environment") -> torch.Tensor:
    """Return Σ a²."""
    return _sum_of_squares(env.actions)


def action_rate_l2(env: "Environment") -> torch.Tensor:
    """Return Σ (a - a of the step before)²."""
    return _sum_of_squares(env.actions - env.last_actions)


def feet_air_time(env: "Environment", colliders: str, threshold: float, command_name: str) -> torch.Tensor:
    """Return Σ (time in the air - threshold) of the feet that touch down; 0 for commands below 0.1."""
    feet = env.contacts(colliders)
    gained = ((feet.last_air_time - threshold) * feet.first_contact).sum(1)
    return gained * (_sum_of_squares(env.command(command_name)[:, :2]) > 0.01)


def feet_slide(env: "Environment", colliders: str) -> torch.Tensor:
    """Return Σ |v_xy| of the bodies of the colliders that touch."""
    group = env.contacts(colliders)
    speeds = env.robot.body_vel_w[:, group.bodies, :2].square().sum(-1).sqrt()
    return (speeds * (group.current_contact_time > 0.0)).sum(1)


def undesired_contacts(env: "Environment", colliders: str, threshold: float = 1.0) -> torch.Tensor:
    """Return the number of colliders whose net force was above a threshold [N] in any physics step."""
    return (env.contacts(colliders).peak_force > threshold).sum(1)
