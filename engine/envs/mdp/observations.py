"""Observations, (W, K)."""

from typing import TYPE_CHECKING

import torch

from ...simulation.ray_sensor import RaySensor, grid_pattern
from ..rotations import atan2, rotate, yaw_roll

if TYPE_CHECKING:
    from ..environment import Environment


def base_pos_z(env: "Environment") -> torch.Tensor:
    """Return the height of the root [m], (W, 1)."""
    return env.robot.root_pose_w[:, 2:3]


def base_yaw_roll(env: "Environment") -> torch.Tensor:
    """Return yaw and roll of the root [rad], (W, 2)."""
    return yaw_roll(env.robot.root_pose_w[:, 3:])


def base_up_proj(env: "Environment") -> torch.Tensor:
    """Return the cosine between the root's z axis and up, (W, 1)."""
    return -env.robot.projected_gravity_b[:, 2:]


def base_angle_to_target(env: "Environment", target_pos: tuple[float, float, float]) -> torch.Tensor:
    """Return the angle about z from the root's heading to a point [rad], from -π to π, (W, 1)."""
    away = _away(env, target_pos)
    angle = atan2(away[:, 1], away[:, 0]) - yaw_roll(env.robot.root_pose_w[:, 3:])[:, 0]
    return (torch.remainder(angle + torch.pi, 2.0 * torch.pi) - torch.pi)[:, None]


def base_heading_proj(env: "Environment", target_pos: tuple[float, float, float]) -> torch.Tensor:
    """Return the cosine between the root's x axis and the horizontal direction of a point, (W, 1)."""
    away = _away(env, target_pos)
    away[:, 2] = 0.0
    quaternion = env.robot.root_pose_w[:, 3:]
    ahead = rotate(quaternion, away.new_tensor([1.0, 0.0, 0.0]).expand_as(away))
    return (ahead * away / away.square().sum(1, keepdim=True).sqrt().clamp(min=1e-9)).sum(1, keepdim=True)


def _away(env: "Environment", target_pos: tuple[float, float, float]) -> torch.Tensor:
    return torch.tensor(target_pos, device=env.device) - env.robot.root_pose_w[:, :3]


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
    return env.robot.of_joints(env.robot.joint_pos, joint_names)


def joint_pos_rel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the positions of joints less those of the scene [rad | m], (W, D)."""
    return env.robot.of_joints(env.robot.joint_pos - env.robot.default_joint_pos, joint_names)


def joint_pos_limit_normalized(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the positions of joints between their limits, from -1 at the lower to 1 at the upper one, (W, D)."""
    columns = env.robot.find_joints(joint_names)
    lower, upper = env.robot.joint_pos_limits[:, columns].unbind(-1)
    return (2.0 * env.robot.joint_pos[:, columns] - upper - lower) / (upper - lower)


def joint_vel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the speeds of joints [rad/s | m/s], (W, D)."""
    return env.robot.of_joints(env.robot.joint_vel, joint_names)


def joint_vel_rel(env: "Environment", joint_names: str = ".*") -> torch.Tensor:
    """Return the speeds of joints less those of the scene [rad/s | m/s], (W, D)."""
    return env.robot.of_joints(env.robot.joint_vel - env.robot.default_joint_vel, joint_names)


def body_incoming_wrench(env: "Environment", body_names: str) -> torch.Tensor:
    """Return force and torque of the parent on bodies in the last physics step [N, N·m], joint axes, (W, 6 L)."""
    return env.robot.body_incoming_wrench_b[:, env.robot.find_bodies(body_names)].flatten(1)


class height_scan:  # Isaac Lab's name, which is that of a function
    """Heights of a body above the ground on a level grid that turns with it, less an offset [m], (W, R).

    Args:
        env: environment.
        body_name: name of the body.
        resolution: distance of neighbouring points [m].
        size: length of the grid ahead and sideways [m].
        offset: subtracted from the heights [m].
        clip: least and largest value [m], which a point above nothing has.
        above: height above the body from which rays start [m].
    """

    def __init__(
        self,
        env: "Environment",
        body_name: str,
        resolution: float = 0.1,
        size: tuple[float, float] = (1.6, 1.0),
        offset: float = 0.5,
        clip: tuple[float, float] = (-1.0, 1.0),
        above: float = 20.0,
    ):
        self._env, self._offset, self._clip = env, offset, clip
        (body,) = env.robot.find_bodies(body_name).tolist()
        path, pattern = env.robot.body_paths[body], grid_pattern(resolution, size)
        self._sensor = RaySensor(env.sim, path, pattern, "yaw", position=(0.0, 0.0, above))

    def __call__(self) -> torch.Tensor:
        """Return the heights of the present poses."""
        self._sensor.update()
        place, hits = self._sensor.pos_w[:, None, 2], self._sensor.ray_hits_w[..., 2]
        heights = torch.from_numpy(place - hits - self._offset).to(self._env.device)
        return heights.clamp(*self._clip)

    def reset(self, worlds: torch.Tensor) -> None:
        """Keep nothing from step to step."""


def last_action(env: "Environment") -> torch.Tensor:
    """Return the actions of the last control step, (W, num_actions)."""
    return env.actions


def generated_commands(env: "Environment", command_name: str) -> torch.Tensor:
    """Return a command, (W, K)."""
    return env.command(command_name)
