"""Environments as Stable-Baselines3's VecEnv."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from stable_baselines3.common.vec_env import VecEnv

from ..env import Env
from ..episodes import check_same_step
from .spaces import arrays, observation_space, tensor

LARGEST_ACTION = 100.0
"""Bound of the actions: the learners need one, and clip actions at it."""


class Sb3VecEnv(VecEnv):
    """An environment for the learners of Stable-Baselines3, with NumPy arrays.

    `infos` of a world whose episode ended has its last observations, "terminal_observation", and whether its time was
    up, "TimeLimit.truncated".

    Args:
        env: environment with autoreset "same_step".

    Raises:
        InputError: another autoreset.
    """

    def __init__(self, env: Env):
        check_same_step(env.autoreset, "Stable-Baselines3")
        self.env, self.metadata = env, {"render_modes": []}
        actions = Box(-LARGEST_ACTION, LARGEST_ACTION, (env.num_actions,), np.float32)
        super().__init__(env.worlds, observation_space(env), actions)
        self._actions: Any = None

    def reset(self) -> Any:
        """Reset all worlds, seeded by the first of the seeds set before; return their observations."""
        seed = self._seeds[0]
        if seed is not None:
            self.env.seed(seed)
        self._reset_seeds()
        return arrays(self.env.reset())

    def step_async(self, actions: np.ndarray) -> None:
        """Keep actions, (W, num_actions), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Advance all worlds by a control step; return observations, rewards, ends and infos."""
        observations, reward, terminated, truncated, found = self.env.step(tensor(self._actions, self.env))
        over, in_time = (terminated | truncated).cpu().numpy(), truncated.cpu().numpy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if over.any():
            last = arrays(found["final_obs"])
            for world in np.flatnonzero(over):
                kept = last[world] if isinstance(last, np.ndarray) else {k: v[world] for k, v in last.items()}
                infos[world] = {"terminal_observation": kept, "TimeLimit.truncated": bool(in_time[world])}
        return arrays(observations), reward.cpu().numpy(), over, infos

    def close(self) -> None:
        """Do nothing; the environment's memory is released with it."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the environment for each world."""
        return [getattr(self.env, attr_name, None) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the worlds share one environment."""
        raise NotImplementedError(f"{attr_name}: worlds share one environment; set it there")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Refuse: the worlds share one environment."""
        raise NotImplementedError(f"{method_name}: worlds share one environment; call it there")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return that no world has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]
