"""Reinforcement learning: tasks of terms, run in batches of worlds; `pip install fajin[rl]`.

Importing the package registers its tasks with gymnasium, if that is installed. torch is imported with the first
environment.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .registry import TASKS, find_task, register
from .task import Task, Term

if TYPE_CHECKING:
    from . import mdp
    from .env import Env, Transition

_PLACES = {"Env": "env", "Transition": "env"}
__all__ = ["TASKS", "Env", "Task", "Term", "Transition", "find_task", "make", "mdp", "register"]


def __getattr__(name: str) -> object:
    """Import the requested name on first use: these need torch."""
    if name == "mdp":
        return import_module(f"{__name__}.mdp")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def make(name: "str | Task", worlds: int = 1, **options: object) -> "Env":
    """Return the environment of a task.

    Args:
        name: task, or its name, as "fajin/Cartpole-v0".
        worlds: number of worlds.
        options: further arguments of `Env`.

    Raises:
        InputError: no such task.
        ImportError: torch is not installed.
    """
    from .env import Env

    return Env(name if isinstance(name, Task) else find_task(name), worlds, **options)  # pyright: ignore[reportArgumentType]  # Env checks


if find_spec("gymnasium"):
    from .adapters import registration

    registration.register_all(TASKS)
