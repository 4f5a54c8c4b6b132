"""Scenes as JSON and back: objects with the fields that differ from their defaults, read by their types."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from .scene import Scene


def to_json(scene: Scene) -> str:
    """Return a scene as one line of JSON; numbers are preserved exactly."""
    return json.dumps(_plain(scene))


def from_json(text: str) -> Scene:
    """Return the scene of a JSON text.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the text does not describe a scene.
    """
    return _reader(Scene)(json.loads(text))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _plain(said) for f in fields(value) if (said := getattr(value, f.name)) != f.default}
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return value.name if isinstance(value, Enum) else value


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function that converts plain JSON values to a type."""
    if isinstance(kind, type) and is_dataclass(kind):
        readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
        return lambda said: kind(**{name: readers[name](value) for name, value in said.items()})
    if get_origin(kind) is UnionType:
        read = _reader(get_args(kind)[0])
        return lambda said: None if said is None else read(said)
    if get_origin(kind) is tuple and Ellipsis in get_args(kind):
        read = _reader(get_args(kind)[0])
        return lambda said: tuple(map(read, said))
    if get_origin(kind) is tuple:
        parts = tuple(map(_reader, get_args(kind)))
        return lambda said: tuple(read(x) for read, x in zip(parts, said, strict=True))
    return kind.__getitem__ if issubclass(kind, Enum) else lambda said: said
