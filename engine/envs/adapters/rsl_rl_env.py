"""Environments as rsl_rl's VecEnv."""

from typing import Any

import torch
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from ..env import Env
from ..episodes import check_same_step


class RslRlEnv(VecEnv):
    """An environment for the runners of rsl_rl; its groups of observations keep their names.

    `extras` has the truncated worlds as "time_outs" and the means of ended episodes as "log".

    Args:
        env: environment with autoreset "same_step".

    Raises:
        InputError: another autoreset.
    """

    def __init__(self, env: Env):
        check_same_step(env.autoreset, "rsl_rl")
        self.env, self.cfg = env, {"task": env.task.name}
        self.num_envs, self.num_actions, self.device = env.worlds, env.num_actions, env.device
        self.max_episode_length = env.max_episode_length
        env.final_observations = False  # rsl_rl uses none
        self._observations = env.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:  # pyright: ignore[reportIncompatibleVariableOverride]  # a view of the environment's
        """Control steps of the episodes, (W,)."""
        return self.env.episode_length

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  # a view of the environment's
        self.env.episode_length.copy_(value)

    def get_observations(self) -> TensorDict:
        """Return the observations of all worlds."""
        return TensorDict(dict(self._observations), batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Advance all worlds by a control step; return observations, rewards, ends and extras."""
        self._observations, reward, terminated, truncated, info = self.env.step(actions)
        extras = {"time_outs": truncated, "log": info["log"]}
        return self.get_observations(), reward, terminated | truncated, extras
