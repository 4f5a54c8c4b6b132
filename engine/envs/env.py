"""Environments: batches of worlds that a task's terms observe, reward, end and reset."""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import torch

from ..device import Device
from ..errors import InputError, whole
from ..scene_file import read
from ..simulation import Simulation
from ..simulation.step_results import leave_out_results
from .contacts import ContactGroup
from .episodes import AUTORESET, Episodes
from .host_rows import on_host, set_rows
from .mdp.actions import check_actions
from .observations import Observations
from .philox import WorldRandom
from .robot import Robot
from .starts import Starts
from .task import Task

NOT_FINITE = "not_finite"
"""Name of the termination of worlds whose actions or state are not finite."""


def kernel_device(sim: Simulation) -> Device | None:
    """Return the CPU whose kernels draw random numbers for a simulation; None on a GPU."""
    device = sim._synced_state().device
    return device if device.packed else None


class Transition(NamedTuple):
    """Result of a control step."""

    observations: dict[str, torch.Tensor]  # (W, K) of each group
    reward: torch.Tensor  # (W,)
    terminated: torch.Tensor  # (W,) of bool
    truncated: torch.Tensor  # (W,) of bool, where not terminated
    info: dict[str, Any]  # "log"; "final_obs" of each group where autoreset is "same_step" and an episode ended


