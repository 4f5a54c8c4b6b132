"""Rewards of bodies that follow a `UniformPoseCommand`, (W,)."""

from typing import TYPE_CHECKING

import torch

from ..rotations import angle_between, multiply, rotate

if TYPE_CHECKING:
    from ..environment import Environment


def position_command_error(env: "Environment", body_name: str, command_name: str) -> torch.Tensor:
    """Return the distance of a body from its commanded position [m]."""
    root, pose = env.robot.root_pose_w, _pose(env, body_name)
    wanted = root[:, :3] + rotate(root[:, 3:], env.command(command_name)[:, :3])
    return (pose[:, :3] - wanted).square().sum(1).sqrt()


def position_command_error_tanh(env: "Environment", std: float, body_name: str, command_name: str) -> torch.Tensor:
    """Return 1 - tanh(distance / std)."""
    return 1.0 - torch.tanh(position_command_error(env, body_name, command_name) / std)


def orientation_command_error(env: "Environment", body_name: str, command_name: str) -> torch.Tensor:
    """Return the angle between a body's orientation and the commanded one [rad]."""
    wanted = multiply(env.robot.root_pose_w[:, 3:], env.command(command_name)[:, 3:])
    return angle_between(_pose(env, body_name)[:, 3:], wanted)


def _pose(env: "Environment", body_name: str) -> torch.Tensor:
    """Return the pose of the first body of a name, (W, 7)."""
    return env.robot.body_pose_w[:, env.robot.find_bodies(body_name)[0]]
