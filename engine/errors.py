"""Errors for invalid input."""

from operator import index
from typing import Any


class InputError(ValueError):
    """Invalid input; the message gives its name, value, rule and fix in one line."""


def whole(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return an integer, including NumPy integers.

    Raises:
        TypeError: `value` is not an integer: a float, a bool or a string.
        ValueError: `value` is below `least` or above `most`.
    """
    try:
        number = index(value)
    except TypeError:
        number = None
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} = {value!r}: must be a whole number {bounds}; give an int")
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} = {value}: must be a whole number {bounds}")
    return number
