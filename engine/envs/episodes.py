"""Episodes: their rewards and ends, and which worlds are reset when."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from ..errors import InputError
from .host_rows import set_rows, take_columns

if TYPE_CHECKING:
    from .environment import Environment
    from .task import Task

AUTORESET = ("same_step", "next_step", "disabled")


def check_same_step(autoreset: str, library: str) -> None:
    """Check that worlds that have ended are reset in the same step, as the learners of a library want it.

    Raises:
        InputError: another autoreset.
    """
    if autoreset != "same_step":
        raise InputError(f"autoreset = {autoreset!r}: must be 'same_step' for {library}; make it so")


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
        self._terms = torch.zeros_like(self._sums)  # rewards of the last control step
        self._rows = list(self._terms)
        self._none = torch.zeros_like(self._stale)
        self.terminated = self._stale.clone()
        """Mask of the worlds in which a termination holds in the last control step, (W,) of bool."""

    def ends(self, broken: torch.Tensor) -> torch.Tensor:
        """Return the value of every termination, and last the worlds that are broken, (N, W) of bool.

        Raises:
            InputError: a term does not return (W,) of bool.
        """
        env = self._env
        values = [term(env) for term in self._task.terminations.values()]
        for name, value in zip(self._task.terminations, values, strict=True):
            _check_column(f"terminations.{name}", value, env.worlds, torch.bool)
        return torch.stack([*values, broken])

    def reward(self, ignored: "torch.Tensor | None" = None) -> torch.Tensor:
        """Return the reward of the control step, (W,), 0 in the ignored worlds (indices), and add its terms up.

        Raises:
            InputError: a term does not return (W,).
        """
        env = self._env
        for row, (name, term) in zip(self._rows, self._task.rewards.items(), strict=True):
            value = term(env)
            _check_column(f"rewards.{name}", value, env.worlds, None)
            torch.mul(value, term.weight * env.dt, out=row)
        if ignored is not None:
            self._terms[:, ignored] = 0.0
        self._sums += self._terms
        total = torch.zeros_like(self._none, dtype=self._terms.dtype)
        for row in self._rows:  # one after the other: the same bits on every device
            total += row
        return total

    def finish(self, broken: "torch.Tensor | None") -> tuple[Ended, dict[str, Any]]:
        """Return the ends of a control step, and their means for the log.

        Args:
            broken: worlds whose actions were not finite, (W,) of bool; None: there are none.
        """
        env, waits = self._env, self._env.autoreset != "same_step"
        if not env.robot.all_finite:
            broken = ~env.robot.finite if broken is None else broken | ~env.robot.finite
        reasons = self.ends(self._none if broken is None else broken)
        self.terminated = terminated = reasons.any(0)
        truncated = (terminated | (env.episode_length >= env.max_episode_length)) ^ terminated
        ignored = broken
        if waits:
            terminated, truncated = terminated & ~self._stale, truncated & ~self._stale
            ignored = self._stale if broken is None else broken | self._stale
        reward = self.reward(None if ignored is None else ignored.nonzero()[:, 0])
        over = terminated | truncated
        ended = over.nonzero()[:, 0]
        log = self._log(ended, reasons, truncated)
        resets = ended if not waits else self._stale.nonzero()[:, 0] if env.autoreset == "next_step" else ended[:0]
        if waits:
            self._stale = self._stale | over
        return Ended(reward, terminated, truncated, over, resets), {"log": log}

    def _log(self, worlds: torch.Tensor, reasons: torch.Tensor, truncated: torch.Tensor) -> dict[str, float]:
        """Return means over the episodes that ended: rewards per second, and shares of the reasons."""
        if not len(worlds):
            return {}
        seconds = np.maximum(take_columns(self._env.episode_length, worlds), 1) * self._env.dt
        means = (take_columns(self._sums, worlds) / seconds).mean(1).tolist()
        rates = {f"Episode_Reward/{name}": mean for name, mean in zip(self._task.rewards, means, strict=True)}
        shares = [*take_columns(reasons, worlds).mean(1).tolist(), float(take_columns(truncated, worlds).mean())]
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
