"""gymnasium's spaces of an environment, and its observations as NumPy arrays."""

from typing import Any

import numpy as np
import torch
from gymnasium import Space, spaces

from ..env import Env


def observation_space(env: Env) -> Space[Any]:
    """Return the space of one world: a Box, or a Dict of several groups."""
    boxes: dict[str, Space[Any]] = {group: _box(sum(sizes.values())) for group, sizes in env.observation_sizes.items()}
    return next(iter(boxes.values())) if len(boxes) == 1 else spaces.Dict(boxes)


def action_space(env: Env) -> spaces.Box:
    """Return the space of one world's actions, without bounds as in Isaac Lab."""
    return _box(env.num_actions)


def arrays(groups: dict[str, torch.Tensor]) -> Any:
    """Return the observations of all worlds, (W, K), or of each of several groups."""
    found = {group: values.cpu().numpy() for group, values in groups.items()}
    return next(iter(found.values())) if len(found) == 1 else found


def tensor(actions: Any, env: Env) -> torch.Tensor:
    """Return actions as a tensor, (W, num_actions), on the device of an environment."""
    return torch.as_tensor(np.asarray(actions, np.float32), device=env.device)


def _box(size: int) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, (size,), np.float32)
