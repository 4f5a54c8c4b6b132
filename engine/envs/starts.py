"""Starts of episodes: states that the events of a reset draw."""

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import torch

from .task import Term

if TYPE_CHECKING:
    from ..simulation.reset import Entry
    from .environment import Environment


class Known(NamedTuple):
    """What a reset set, which the next one sets, too, from other numbers."""

    terms: tuple[tuple[object, Mapping], ...]  # functions and parameters
    entries: tuple["Entry", ...]
    draws: tuple[int, int]  # from the first one on: their number, and the numbers of the longest one
    columns: int  # of the numbers


class Starts:
    """States of worlds at the start of an episode.

    Args:
        env: environment.
        terms: events of its resets.
    """

    def __init__(self, env: "Environment", terms: Mapping[str, Term]):
        self._env, self._terms = env, terms
        self._known: Known | None = None

    def set(self, worlds: torch.Tensor) -> None:
        """Reset worlds, and draw their states.

        Events that draw in each reset alike need not be called again: of two worlds, that takes longer than the reset.
        """
        random, robot, known = self._env.random, self._env.robot, self._known
        random.draw_ahead(worlds)
        ahead = random.ahead
        if known and ahead and ahead.flat.shape[1] == known.columns and self._terms_now() == known.terms:
            random.use(*known.draws)
            robot.reset_again(worlds, known.entries, ahead.flat)
            return
        with robot.resetting(worlds, self._all("staged")) as staged:
            for term in self._terms.values():
                term(self._env, worlds)
        self._known = None
        if self._all("repeats") and ahead and len(staged.arrays) == 1 and staged.arrays[0] is ahead.flat:
            terms = tuple((function, deepcopy(parameters)) for function, parameters in self._terms_now())
            self._known = Known(terms, tuple(staged.entries), random.used, ahead.flat.shape[1])

    def _all(self, mark: str) -> bool:
        """Return whether all events have a mark."""
        return all(getattr(term.function, mark, False) for term in self._terms.values())

    def _terms_now(self) -> tuple[tuple[object, Mapping], ...]:
        return tuple((term.function, term.parameters) for term in self._terms.values())
