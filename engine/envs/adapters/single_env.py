"""One world of a task as gymnasium's Env."""

from typing import Any

import gymnasium
import numpy as np

from .. import make
from ..task import Task
from .spaces import action_space, arrays, observation_space, tensor


class SingleEnv(gymnasium.Env):
    """A task in one world, with NumPy arrays; `gymnasium.make("fajin/Cartpole-v0")` makes it.

    Args:
        task: task, or its name.
        options: further arguments of `Env`, but for worlds and autoreset.

    Raises:
        InputError: no such task.
    """

    def __init__(self, task: str | Task, **options: Any):
        self.env = make(task, 1, autoreset="disabled", **options)
        self.metadata = {"render_modes": [], "render_fps": round(1.0 / self.env.dt)}
        self.observation_space, self.action_space = observation_space(self.env), action_space(self.env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; a seed starts the random numbers again."""
        super().reset(seed=seed, options=options)
        if seed is not None:
            self.env.seed(seed)
        return _first(arrays(self.env.reset())), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance by a control step; actions are (num_actions,)."""
        found = self.env.step(tensor(action, self.env)[None])
        ends = bool(found.terminated[0]), bool(found.truncated[0])
        return _first(arrays(found.observations)), float(found.reward[0]), *ends, dict(found.info["log"])


def _first(observations: Any) -> Any:
    """Return the observations of the first world."""
    return observations[0] if isinstance(observations, np.ndarray) else {k: v[0] for k, v in observations.items()}
