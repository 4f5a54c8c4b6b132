"""Terminations, (W,) of bool; the time limit of a task truncates, and needs no term."""

import math
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ..environment import Environment


def illegal_contact(env: "Environment", colliders: str, threshold: float = 1.0) -> torch.Tensor:
    """End where the net force on a collider was above a threshold [N] in any physics step of the control step."""
    return (env.contacts(colliders).peak_force > threshold).any(1)


def bad_orientation(env: "Environment", limit_angle: float) -> torch.Tensor:
    """End where the root's z axis is more than an angle [rad] away from up."""
    return env.robot.projected_gravity_b[:, 2] > -math.cos(limit_angle)


def root_height_below_minimum(env: "Environment", minimum_height: float) -> torch.Tensor:
    """End where the root is below a height [m]."""
    return env.robot.root_pose_w[:, 2] < minimum_height


def joint_pos_out_of_manual_limit(
    env: "Environment", bounds: tuple[float, float], joint_names: str = ".*"
) -> torch.Tensor:
    """End where a joint is outside of bounds [rad | m]."""
    q = env.robot.of_joints(env.robot.joint_pos, joint_names)
    return ((q < bounds[0]) | (q > bounds[1])).any(1)
