"""Commands: what a policy shall do, drawn anew from time to time."""

from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from ..environment import Environment

Range = tuple[float, float]


class CommandTerm(Protocol):
    """A command of an environment."""

    value: torch.Tensor
    """The command, (W, K)."""

    def start(self, env: "Environment") -> None:
        """Find the names in a new environment, and make the first command."""

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new commands in worlds."""

    def advance(self, env: "Environment") -> None:
        """Advance by one control step."""


class UniformVelocityCommand:
    """Linear velocity along x and y [m/s] and angular velocity about z [rad/s] of the root, (W, 3).

    Args:
        lin_vel_x: range of the velocity along x.
        lin_vel_y: range of the velocity along y.
        ang_vel_z: range of the velocity about z.
        resampling_time: time between two commands [s].
        rel_standing_envs: share of the commands that are 0.
    """

    def __init__(
        self,
        lin_vel_x: Range,
        lin_vel_y: Range,
        ang_vel_z: Range,
        resampling_time: float = 10.0,
        rel_standing_envs: float = 0.02,
    ):
        self.ranges, self.resampling_time = (lin_vel_x, lin_vel_y, ang_vel_z), resampling_time
        self.rel_standing_envs = rel_standing_envs

    def start(self, env: "Environment") -> None:
        """Make the first command, 0."""
        self.value = torch.zeros(env.worlds, 3, device=env.device)
        low, high = zip(*self.ranges, (0.0, 1.0), strict=True)
        self._low, self._high = torch.tensor(low, device=env.device), torch.tensor(high, device=env.device)
        self._period = max(1, round(self.resampling_time / env.dt))

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new commands in worlds."""
        drawn = env.random.uniform(self._low, self._high, 4, worlds)
        moves = drawn[:, 3:] >= self.rel_standing_envs
        self.value[worlds] = torch.where(moves, drawn[:, :3], 0.0)

    def advance(self, env: "Environment") -> None:
        """Draw new commands in the worlds whose time has come."""
        due = ((env.episode_length % self._period == 0) & (env.episode_length > 0)).nonzero()[:, 0]
        if len(due):
            self.resample(env, due)
