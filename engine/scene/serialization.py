"""Scenes as JSON and back: objects with the fields that differ from their defaults, checked by their types."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from math import isinf, isnan
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from .copied_items import KINDS, CopyFinder, CopyMaker
from .frame import Pose
from .scene import Scene

MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError, MemoryError)
"""Exceptions of JSON that does not describe a scene."""

WORDS = {
    ("Axis", "token"): ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"),
    ("Joint", "axis"): ("X", "Y", "Z"),
    ("Scene", "precision"): ("f32", "f64"),
    ("TimeSamples", "parameter"): ("target_q", "target_qd", "stiffness", "damping", "max_force", "lower", "upper"),
}
"""Texts that a field may have, by class and name."""

PLAIN = (float, str, NoneType)
"""Types of most values, which JSON has as they are."""

LARGEST = 1 << 53  # of the integers that all readers of JSON keep


def to_json(scene: Scene) -> str:
    """Return a scene as one line of JSON; numbers are preserved exactly."""
    return json.dumps(as_plain(scene))


def from_json(text: str) -> Scene:
    """Return the scene of a JSON text.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError: the text does not describe one.
    """
    return from_plain(Scene, json.loads(text))


def as_plain(value: Any) -> Any:
    """Return a dataclass, tuple, enumeration or plain value as objects, lists and plain values of JSON."""
    if isinstance(value, dict):
        return {name: as_plain(said) for name, said in value.items()}
    if type(value) in PLAIN:
        return value
    if is_dataclass(value):
        held = vars(value)
        return {name: as_plain(said) for name, default in _defaults(type(value)) if (said := held[name]) != default}
    if isinstance(value, tuple):
        return _plain_items(value) if value and isinstance(value[0], KINDS) else list(map(as_plain, value))
    return value.name if isinstance(value, Enum) else value


@cache
def _defaults(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a dataclass with their defaults."""
    return tuple((field.name, field.default) for field in fields(kind))


def _plain_items(items: tuple[Any, ...]) -> list[Any]:
    """Return items of a scene, of which those that equal others refer to them."""
    finder = CopyFinder()
    return [as_plain(item if (said := finder.find(i, item)) is None else said) for i, item in enumerate(items)]


def from_plain(kind: Any, value: Any) -> Any:
    """Return the value of a type that `as_plain` described.

    Each part must have the type of its field. No number is NaN, and no part of a vector infinite.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError: the value does not describe one.
    """
    return _reader(kind)(value)


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function that converts plain JSON values to a type."""
    if isinstance(kind, type) and is_dataclass(kind):
        readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
        readers |= {name: _one_of(WORDS[owner, name]) for owner, name in WORDS if owner == kind.__name__}
        return lambda said: kind(**{name: readers[name](value) for name, value in said.items()})
    if get_origin(kind) is UnionType:
        read = _reader(get_args(kind)[0])
        return lambda said: None if said is None else read(said)
    if get_origin(kind) is tuple and Ellipsis in get_args(kind):
        read, items = _reader(get_args(kind)[0]), get_args(kind)[0] in KINDS
        return lambda said: (_read_items if items else _read_all)(read, _of(list, said))
    if get_origin(kind) is tuple:
        vector = {*get_args(kind)} == {float}  # of a pose: an infinite limit has a field of its own
        parts = tuple(_finite if vector else _reader(part) for part in get_args(kind))
        return lambda said: tuple(read(x) for read, x in zip(parts, _of(list, said), strict=True))
    if kind is Any:
        return lambda said: said
    if issubclass(kind, Enum):
        return lambda said: kind[_of(str, said)]
    return {float: _number, int: _whole}.get(kind, lambda said: _of(kind, said))


def _read_all(read: Callable[[Any], Any], said: list[Any]) -> tuple[Any, ...]:
    return tuple(map(read, said))


def _read_items(read: Callable[[Any], Any], said: list[Any]) -> tuple[Any, ...]:
    """Return the items of a scene that `_plain_items` described."""
    maker, poses, found = CopyMaker(), _reader(tuple[Pose, ...]), []
    for number, each in enumerate(said):
        if "copy" in each:
            ends = _of(str, each["from"]), _of(str, each["to"])
            found.append(maker.make(_whole(each["copy"]), ends, poses(each.get("poses", []))))
        else:
            found.append(read(each))
            maker.keep(number, found[-1])
    return tuple(found)


def _of(kind: type, said: Any) -> Any:
    """Return a value of exactly this type."""
    if type(said) is not kind:
        raise TypeError(f"{str(said)[:40]}: must be {kind.__name__}")
    return said


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str]:
    """Return a function that passes these texts only."""

    def read(said: Any) -> str:
        if said not in words:
            raise ValueError(f"{str(said)[:40]}: must be one of {', '.join(words)}")
        return said

    return read


def _number(said: Any) -> float:
    """Return a number that is not NaN; whole numbers are kept."""
    if type(said) is int:
        return _whole(said)
    if isnan(_of(float, said)):
        raise ValueError("NaN: must be a number")
    return said


def _finite(said: Any) -> float:
    """Return a finite number."""
    if isinf(_number(said)):
        raise ValueError(f"{said}: must be finite")
    return said


def _whole(said: Any) -> int:
    """Return an integer."""
    if abs(_of(int, said)) > LARGEST:
        raise OverflowError(f"{str(said)[:40]}: must be at most {LARGEST}")
    return said
