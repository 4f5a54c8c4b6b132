"""Kinds of attribute values: the USD types of numbers, bools, vectors and tokens, and their Python types.

A file may declare any type for any name, and USD returns the value of that type, not of the type that a schema
declares. As in PhysX, a value of another type is accepted if its conversion is unambiguous and lossless: 90 of type
int, half or double is 90.0. All other values are rejected.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Gf, Vt

from ...errors import shorten

LONGEST = 80  # maximum length of a value in a message
VECTORS = (Gf.Vec3f, Gf.Vec3d, Gf.Vec3h, Gf.Vec3i)
QUATERNIONS = (Gf.Quatf, Gf.Quatd, Gf.Quath)
WHOLE_ARRAYS = (Vt.IntArray, Vt.UIntArray, Vt.Int64Array, Vt.UInt64Array, Vt.UCharArray)
NUMBER_ARRAYS = (Vt.FloatArray, Vt.DoubleArray, Vt.HalfArray, *WHOLE_ARRAYS)
POINT_ARRAYS = (Vt.Vec3fArray, Vt.Vec3dArray, Vt.Vec3hArray)
TOKEN_ARRAYS = (Vt.TokenArray, Vt.StringArray)


@dataclass(frozen=True)
class Kind:
    """A kind of attribute value: its name in messages, and a function from USD values to Python values or None."""

    name: str
    read: Callable[[Any], Any]


def number(value: Any) -> float | None:
    """Return a float."""
    return float(value) if type(value) in (float, int, bool) else None


def whole(value: Any) -> int | None:
    """Return an int; a float without a fraction is accepted."""
    if type(value) in (int, bool):
        return int(value)
    return int(value) if type(value) is float and value.is_integer() else None


def switch(value: Any) -> bool | None:
    """Return a bool; 0 and 1 are accepted."""
    return bool(value) if type(value) in (bool, int, float) and value in (0, 1) else None


def vector(value: Any) -> tuple[float, ...] | None:
    """Return three floats."""
    return tuple(map(float, value)) if type(value) in VECTORS else None


def quaternion(value: Any) -> tuple[float, ...] | None:
    """Return a quaternion (x, y, z, w)."""
    if type(value) in QUATERNIONS:
        return (*map(float, value.GetImaginary()), float(value.GetReal()))
    return value if type(value) is tuple and len(value) == 4 else None


def numbers(value: Any) -> tuple[float, ...] | None:
    """Return any number of floats; a single float is accepted."""
    if type(value) in NUMBER_ARRAYS:
        return tuple(map(float, value))
    return (float(value),) if type(value) in (float, int) else None


def token(value: Any) -> str | None:
    """Return a token; a string is accepted."""
    return value if type(value) is str else None


def tokens(value: Any) -> tuple[str, ...] | None:
    """Return any number of tokens; a single token is accepted."""
    if type(value) in TOKEN_ARRAYS:
        return tuple(value)
    return (value,) if type(value) is str else None


def points(value: Any) -> np.ndarray | None:
    """Return points (N, 3)."""
    return np.array(value, float).reshape(-1, 3) if type(value) in POINT_ARRAYS else None


def indices(value: Any) -> np.ndarray | None:
    """Return integers (N,)."""
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
KINDS_OF_TUPLES = {0: NUMBERS, 3: VECTOR, 4: QUATERNION}


def kind_of(default: Any, of_tokens: bool) -> Kind:
    """Return the kind of values whose default is `default`."""
    if of_tokens:
        return TOKENS if isinstance(default, tuple) else TOKEN
    return KINDS_OF_TUPLES[len(default)] if isinstance(default, tuple) else VALUES[type(default)]


def quoted(value: Any) -> str:
    """Return a value as text for a message: one line of at most LONGEST characters."""
    return shorten(" ".join(str(value).split()), LONGEST)
