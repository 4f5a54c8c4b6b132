"""Observations of a task: the terms of each group side by side, with noise."""

from typing import TYPE_CHECKING

import torch

from ..errors import InputError
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
        self._noise = {group: self._amplitudes(group) for group in self._groups if noise}

    def _size(self, group: str, name: str, term: Term) -> int:
        value = term(self._env)
        rule = f"must be ({self._env.worlds}, K), a row for each world"
        if not isinstance(value, torch.Tensor):
            raise InputError(f"observations.{group}.{name} = {type(value).__name__}: {rule}, as a tensor")
        if value.ndim != 2 or len(value) != self._env.worlds:
            raise InputError(f"observations.{group}.{name} = {tuple(value.shape)}: {rule}")
        return value.shape[1]

    def _amplitudes(self, group: str) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the noisy columns of a group and their amplitudes; None if there are none."""
        terms = self._groups[group]
        values = torch.cat([torch.full((self.sizes[group][name],), term.noise) for name, term in terms.items()])
        columns = values.nonzero()[:, 0]
        return (columns.to(self._env.device), values[columns].to(self._env.device)) if len(columns) else None

    def read(self, noise: bool = True) -> dict[str, torch.Tensor]:
        """Return the observations of each group, (W, K), with or without noise."""
        found = {}
        for group, terms in self._groups.items():
            parts = [term(self._env) for term in terms.values()]
            values = torch.cat(parts, 1)
            amplitudes = self._noise.get(group) if noise else None
            if amplitudes:
                columns, size = amplitudes
                values.index_add_(1, columns, self._env.random.uniform(-size, size, len(columns)))
            if any(term.gain != 1.0 for term in terms.values()):
                first = 0
                for part, term in zip(parts, terms.values(), strict=True):
                    values[:, first : first + part.shape[1]] *= term.gain
                    first += part.shape[1]
            found[group] = values
        return found
