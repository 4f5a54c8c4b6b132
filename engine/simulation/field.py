"""Named quantities of a simulation as array views: `sim.target_q[:, "elbow"] = 0.4`."""

from collections.abc import Sequence

import numpy as np

from ..selection import resolve_key


class View:
    """All worlds' values of one quantity, by world and column, which `columns` chooses. Reads copy, writes arrive."""

    __slots__ = ("_quantity", "_simulation", "_steps")  # a misspelt name is no place to keep a value in

    def __init__(self, simulation, quantity: "Field", steps: int | None = None):
        self._simulation, self._quantity, self._steps = simulation, quantity, steps

    @property
    def once(self) -> "View":
        """The same, of which what is set holds for the next step only: `sim.force.once[:, "hand"] = push`."""
        return self.for_steps(1)

    def for_steps(self, steps: int) -> "View":
        """The same, of which what is set holds for so many steps; then what was before comes back."""
        return View(self._simulation, self._quantity, steps)

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns: degrees of freedom, links, articulations, joints outside the trees, tendons or axes."""
        return getattr(self._simulation, self._quantity.of)

    @property
    def shape(self) -> tuple[int, ...]:
        """(worlds, columns), or (worlds, columns, numbers)."""
        return self._simulation.worlds, len(self.columns), *self._quantity.numbers

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        """The values as an array."""
        return np.asarray(self._simulation.read(self._quantity.name), dtype)

    def __getitem__(self, key) -> np.ndarray:
        """Values by world and column."""
        return np.asarray(self)[self._key(key)]

    def __setitem__(self, key, value) -> None:
        """Set values by world and column; the rest stays."""
        key = self._key(key)
        values = np.array(self if self._steps else self._simulation.base_value(self._quantity.name))
        values[key] = value
        named = np.zeros(self.shape, bool)
        named[key] = True
        worlds = np.flatnonzero(named.reshape(len(self), -1).any(1))
        if len(worlds):
            everywhere = len(worlds) == len(self)
            chosen = (values, None) if everywhere else (values[worlds], worlds)
            columns = np.flatnonzero(named.any(0).reshape(len(self.columns), -1).any(1))
            self._simulation.write_columns(self._quantity.name, *chosen, columns, self._steps)

    def __len__(self) -> int:
        return self._simulation.worlds

    def __repr__(self) -> str:
        return f"{self._quantity.name} {np.asarray(self)!r}"

    def _key(self, key):
        """Names in the second place become columns."""
        if isinstance(key, str):
            raise IndexError(f"{key!r}: worlds come first; write [:, {key!r}]")
        if isinstance(key, tuple) and len(key) > 1:
            return key[0], resolve_key(key[1], self.columns, self._quantity.of), *key[2:]
        return key


class Field:
    """Declares a quantity of a simulation.

    Args:
        row: its name in the tables of `layout`.
        meaning: what it is, with unit and shape.
        of: what its columns are: dof | link | articulation | maximal_joint | tendon | axis (of the world).
        numbers: shape of a column, () or (n,).
        readonly: why it cannot be set.
    """

    def __init__(self, row: str, meaning: str, of: str = "dof", numbers: int = 1, readonly: str = ""):
        self.row, self.__doc__, self.of, self.readonly = row, meaning, of, readonly
        self.numbers = (numbers,) if numbers > 1 else ()

    def __set_name__(self, owner, name: str) -> None:
        """Remember the attribute's name."""
        self.name = name

    def __get__(self, simulation, owner=None):
        """Return a view of this quantity of one simulation."""
        return self if simulation is None else View(simulation, self)

    def __set__(self, simulation, value) -> None:
        """Set every world's values; broadcasts."""
        View(simulation, self)[:] = value


class Derived(Field):
    """Declares a quantity that follows from others: what bounds a degree of freedom is at.

    Args:
        law: of a simulation, returns -1, 0 or 1 as an array, (W, D).
        meaning: what it is, with shape.
    """

    def __init__(self, law, meaning: str):
        super().__init__("", meaning, readonly="it follows from the last step")
        self.law = law
