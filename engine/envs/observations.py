"""Observations of a task: the terms of each group side by side, with noise."""

from typing import TYPE_CHECKING

import torch

from ..errors import InputError
from .noise import Noise
from .task import Task, Term

if TYPE_CHECKING:
    from .environment import Environment


class Observations:
    """The groups of observations of an environment.

    Args:
        env: environment.
        task: its task.
        noise: add the noise of the terms.

    Raises:
        InputError: a term does not return (W, K).
    """

    def __init__(self, env: "Environment", task: "Task", noise: bool):
        self._env, self._groups = env, task.groups()
        self.sizes = {
            group: {n: self._size(group, n, t) for n, t in terms.items()} for group, terms in self._groups.items()
        }
        self._noise = {group: self._noise_of(group) for group in self._groups if noise}

    def _size(self, group: str, name: str, term: Term) -> int:
        value = term(self._env)
        rule = f"must be ({self._env.worlds}, K), a row for each world"
        if not isinstance(value, torch.Tensor):
            raise InputError(f"observations.{group}.{name} = {type(value).__name__}: {rule}, as a tensor")
        if value.ndim != 2 or len(value) != self._env.worlds:
            raise InputError(f"observations.{group}.{name} = {tuple(value.shape)}: {rule}")
        return value.shape[1]

    def _noise_of(self, group: str) -> Noise | None:
        """Return the noise of a group; None if no column has any."""
        terms = self._groups[group]
        values = torch.cat([torch.full((self.sizes[group][name],), term.noise) for name, term in terms.items()])
        return Noise(values, self._env.device) if values.any() else None

    def read(self, noise: bool = True) -> dict[str, torch.Tensor]:
        """Return the observations of each group, (W, K), with or without noise."""
        found = {}
        for group, terms in self._groups.items():
            parts = [term(self._env) for term in terms.values()]
            values = torch.cat(parts, 1)
            added = self._noise.get(group) if noise else None
            if added:
                self._env.random.add_noise(values, added)
            if any(term.gain != 1.0 for term in terms.values()):
                first = 0
                for part, term in zip(parts, terms.values(), strict=True):
                    values[:, first : first + part.shape[1]] *= term.gain
                    first += part.shape[1]
            found[group] = values
        return found
