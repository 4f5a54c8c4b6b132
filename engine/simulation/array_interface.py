"""NumPy's operators and methods for objects whose values are an array on a device."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

CHANGES_ARRAY = {"sort", "fill", "resize", "put", "partition", "setflags", "setfield", "itemset", "byteswap"}
METHODS = sorted(name for name in dir(np.ndarray) if not name.startswith("_") and name not in CHANGES_ARRAY)


class ArrayInterface(NDArrayOperatorsMixin):
    """Base class with operators, comparisons and methods of arrays; operators in place assign to the object."""

    __slots__ = ()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """Return a copy of the values as an array."""
        raise NotImplementedError

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set values."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Return the name of the values, for messages."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy to the values; an output that is such an object is assigned."""
        given = options.pop("out", ())
        arrays = [np.asarray(value) if isinstance(value, ArrayInterface) else value for value in inputs]
        if not given:
            return getattr(ufunc, method)(*arrays, **options)
        outputs = tuple(np.asarray(value) if isinstance(value, ArrayInterface) else value for value in given)
        getattr(ufunc, method)(*arrays, **options, out=outputs)
        for target, values in zip(given, outputs, strict=True):
            if isinstance(target, ArrayInterface):
                target[...] = values
        return given[0] if len(given) == 1 else given

    def __getattr__(self, name: str) -> Any:
        """Return an attribute or a method of the values.

        Raises:
            AttributeError: an array does not have that name, or the method would change a copy.
        """
        if name in METHODS:
            return getattr(np.asarray(self), name)
        if name.startswith("_"):
            raise AttributeError(name)
        if name in CHANGES_ARRAY:
            raise AttributeError(f"{self.name}.{name} would change a copy; assign: sim.{self.name}[:] = values")
        near = get_close_matches(name, dir(self), 1)
        raise AttributeError(f"{self.name} has no {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *METHODS})

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __contains__(self, value: Any) -> bool:
        return value in np.asarray(self)

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __float__(self) -> float:
        return float(np.asarray(self).item())

    def __reduce__(self) -> Any:
        """Pickle the values as an array."""
        return np.asarray(self).__reduce__()
