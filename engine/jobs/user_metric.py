"""A metric of the user's: a function of the simulation, looked at now and then, and what its values were over time."""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from . import InvalidJob


def import_function(text: str, option: str) -> Callable:
    """The function that "module:function" names; modules of the current folder count.

    Raises:
        InvalidJob: it cannot be imported, or is no function.
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
    """Smallest, largest, mean and last of what a function says of each world, as long as the world goes on.

    Args:
        look: function of the simulation that returns (W,) or (W, n), or a dict of such arrays by name.
        name: what its columns are called where it gives no name.
    """

    def __init__(self, look: Callable, name: str):
        self._look, self._name = look, name
        self._seen: dict[str, dict[str, np.ndarray]] = {}

    def __call__(self, sim, going: np.ndarray) -> None:
        """Look at the worlds that go on, (W,)."""
        given = self._look(sim)
        for name, values in (given if isinstance(given, Mapping) else {self._name: given}).items():
            array = np.asarray(values, np.float64)
            if array.ndim == 0 or len(array) != sim.worlds:
                raise InvalidJob(f"{name}: must return one value a world, {sim.worlds}; it returned {array.shape}")
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
        """{"name.min": (W,), …} of what was seen."""
        found = {}
        for label, seen in self._seen.items():
            none = seen["count"] == 0.0
            mean = seen["sum"] / np.where(none, 1.0, seen["count"])
            parts = {"min": seen["min"], "max": seen["max"], "mean": mean, "final": seen["final"]}
            found |= {f"{label}.{part}": np.where(none, np.nan, values) for part, values in parts.items()}
        return found


def _labels(name: str, count: int, axes: int, sim) -> list[str]:
    """Names of the columns of what a function returns: one, one a degree of freedom, or numbered."""
    if axes == 1:
        return [name]
    if count == len(sim.dof):
        return [f"{name}:{dof}" for dof in sim.dof]
    return [f"{name}[{i}]" for i in range(count)]
