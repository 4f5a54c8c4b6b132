"""Episodes: their rewards and ends, and which worlds are reset when."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ..errors import InputError
from .host_rows import set_rows

if TYPE_CHECKING:
    from .environment import Environment
    from .task import Task

AUTORESET = ("same_step", "next_step", "disabled")


class Ended(NamedTuple):
    """Rewards and ends of a control step."""

    reward: torch.Tensor  # (W,)
    terminated: torch.Tensor  # (W,) of bool
    truncated: torch.Tensor  # (W,) of bool
    over: torch.Tensor  # (W,) of bool, either of both
    resets: torch.Tensor  # indices of the worlds to reset now


class Episodes:
    """Rewards and ends of the episodes of an environment.

    Args:
        env: environment.
        task: its task.
        broken: name of the termination of worlds whose actions or state are not finite.
    """

    def __init__(self, env: "Environment", task: "Task", broken: str):
        self._env, self._task = env, task
        self._names = (*task.terminations, broken, "time_out")
        self._sums = torch.zeros(len(task.rewards), env.worlds, device=env.device)  # of each reward in an episode
        self._stale = torch.zeros(env.worlds, dtype=torch.bool, device=env.device)  # ended, and not reset so far
        self.terminated = self._stale.clone()
        """Mask of the worlds in which a termination holds in the last control step, (W,) of bool."""

    def ends(self) -> torch.Tensor:
        """Return the value of every termination, (N, W) of bool.

        Raises:
            InputError: a term does not return (W,) of bool.
        """
        env = self._env
        values = [term(env) for term in self._task.terminations.values()]
        for name, value in zip(self._task.terminations, values, strict=True):
            _check_column(f"terminations.{name}", value, env.worlds, torch.bool)
        return torch.stack(values) if values else torch.zeros(0, env.worlds, dtype=torch.bool, device=env.device)

    def reward(self, ignored: torch.Tensor) -> torch.Tensor:
        """Return the reward of the control step, (W,), 0 in the ignored worlds (indices), and add its terms up.

        Raises:
            InputError: a term does not return (W,).
        """
        env = self._env
        total = torch.zeros(env.worlds, device=env.device)
        for sums, (name, term) in zip(self._sums, self._task.rewards.items(), strict=True):
            value = term(env)
            _check_column(f"rewards.{name}", value, env.worlds, None)
            value = value * (term.weight * env.dt)
            if len(ignored):
                value[ignored] = 0.0
            total += value
            sums += value
        return total

    def finish(self, broken: torch.Tensor) -> tuple[Ended, dict[str, Any]]:
        """Return the ends of a control step, and their means for the log.

        Args:
            broken: worlds whose actions were not finite, (W,) of bool.
        """
        env, stale = self._env, self._stale
        reasons = self.ends()
        broken = broken | ~env.robot.finite
        self.terminated = broken | reasons.any(0) if len(reasons) else broken
        terminated = self.terminated & ~stale
        truncated = (env.episode_length >= env.max_episode_length) & ~terminated & ~stale
        reward = self.reward((broken | stale).nonzero()[:, 0])
        over = terminated | truncated
        resets = {"same_step": over, "next_step": stale, "disabled": over & False}[env.autoreset].nonzero()[:, 0]
        log = self._log(over.nonzero()[:, 0], torch.cat([reasons, broken[None], truncated[None]]))
        if env.autoreset != "same_step":
            self._stale = stale | over
        return Ended(reward, terminated, truncated, over, resets), {"log": log}

    def _log(self, worlds: torch.Tensor, reasons: torch.Tensor) -> dict[str, float]:
        """Return means over the episodes that ended: rewards per second, and shares of the reasons."""
        if not len(worlds):
            return {}
        seconds = self._env.episode_length[worlds].clamp(min=1) * self._env.dt
        means = (self._sums[:, worlds] / seconds).mean(1).tolist()
        rates = {f"Episode_Reward/{name}": mean for name, mean in zip(self._task.rewards, means, strict=True)}
        shares = reasons[:, worlds].float().mean(1).tolist()
        return rates | {f"Episode_Termination/{n}": share for n, share in zip(self._names, shares, strict=True)}

    def reset(self, worlds: torch.Tensor) -> None:
        """Begin episodes in worlds."""
        if self._env.autoreset != "same_step":  # else no world is stale
            set_rows(self._stale, worlds, False)
        set_rows(self._sums.T, worlds, 0.0)


def _check_column(place: str, value: Any, worlds: int, dtype: "torch.dtype | None") -> None:
    rule = f"must be ({worlds},){'' if dtype is None else f' of {dtype}'}, a number for each world"
    if not isinstance(value, torch.Tensor):
        raise InputError(f"{place} = {type(value).__name__}: {rule}, as a tensor")
    if tuple(value.shape) != (worlds,) or (dtype is not None and value.dtype != dtype):
        raise InputError(f"{place} = {tuple(value.shape)} of {value.dtype}: {rule}")
