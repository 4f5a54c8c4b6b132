"""Rewards of robots that run to a point, (W,)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch

from . import observations

if TYPE_CHECKING:
    from ..environment import Environment

Point = tuple[float, float, float]


class progress_reward:  # Isaac Lab's name, which is that of a function
    """Speed of approach to a point in the ground plane over the last control step [m/s], (W,).

    Args:
        env: environment.
        target_pos: point, world axes [m].
    """

    def __init__(self, env: "Environment", target_pos: Point):
        self._env, self._target = env, torch.tensor(target_pos[:2], device=env.device, dtype=torch.float64)
        self._before = self._distance()

    def __call__(self) -> torch.Tensor:
        """Return the speed since the last call or reset."""
        now = self._distance()
        speed = (self._before - now) / self._env.dt
        self._before = now
        return speed.float()

    def reset(self, worlds: torch.Tensor) -> None:
        """Start anew in worlds whose state was reset."""
        self._before[worlds] = self._distance()[worlds]

    def _distance(self) -> torch.Tensor:
        """Return distances in double precision: a far point leaves few bits for a step."""
        return (self._target - self._env.robot.root_pose_w[:, :2]).square().sum(1).sqrt()


def upright_posture_bonus(env: "Environment", threshold: float) -> torch.Tensor:
    """Return 1 where the cosine between the root's z axis and up is above a threshold."""
    return (observations.base_up_proj(env)[:, 0] > threshold).float()


def move_to_target_bonus(env: "Environment", threshold: float, target_pos: Point) -> torch.Tensor:
    """Return cosine / threshold, at most 1, of the angle between the root's x axis and the direction of a point."""
    return (observations.base_heading_proj(env, target_pos)[:, 0] / threshold).clamp(max=1.0)


def power_consumption(env: "Environment", gear_ratio: Mapping[str, float]) -> torch.Tensor:
    """Return Σ |a q̇ g| of all joints, g their gear ratios over the largest one."""
    return (env.actions * env.robot.joint_vel * _gears(env, gear_ratio)).abs().sum(1)


def joint_pos_limits_penalty_ratio(
    env: "Environment", threshold: float, gear_ratio: Mapping[str, float]
) -> torch.Tensor:
    """Return Σ g (|p| - threshold) / (1 - threshold), where positive; p is from -1 to 1 between the limits."""
    near = observations.joint_pos_limit_normalized(env).abs()
    return ((near - threshold).clamp(min=0.0) / (1.0 - threshold) * _gears(env, gear_ratio)).sum(1)


def _gears(env: "Environment", gear_ratio: Mapping[str, float]) -> torch.Tensor:
    """Return the gear ratios of the joints over the largest one, 1 without a ratio, (D,)."""
    gears = torch.ones(len(env.robot.joint_names), device=env.device)
    for names, ratio in gear_ratio.items():
        gears[env.robot.find_joints(names)] = ratio
    return gears / gears.max()
