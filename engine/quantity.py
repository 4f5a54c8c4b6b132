"""Named quantities of a simulation as array views: `sim.target_q[:, "elbow"] = 0.4`."""

import re
from collections.abc import Sequence

import numpy as np


class View:
    """All worlds' values of one quantity, (worlds, dofs); columns also by name. Reads copy, writes reach the device."""

    def __init__(self, simulation, name: str, columns: Sequence[str]):
        self._simulation, self._name, self._columns = simulation, name, columns

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        """The values as an array, (worlds, dofs)."""
        return np.array(self._simulation.values(self._name), dtype)

    def __getitem__(self, key) -> np.ndarray:
        """Values by index, slice or joint name."""
        return np.asarray(self)[self._key(key)]

    def __setitem__(self, key, value) -> None:
        """Set values by index, slice or joint name; the rest stays."""
        rows = np.array(self)
        rows[self._key(key)] = value
        self._simulation.set_values(self._name, rows)

    def __len__(self) -> int:
        return self._simulation.worlds

    def __repr__(self) -> str:
        return f"{self._name} {np.asarray(self)!r}"

    @property
    def shape(self) -> tuple[int, int]:
        """(worlds, dofs)."""
        return np.asarray(self).shape

    def _key(self, key):
        """Joint names in the second place become columns."""
        if isinstance(key, tuple) and len(key) == 2:
            return key[0], self._column(key[1])
        return key

    def _column(self, name):
        if isinstance(name, str):
            return column(name, self._columns)
        if isinstance(name, list | tuple) and name and isinstance(name[0], str):
            return [column(n, self._columns) for n in name]
        return name


def column(name: str, columns: Sequence[str]) -> int:
    """Index of a degree of freedom by its full name, its joint's path or its joint's name.

    Raises:
        KeyError: nothing, or more than one degree of freedom, is called that.
    """
    for of in (str, lambda c: c.rpartition(":")[0], lambda c: re.split("[/:]", c)[-2], lambda c: c.rpartition("/")[2]):
        found = [i for i, c in enumerate(columns) if of(c) == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{name!r} is the name of {', '.join(columns[i] for i in found)}; give the full one")
    raise KeyError(f"no degree of freedom {name!r}; there are {', '.join(columns)}")


class Quantity:
    """Declares a quantity of a simulation: its buffer row, its unit and what it is."""

    def __init__(self, row: str, meaning: str):
        self.row, self.__doc__ = row, meaning

    def __set_name__(self, owner, name: str) -> None:
        """Remember the attribute's name."""
        self.name = name

    def __get__(self, simulation, owner=None):
        """Return a view of this quantity of one simulation."""
        return self if simulation is None else View(simulation, self.name, simulation.dof)

    def __set__(self, simulation, value) -> None:
        """Set every world's values; broadcasts."""
        View(simulation, self.name, simulation.dof)[:] = value
