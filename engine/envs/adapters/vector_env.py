"""Environments as gymnasium's VectorEnv."""

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ...errors import InputError
from .. import make
from ..task import Task
from .spaces import action_space, arrays, observation_space, tensor


class VectorEnv(gymnasium.vector.VectorEnv):
    """A task in W worlds, with NumPy arrays; `gymnasium.make_vec("fajin/Cartpole-v0", num_envs=W)` makes it.

    A reset with a seed seeds all worlds, whose numbers tell their random numbers apart. Under SAME_STEP `info` has the
    last observations of the worlds that ended, `final_obs` (W, K), and their mask, `_final_obs`.

    Args:
        task: task, or its name.
        num_envs: number of worlds, W.
        autoreset_mode: NEXT_STEP | SAME_STEP | DISABLED of gymnasium's `AutoresetMode`, or its value.
        options: further arguments of `Env`.

    Raises:
        InputError: no such task or autoreset mode.
    """

    def __init__(
        self,
        task: str | Task,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ):
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(mode.value for mode in AutoresetMode)
            raise InputError(f"autoreset_mode = {autoreset_mode!r}: must be one of {known}") from None
        self.env = make(task, num_envs, autoreset=mode.name.lower(), **options)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": [], "render_fps": round(1.0 / self.env.dt)}
        self.single_observation_space, self.single_action_space = observation_space(self.env), action_space(self.env)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset all worlds, or those of `options["reset_mask"]`, (W,) of bool.

        Raises:
            InputError: the mask has another shape or type; the seed is not a whole number.
        """
        if seed is not None:
            self.env.seed(seed)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return arrays(self.env.reset()), {}
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            rule = f"must be ({self.num_envs},) of bool with a True"
            raise InputError(f"reset_mask = {mask.shape} of {mask.dtype}, {int(mask.astype(bool).sum())} True: {rule}")
        return arrays(self.env.reset(torch.from_numpy(mask).to(self.env.device))), {}

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance all worlds by a control step; actions are (W, num_actions)."""
        observations, reward, terminated, truncated, found = self.env.step(tensor(actions, self.env))
        ends = terminated.cpu().numpy(), truncated.cpu().numpy()
        info: dict[str, Any] = {"log": found["log"]} if found["log"] else {}
        if "final_obs" in found:
            info |= {"final_obs": arrays(found["final_obs"]), "_final_obs": ends[0] | ends[1]}
        return arrays(observations), reward.cpu().numpy().astype(np.float64), *ends, info
