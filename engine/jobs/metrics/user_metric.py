"""User metrics: functions of the simulation, called periodically, and the statistics of their values over time."""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...selection import short_names
from ...simulation import Simulation
from .. import InvalidJob


def import_function(text: str, option: str) -> Callable:
    """Return the function "module:function"; modules of the current folder can be imported.

    Raises:
        InvalidJob: it cannot be imported, or is not a function.
    """
    module, colon, name = text.partition(":")
    if not (module and colon and name):
        raise InvalidJob(f"{option} {text}: must be module:function")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidJob(f"{option} {text}: cannot be imported ({error})") from None
    if not callable(found):
        raise InvalidJob(f"{option} {text}: must be a function of the simulation")
    return found


class UserMetric:
    """Minimum, maximum, mean and final value of a function per world while the world runs.

    Args:
        look: function of the simulation that returns (W,) or (W, n), or a dict of such arrays by name.
        name: name of its columns if the function returns no names.
    """

    def __init__(self, look: Callable[[Simulation], Any], name: str):
        self._look, self._name = look, name
        self._seen: dict[str, dict[str, np.ndarray]] = {}

    def __call__(self, sim: Simulation, going: np.ndarray) -> None:
        """Call the function and add its values for running worlds, (W,)."""
        given = self._look(sim)
        for name, values in (given if isinstance(given, Mapping) else {self._name: given}).items():
            array = np.asarray(values, np.float64)
            if array.ndim == 0 or len(array) != sim.worlds:
                raise InvalidJob(
                    f"{name}: returned shape {array.shape}; must return one value per world ({sim.worlds})"
                )
            rows = array.reshape(sim.worlds, -1)
            for i, label in enumerate(_labels(name, rows.shape[1], array.ndim, sim)):
                self._add(label, rows[:, i], going)

    def _add(self, label: str, values: np.ndarray, going: np.ndarray) -> None:
        if label not in self._seen:
            start = {"min": np.inf, "max": -np.inf, "sum": 0.0, "count": 0.0, "final": np.nan}
            self._seen[label] = {name: np.full(len(values), first) for name, first in start.items()}
        seen = self._seen[label]
        seen["min"] = np.where(going, np.minimum(seen["min"], values), seen["min"])
        seen["max"] = np.where(going, np.maximum(seen["max"], values), seen["max"])
        seen["sum"] += np.where(going, values, 0.0)
        seen["count"] += going
        seen["final"] = np.where(going, values, seen["final"])

    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns {"name.min": (W,), …}."""
        found = {}
        for label, seen in self._seen.items():
            none = seen["count"] == 0.0
            mean = seen["sum"] / np.where(none, 1.0, seen["count"])
            parts = {"min": seen["min"], "max": seen["max"], "mean": mean, "final": seen["final"]}
            found |= {f"{label}.{part}": np.where(none, np.nan, values) for part, values in parts.items()}
        return found


def _labels(name: str, count: int, axes: int, sim: Simulation) -> list[str]:
    """Return the column names of a function's result: one name, one per degree of freedom, or numbered names."""
    if axes == 1:
        return [name]
    if count == len(sim.dof):
        return [f"{dof}:{name}" for dof in short_names(sim.dof)]
    return [f"{name}[{i}]" for i in range(count)]
