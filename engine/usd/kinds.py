"""Kinds of values: which USD types stand for a number, a switch, a vector, a token, and what they are in Python.

A file may declare any type under any name, and USD gives back what the file holds, not what a schema declares. A
value of another type counts where it means one thing and nothing is lost, as in PhysX: 90 of type int, half or double
is 90.0. Anything else is no value of that kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Gf, Vt

LONGEST = 80  # letters of a value that a message quotes
VECTORS = (Gf.Vec3f, Gf.Vec3d, Gf.Vec3h, Gf.Vec3i)
QUATERNIONS = (Gf.Quatf, Gf.Quatd, Gf.Quath)
WHOLE_ARRAYS = (Vt.IntArray, Vt.UIntArray, Vt.Int64Array, Vt.UInt64Array, Vt.UCharArray)
NUMBER_ARRAYS = (Vt.FloatArray, Vt.DoubleArray, Vt.HalfArray, *WHOLE_ARRAYS)
POINT_ARRAYS = (Vt.Vec3fArray, Vt.Vec3dArray, Vt.Vec3hArray)
TOKEN_ARRAYS = (Vt.TokenArray, Vt.StringArray)


@dataclass(frozen=True)
class Kind:
    """What an attribute holds: its name in messages, and a function from what USD returns to Python, else None."""

    name: str
    read: Callable[[Any], Any]


def number(value: Any) -> float | None:
    """A float."""
    return float(value) if type(value) in (float, int, bool) else None


def whole(value: Any) -> int | None:
    """An int; a number that is whole counts."""
    if type(value) in (int, bool):
        return int(value)
    return int(value) if type(value) is float and value.is_integer() else None


def switch(value: Any) -> bool | None:
    """A bool; 0 and 1 count."""
    return bool(value) if type(value) in (bool, int, float) and value in (0, 1) else None


def vector(value: Any) -> tuple[float, ...] | None:
    """Three floats."""
    return tuple(map(float, value)) if type(value) in VECTORS else None


def quaternion(value: Any) -> tuple[float, ...] | None:
    """(x, y, z, w)."""
    if type(value) in QUATERNIONS:
        return (*map(float, value.GetImaginary()), float(value.GetReal()))
    return value if type(value) is tuple and len(value) == 4 else None


def numbers(value: Any) -> tuple[float, ...] | None:
    """Any number of floats; a single one counts."""
    if type(value) in NUMBER_ARRAYS:
        return tuple(map(float, value))
    return (float(value),) if type(value) in (float, int) else None


def token(value: Any) -> str | None:
    """A token; a string counts."""
    return value if type(value) is str else None


def tokens(value: Any) -> tuple[str, ...] | None:
    """Any number of tokens; a single one counts."""
    if type(value) in TOKEN_ARRAYS:
        return tuple(value)
    return (value,) if type(value) is str else None


def points(value: Any) -> np.ndarray | None:
    """Points (N, 3)."""
    return np.array(value, float).reshape(-1, 3) if type(value) in POINT_ARRAYS else None


def indices(value: Any) -> np.ndarray | None:
    """Whole numbers (N,)."""
    return np.array(value, np.int64) if type(value) in WHOLE_ARRAYS else None


NUMBER = Kind("a number", number)
WHOLE = Kind("a whole number", whole)
SWITCH = Kind("true or false", switch)
VECTOR = Kind("a vector of three numbers", vector)
QUATERNION = Kind("a quaternion", quaternion)
NUMBERS = Kind("an array of numbers", numbers)
TOKEN = Kind("a token", token)
TOKENS = Kind("an array of tokens", tokens)
POINTS = Kind("an array of points", points)
INDICES = Kind("an array of whole numbers", indices)
VALUES = {bool: SWITCH, int: WHOLE, float: NUMBER}
LENGTHS = {0: NUMBERS, 3: VECTOR, 4: QUATERNION}


def kind_of(default: Any, of_tokens: bool) -> Kind:
    """The kind that values have of which one is `default`."""
    if of_tokens:
        return TOKENS if isinstance(default, tuple) else TOKEN
    return LENGTHS[len(default)] if isinstance(default, tuple) else VALUES[type(default)]


def quoted(value: Any) -> str:
    """A value as a message quotes it: in one line, and not longer than LONGEST letters."""
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
