"""Tasks by name."""

from collections.abc import Callable
from importlib import import_module

from ..errors import InputError
from ..selection import suggestion
from .task import Task

TASKS: dict[str, "str | Callable[[], Task]"] = {
    "fajin/Cartpole-v0": "cartpole:cartpole",
    "fajin/Ant-v0": "ant:ant",
    "fajin/ReachFranka-v0": "reach_franka:reach_franka",
    "fajin/VelocityFlatGo2-v0": "velocity_go2:velocity_go2",
    "fajin/VelocityRoughGo2-v0": "velocity_rough_go2:velocity_rough_go2",
    "fajin/VelocityFlatAnymalC-v0": "velocity_anymal_c:velocity_anymal_c",
}
"""Functions that return the tasks, by name of the task: a function, or its place in `fajin.envs.tasks`."""


def register(name: str, function: Callable[[], Task]) -> None:
    """Add a task, for `make` and, if gymnasium is installed, for `gymnasium.make` and `gymnasium.make_vec`.

    Args:
        name: name of the task with a version, as "my/Walker-v0".
        function: function that returns the task.
    """
    TASKS[name] = function
    try:
        from .adapters import registration
    except ImportError:  # without gymnasium
        return
    registration.register_all([name])


def find_task(name: str) -> Task:
    """Return the task of a name; "fajin/" may be left out.

    Raises:
        InputError: no such task.
    """
    if not isinstance(name, str):
        raise InputError(f"task = {name!r}: must be a Task or the name of one")
    found = TASKS.get(name) or TASKS.get(f"fajin/{name}")
    if found is None:
        near = suggestion(name, [*TASKS, *(known.rpartition("/")[2] for known in TASKS)])
        raise InputError(f"task = {name!r}: must be one of {', '.join(TASKS)}{near}")
    if isinstance(found, str):
        module, _, function = found.partition(":")
        found = getattr(import_module(f"{__package__}.tasks.{module}"), function)
    made = found()
    made.name = name if name in TASKS else f"fajin/{name}"
    return made
