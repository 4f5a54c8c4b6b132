"""Named fields of a simulation as array views: `sim.target_q[:, "elbow"] = 0.4`."""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..device.copies_state import AnyState
from ..selection import resolve_key
from ..tables.layout import PARAMETERS
from .array_interface import ArrayInterface
from .clock import Clock
from .columns import Columns
from .field_copy import FieldCopy


class FieldValues(Protocol):
    """Values of fields by name; `FieldAccess` reads and writes them."""

    state: AnyState
    columns: Columns
    clock: Clock

    def read(self, name: str) -> np.ndarray:
        """Return a field of all worlds."""
        ...

    def base_value(self, name: str) -> np.ndarray:
        """Return a field of all worlds without values that hold for some steps only."""
        ...

    def write_columns(
        self, name: str, values: np.ndarray, worlds: np.ndarray | None, columns: np.ndarray, steps: int | None
    ) -> None:
        """Set a field of some worlds, and wake the articulations of some columns."""
        ...


class FieldOwner(Protocol):
    """An object with fields."""

    @property
    def _fields(self) -> FieldValues: ...


class View(ArrayInterface):
    """Values of one field, by world and column, with `columns` as names, which behave as an array.

    Reading returns read-only copies; assigning and operators in place write: `sim.target_q += 0.1`.
    """

    __slots__ = ("_fields", "_quantity", "_steps")  # an assignment to a misspelt name raises

    def __init__(self, fields: FieldValues, quantity: "Field", steps: int | None = None):
        self._fields, self._quantity, self._steps = fields, quantity, steps

    @property
    def once(self) -> "View":
        """Return a view whose assignments hold for the next step only: `sim.force.once[:, "hand"] = push`."""
        return self.for_steps(1)

    def for_steps(self, steps: int) -> "View":
        """Return a view whose assignments hold for that many steps; the previous values are then restored."""
        return View(self._fields, self._quantity, steps)

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns: degrees of freedom, links, articulations, maximal joints, tendons, axes or pairs."""
        return self._fields.columns.names(self._quantity.of)

    @property
    def shape(self) -> tuple[int, ...]:
        """(worlds, columns), or (worlds, columns, numbers)."""
        return self._fields.state.worlds, len(self.columns), *self._quantity.numbers

    @property
    def name(self) -> str:
        """Return the name of the field."""
        return self._quantity.name

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """Return the values as an array.

        Raises:
            ValueError: `copy` is False.
        """
        if copy is False:
            raise ValueError(f"{self.name}: must be copied; the values are on the device")
        return np.asarray(self._fields.read(self._quantity.name), dtype)

    def __getitem__(self, key: Any) -> np.ndarray:
        """Return a read-only copy of values by world and column."""
        return FieldCopy.of(np.asarray(self)[self._key(key)], self.name)

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        """Set values by world and column; other values stay.

        Raises:
            TypeError, ValueError: a value is not a number, is against the rule of the field, or has another shape.
        """
        key = self._key(key)
        values = np.array(self if self._steps else self._fields.base_value(self._quantity.name))
        self._put(values, key, value)
        named = np.zeros(self.shape, bool)
        named[key] = True
        worlds = np.flatnonzero(named.reshape(len(self), -1).any(1))
        if len(worlds):
            everywhere = len(worlds) == len(self)
            chosen = (values, None) if everywhere else (values[worlds], worlds)
            columns = np.flatnonzero(named.any(0).reshape(len(self.columns), -1).any(1))
            self._fields.write_columns(self._quantity.name, *chosen, columns, self._steps)

    def _put(self, values: np.ndarray, key: Any, value: ArrayLike) -> None:
        """Set values by key."""
        try:
            given = np.asarray(value)
        except ValueError:  # rows of several lengths
            given = np.array(None)
        if given.dtype.kind not in "fiub":
            raise TypeError(f"{self.name} = {reprlib.repr(value)}: must be numbers; give a number or an array of them")
        if given.ndim and (wanted := values[key].shape) != given.shape:
            try:
                np.broadcast_to(given, wanted)
            except ValueError:
                fix = "give one number, or as many as that"
                raise ValueError(f"{self.name}: has shape {given.shape}: must fit {wanted}; {fix}") from None
        values[key] = given

    def __len__(self) -> int:
        return self._fields.state.worlds

    def __repr__(self) -> str:
        return f"{self._quantity.name} {np.asarray(self)!r}"

    def is_of(self, fields: FieldValues, quantity: "Field") -> bool:
        """Return whether the view is of this field of this simulation."""
        return self._fields is fields and self._quantity is quantity

    def _key(self, key: Any) -> Any:
        """Return the key with names in the second place replaced by columns."""
        if isinstance(key, str):
            raise IndexError(f"[{key!r}]: must start with worlds; write [:, {key!r}]")
        if isinstance(key, tuple) and len(key) > 1:
            return key[0], resolve_key(key[1], self.columns, self._quantity.of), *key[2:]
        return key


class Field:
    """Declares a field of a simulation.

    Args:
        row: name of the row in the tables of `layout`.
        meaning: description with unit and shape.
        of: kind of the columns: dof | link | articulation | maximal_joint | maximal_dof | actuator | bound_point |
            tendon | axis (of the world) | pair (of colliders).
        numbers: size of a column.
        readonly: reason why the field cannot be set; "" if it can.
    """

    def __init__(self, row: str, meaning: str, of: str = "dof", numbers: int = 1, readonly: str = ""):
        self.row, self.__doc__, self.of, self.readonly = row, meaning, of, readonly
        self.numbers = (numbers,) if numbers > 1 else ()
        self.width = numbers

    @property
    def rule(self) -> str:
        """Return the rule of its values, a key of `VALUES`; a state is finite."""
        return PARAMETERS[self.row].values if self.row in PARAMETERS else "any"

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the attribute's name."""
        self.name = name

    @overload
    def __get__(self, simulation: None, owner: type) -> "Field": ...
    @overload
    def __get__(self, simulation: FieldOwner, owner: type) -> View: ...
    def __get__(self, simulation: FieldOwner | None, owner: type | None = None) -> "Field | View":
        """Return a view of this field of one simulation."""
        return self if simulation is None else View(simulation._fields, self)

    def __set__(self, simulation: FieldOwner, value: ArrayLike) -> None:
        """Set the values of all worlds, with broadcasting; a view of this field has set them already (`sim.q += 1`)."""
        if not (isinstance(value, View) and value.is_of(simulation._fields, self)):
            View(simulation._fields, self)[:] = value


class Derived(Field):
    """Declares a field computed from other fields: the bounds that a degree of freedom is at, forces on links.

    Args:
        law: function of the fields that returns the values, (W, columns) or (W, columns, numbers).
        meaning: description with shape.
        of: kind of the columns, as of `Field`.
        numbers: size of a column.
    """

    def __init__(self, law: Callable[[FieldValues], np.ndarray], meaning: str, of: str = "dof", numbers: int = 1):
        super().__init__("", meaning, of, numbers, "it follows from the last step")
        self.law = law
