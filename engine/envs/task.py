"""Tasks: what a learner sees, does and is rewarded for, as lists of terms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, isclass, signature
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..selection import suggestion

if TYPE_CHECKING:
    import torch

    from .environment import Environment
    from .mdp.actions import ActionTerm
    from .mdp.commands import CommandTerm


REQUIRED = ("actions", "observations")
"""Parts of a task that have at least one term."""


class Term:
    """A function `f(env, **parameters)` and its parameters.

    Args:
        function: function of an environment; an event's is `f(env, worlds, **parameters)` with indices of worlds. It
            returns a tensor: rewards (W,), terminations (W,) of bool, observations (W, K); events return nothing.
            A term that remembers is a class: an object `f(env, **parameters)` is called without the environment, and
            its `reset(worlds)` follows the reset of worlds. A reset's has no such method.
        weight: factor of a reward, per second.
        noise: amplitude of the uniform noise of an observation.
        gain: factor of an observation, after its noise.
        every: seconds of an episode between two calls of an interval event.
        parameters: further arguments of the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        weight: float = 1.0,
        *,
        noise: float = 0.0,
        gain: float = 1.0,
        every: float | None = None,
        **parameters: Any,
    ):
        self.function, self.weight, self.noise, self.gain, self.every = function, weight, noise, gain, every
        self.parameters, self._object = parameters, None

    def __repr__(self) -> str:
        """Return the function's name and its parameters."""
        words = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"Term({self.function.__name__}, {self.weight}{words})"

    def __call__(self, *given: Any) -> Any:
        """Return the function's value for an environment, and for worlds of an event."""
        return self.function(*given, **self.parameters) if self._object is None else self._object(*given[1:])

    @property
    def remembers(self) -> bool:
        """True if the term is a class, whose object is called."""
        return isclass(self.function)

    def start(self, env: "Environment") -> None:
        """Make the object of a term that remembers, in a new environment."""
        if self.remembers:
            self._object = self.function(env, **self.parameters)

    def reset(self, worlds: "torch.Tensor") -> None:
        """Let a term that remembers start anew in worlds."""
        if self._object is not None:
            self._object.reset(worlds)

    def check(self, place: str, given: int) -> None:
        """Raise InputError unless numbers are finite and parameters fit the function after `given` arguments."""
        if not callable(self.function):
            raise InputError(f"{place} = {self.function!r}: must be a function of an environment")
        for name in ("weight", "noise", "gain"):
            if not isfinite(number := getattr(self, name)):
                raise InputError(f"{place}, {name} = {number}: must be finite")
        known = list(signature(self.function).parameters.values())[1 if self.remembers else given :]
        if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known):
            return
        names = [parameter.name for parameter in known]
        for name in self.parameters:
            if name not in names:
                rule = f"must be among {', '.join(names)}" if names else "must not be there: the term has no parameters"
                raise InputError(f"{place}, parameter = {name!r}: {rule}{suggestion(name, names)}")
        missing = [p.name for p in known if p.default is Parameter.empty and p.name not in self.parameters]
        if missing:
            raise InputError(f"{place}, {missing[0]} = missing: must be set; write Term(…, {missing[0]}=…)")


@dataclass
class Task:
    """An environment's scene, actions, observations, rewards and ends.

    An episode that reaches `episode_seconds` is truncated, and one that a termination ends is terminated.
    """

    scene: str | Path  # USD file with one articulation that acts
    decimation: int  # physics steps per control step
    episode_seconds: float
    actions: Mapping[str, "ActionTerm"]
    observations: Mapping[str, Term | Mapping[str, Term]]  # terms of "policy", or of each group
    rewards: Mapping[str, Term]
    terminations: Mapping[str, Term] = field(default_factory=dict)
    commands: Mapping[str, "CommandTerm"] = field(default_factory=dict)
    startup: Mapping[str, Term] = field(default_factory=dict)  # events when the environment is made or seeded
    resets: Mapping[str, Term] = field(default_factory=dict)  # events at the start of an episode
    intervals: Mapping[str, Term] = field(default_factory=dict)  # events every `every` seconds of an episode
    name: str = ""  # of the registry
    learning: Mapping[str, Any] = field(default_factory=dict)  # worlds, iterations and settings of `fajin train`

    def groups(self) -> dict[str, dict[str, Term]]:
        """Return the terms of each group of observations."""
        if all(isinstance(term, Term) for term in self.observations.values()):
            return {"policy": dict(self.observations)}  # pyright: ignore[reportReturnType]  # all are terms
        return {name: dict(terms) for name, terms in self.observations.items()}  # pyright: ignore[reportReturnType, reportCallIssue, reportArgumentType]  # all are groups

    def terms(self) -> list[Term]:
        """Return the terms of observations, rewards and terminations."""
        observed = [term for terms in self.groups().values() for term in terms.values()]
        return [*observed, *self.rewards.values(), *self.terminations.values()]

    def check(self) -> None:
        """Raise InputError for a value or a term's parameter that is against its rule."""
        if not (isinstance(self.decimation, int) and self.decimation > 0):
            raise InputError(f"decimation = {self.decimation}: must be a whole number above 0")
        if not 0.0 < self.episode_seconds < inf:
            raise InputError(f"episode_seconds = {self.episode_seconds}: must be above 0, and finite")
        self._check_kinds()
        for group, terms in self.groups().items():
            for name, term in terms.items():
                term.check(f"observations.{group}.{name}", 1)
        for kind, given in (("rewards", 1), ("terminations", 1), ("startup", 2), ("resets", 2), ("intervals", 2)):
            for name, term in getattr(self, kind).items():
                term.check(f"{kind}.{name}", given)
        self._check_together()

    def _check_kinds(self) -> None:
        """Raise InputError unless each part is a mapping to terms, and there are actions and observations."""
        for kind in (*REQUIRED, "rewards", "terminations", "commands", "startup", "resets", "intervals"):
            part = getattr(self, kind)
            if not isinstance(part, Mapping):
                raise InputError(f"{kind} = {type(part).__name__}: must be a mapping from names to terms")
            if not part and kind in REQUIRED:
                raise InputError(f"{kind} = {{}}: must have at least one term")
            groups = kind == "observations" and all(isinstance(term, Mapping) for term in part.values())
            terms = [pair for group in part.values() for pair in group.items()] if groups else part.items()
            for name, term in terms if kind not in ("actions", "commands") else ():
                if not isinstance(term, Term):
                    raise InputError(f"{kind}.{name} = {term!r}: must be a Term; write Term({term!r})")

    def _check_together(self) -> None:
        """Raise InputError for actions or interval events that do not fit each other."""
        if sum(getattr(term, "max_delay", 0) > 0 for term in self.actions.values()) > 1:  # of one schedule
            raise InputError("max_delay = several actions: must be of one action; join the joints in one")
        for name, term in self.intervals.items():
            if not (term.every and term.every > 0.0):
                raise InputError(
                    f"intervals.{name}, every = {term.every}: must be above 0 [s]; write Term(…, every=8.0)"
                )
