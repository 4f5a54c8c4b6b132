"""What is said of input that cannot be used."""

from operator import index


class InputError(ValueError):
    """Input that cannot be used; the message names it, its value, the rule and the mend in one line."""


def whole(name: str, value, least: int = 0, most: int | None = None) -> int:
    """Return a whole number, NumPy's too.

    Raises:
        TypeError: it is none: a float, a truth value, a text.
        ValueError: it is below `least`, or above `most`.
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