class Env:
    """A task in W worlds; torch tensors in and out.

    A control step applies the actions, takes `decimation` physics steps in one launch, and evaluates terminations,
    rewards, resets, commands, interval events and observations, in this order. A world's numbers depend on the seed,
    the world's number and its actions only: they are equal to the bit alone and in any batch. A world whose action or
    state is not finite is terminated ("not_finite"), and the others go on.

    Args:
        task: task to run.
        worlds: number of worlds, W.
        seed: seed of all random numbers.
        autoreset: when a world that has ended is reset: in the "same_step", in the "next_step", whose action it
            ignores, or never ("disabled"; call `reset(mask)`).
        threads: number of CPU threads, 0 for all cores.
        device: auto | cpu | cuda.
        first_world: number of the first world; batches with other numbers continue this one.
        noise: add the noise of the observations.
        results: let steps write their results, as of `Simulation`; else they do where a term reads one at the start.

    Raises:
        InputError, KeyError: a term's parameter or a name in it is wrong; the message lists the names.
        InvalidScene: the scene is invalid.
    """

    def __init__(
        self,
        task: Task,
        worlds: int = 1,
        *,
        seed: int = 0,
        autoreset: str = "same_step",
        threads: int = 0,
        device: str = "cpu",
        first_world: int = 0,
        noise: bool = True,
        results: bool = False,
    ):
        if autoreset not in AUTORESET:
            raise InputError(f"autoreset = {autoreset!r}: must be one of {', '.join(AUTORESET)}")
        task.check()
        self.task, self.autoreset, self.worlds = task, autoreset, whole("worlds", worlds, 1)
        self.sim = Simulation(read(task.scene), worlds, device, "f32", threads, sleeping=False, copies=False)
        self.device = torch.device("cuda" if self.sim.device == "cuda" else "cpu")
        self.dt = self.sim.dt * task.decimation
        self.max_episode_length = round(task.episode_seconds / self.dt)
        self.random = WorldRandom(
            whole("seed", seed), worlds, whole("first_world", first_world), self.device, kernel_device(self.sim)
        )
        self.robot = Robot(self.sim, self.device)
        self.episode_length = torch.zeros(worlds, dtype=torch.long, device=self.device)
        self.final_observations = True
        """Switch of "final_obs": "same_step" returns the last observations of the worlds that ended."""
        self._everyone = torch.arange(worlds, device=self.device)
        self._contacts: dict[str, ContactGroup] = {}
        self._due: dict[int, torch.Tensor] = {}  # by the control steps of a period, in this control step
        self._start_terms(noise)
        state = self.sim._synced_state()
        if not (results or state.reads_results):
            leave_out_results(state)

    def _start_terms(self, noise: bool) -> None:
        """Evaluate every term once, so that a wrong name fails here."""
        task, nobody = self.task, self._everyone[:0]
        for term in (*task.actions.values(), *task.commands.values(), *task.terms(), *task.resets.values()):
            term.start(self)
        self._starts = Starts(self, task.resets)
        self._remembering = [term for term in task.terms() if term.remembers]
        self.num_actions = sum(term.size for term in task.actions.values())
        self.actions = torch.zeros(self.worlds, self.num_actions, device=self.device)
        """Actions of the last control step, (W, num_actions)."""
        self.last_actions = self.actions.clone()
        """Actions of the control step before, (W, num_actions)."""
        self._episodes = Episodes(self, task, NOT_FINITE)
        for term in (*task.resets.values(), *task.intervals.values()):
            term(self, nobody)
        for term in task.startup.values():
            term(self, self._everyone)
        self.start_episodes(self._everyone)
        self._episodes.ends(self._episodes.terminated)
        self._episodes.reward()
        self._observations = Observations(self, task, noise)
        self.observation_sizes = self._observations.sizes
        """Numbers of each term of each group of observations."""

    def __repr__(self) -> str:
        """Return one line: task and sizes."""
        sizes = ", ".join(f"{name} {sum(sizes.values())}" for name, sizes in self.observation_sizes.items())
        return (
            f"<Env of {self.task.name or self.task.scene}: {self.worlds} worlds, {self.num_actions} actions, {sizes}>"
        )

    def command(self, name: str) -> torch.Tensor:
        """Return the command of a name, (W, K).

        Raises:
            InputError: no such command.
        """
        if name not in self.task.commands:
            raise InputError(f"command = {name!r}: must be one of {', '.join(self.task.commands) or 'none'}")
        return self.task.commands[name].value

    def contacts(self, colliders: str) -> ContactGroup:
        """Return the contacts of colliders by regular expression, counted from the first call on."""
        if colliders not in self._contacts:
            self._contacts[colliders] = ContactGroup(self.robot, self.dt, colliders)
        return self._contacts[colliders]

    def seed(self, seed: int) -> None:
        """Start all random numbers again with a seed, and repeat the startup events."""
        self.random.seed(whole("seed", seed))
        for term in self.task.resets.values():
            term.start(self)
        for term in self.task.startup.values():
            term(self, self._everyone)

    def reset(self, mask: "torch.Tensor | None" = None) -> dict[str, torch.Tensor]:
        """Reset the worlds of a mask (W,) of bool, or all; return the observations of all worlds.

        Raises:
            InputError: the mask has another shape or type.
        """
        seen = f"{tuple(mask.shape)} of {mask.dtype}" if isinstance(mask, torch.Tensor) else type(mask).__name__
        if mask is not None and seen != f"({self.worlds},) of torch.bool":
            raise InputError(f"mask = {seen}: must be ({self.worlds},) of torch.bool, an element for each world")
        self.start_episodes(self._everyone if mask is None else mask.nonzero()[:, 0])
        return self._observations.read()

    def observe(self) -> dict[str, torch.Tensor]:
        """Return the observations of the present state without noise, as a policy that is played sees it."""
        return self._observations.read(noise=False)

    def step(self, actions: torch.Tensor) -> Transition:
        """Advance all worlds by one control step.

        Args:
            actions: actions, (W, num_actions).

        Raises:
            InputError: `actions` has another shape or type, or requires a gradient; nothing is changed.
        """
        broken = self._apply(actions)
        self.sim.step(self.task.decimation)
        self.robot.change()
        self.episode_length += 1
        ended, info = self._episodes.finish(broken)
        if self.final_observations and self.autoreset == "same_step" and len(ended.resets):
            info["final_obs"] = self._observations.read(noise=False)  # the worlds that go on draw once a step
        if len(ended.resets):
            self.start_episodes(ended.resets)
        self._advance_commands()
        return Transition(self._observations.read(), ended.reward, ended.terminated, ended.truncated, info)

    def _apply(self, actions: torch.Tensor) -> "torch.Tensor | None":
        """Apply actions; return the mask of the worlds whose actions are not finite, if any are, and become 0."""
        check_actions(actions, (self.worlds, self.num_actions))
        self.last_actions.copy_(self.actions)
        self.actions.copy_(actions.detach())
        broken = None
        if not isfinite(self.actions.sum()):  # or it is beyond the largest number, though all actions are finite
            broken = ~torch.isfinite(self.actions).all(1)
            self.actions.masked_fill_(broken[:, None], 0.0)
        first = 0
        for term in self.task.actions.values():
            term.apply(self, self.actions[:, first : first + term.size])
            first += term.size
        return broken

    @property
    def terminated(self) -> torch.Tensor:
        """Mask of the worlds in which a termination holds, (W,) of bool; for rewards."""
        return self._episodes.terminated

    def _advance_commands(self) -> None:
        """Resample commands and apply interval events in the worlds whose time has come."""
        self._due.clear()
        for command in self.task.commands.values():
            command.advance(self)
        for term in self.task.intervals.values():
            due = self.due(term.every or 0.0)
            if len(due):
                term(self, due)

    def due(self, seconds: float) -> torch.Tensor:
        """Return the indices of the worlds whose episodes have lasted a multiple of a time [s].

        Commands and events of one period share a tensor, and the numbers that they draw.
        """
        period = max(1, round(seconds / self.dt))
        if period not in self._due:
            length = on_host(self.episode_length)
            found = np.flatnonzero((length % period == 0) & (length > 0))
            self._due[period] = torch.from_numpy(found).to(self.device)
            if len(found):
                self.random.draw_ahead(self._due[period], period)
        return self._due[period]

    def start_episodes(self, worlds: torch.Tensor) -> None:
        """Start new episodes in worlds (indices, each once)."""
        if not len(worlds):
            return
        self._starts.set(worlds)
        at = on_host(worlds)
        for tensor in (self.episode_length, self.actions, self.last_actions):
            set_rows(tensor, at, 0.0)
        for command in self.task.commands.values():
            command.resample(self, worlds)
        for action in self.task.actions.values():
            action.reset(self, worlds)
        for term in self._remembering:
            term.reset(worlds)
        self._episodes.reset(worlds)
