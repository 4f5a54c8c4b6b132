"""Copies of the values of a field, read-only: an assignment to one would be lost."""

from typing import Any

import numpy as np


class FieldCopy(np.ndarray):
    """Values of a field as a read-only array; results of operators and functions are ordinary arrays.

    `sim.q[0] += 1` sets the field, because the result of the operator is assigned; `sim.q[0][1] = 1` raises.
    """

    field = ""

    @classmethod
    def of(cls, values: np.ndarray, field: str) -> np.ndarray:
        """Return an array's values as a copy of a field; a single number stays a number."""
        if not isinstance(values, np.ndarray):
            return values
        copy = values.view(cls)
        copy.field = field
        copy.flags.writeable = False
        return copy

    def __array_finalize__(self, source: Any) -> None:
        """Keep the name of the field in parts of the array."""
        self.field = getattr(source, "field", "")

    def __array_wrap__(self, array: np.ndarray, *_: Any) -> Any:
        """Return a result of a function as an ordinary array, or as a number."""
        return np.asarray(array)[()]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set values of a writable copy.

        Raises:
            ValueError: the array is read-only.
        """
        if not self.flags.writeable:
            raise ValueError(
                f"{self.field}: a copy is read-only; assign sim.{self.field}[world, column] = value, "
                f"or change sim.{self.field}[...].copy()"
            )
        super().__setitem__(key, value)

    def copy(self, order: Any = "C") -> np.ndarray:
        """Return an ordinary array, which can be changed."""
        return np.array(self, order=order)

    def __copy__(self) -> np.ndarray:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> np.ndarray:
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickle an ordinary array."""
        return np.asarray(self).__reduce__()

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __iadd__(self, other: Any) -> Any:
        """Return the sum as a new array, which `sim.q[0] += other` then assigns; so do the other operators."""
        return np.asarray(self) + other

    def __isub__(self, other: Any) -> Any:
        return np.asarray(self) - other

    def __imul__(self, other: Any) -> Any:
        return np.asarray(self) * other

    def __itruediv__(self, other: Any) -> Any:
        return np.asarray(self) / other
