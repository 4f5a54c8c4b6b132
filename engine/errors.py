"""Errors for invalid input."""

from operator import index
from typing import Any


class InputError(ValueError):
    """Invalid input; the message gives its name, value, rule and fix in one line."""


LONGEST_REASON = 120
LONGEST_LINE = 1_000  # letters of an error


def one_line(text: object) -> str:
    """Return a text as one line, with escapes for characters that a terminal might obey."""
    line = " ".join(str(text).split())
    return line if line.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def shorten(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters; an ellipsis stands for the middle of a longer one."""
    if len(text) <= longest:
        return text
    head, tail = longest // 2, (longest - 1) // 2
    return f"{text[:head]}…{text[len(text) - tail :]}"


def reason_of(error: object) -> str:
    """Return the text of an error as one line of at most LONGEST_REASON characters."""
    return shorten(one_line(error), LONGEST_REASON)


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
