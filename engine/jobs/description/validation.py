"""Validation of plain JSON values against types."""

import reprlib
from dataclasses import fields, is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from .. import InvalidJob

NOUNS = {str: "text", int: "a whole number", float: "a finite number", NoneType: "null"}


def shown(value: Any) -> str:
    """Return a shortened representation of a value for a message."""
    return " ".join(reprlib.repr(value).split())


def validate(value: Any, kind: Any, place: str, mend: str) -> None:
    """Raise InvalidJob if a plain value does not have a type; the message names the place inside the value.

    Args:
        value: JSON value.
        kind: str, int, float (finite), tuple[X, ...] (a list), dict[str, X], X | None, or a dataclass whose fields
            are all required.
        place: place of the value, for the message.
        mend: fix, the end of the message.
    """
    if isinstance(kind, type) and is_dataclass(kind):
        _check_fields(value, kind, place, mend)
    elif get_origin(kind) is UnionType:
        if value is not None:
            validate(value, get_args(kind)[0], place, mend)
    elif get_origin(kind) in (tuple, dict):
        listed, of = (list, get_args(kind)[0]) if get_origin(kind) is tuple else (dict, get_args(kind)[1])
        if not isinstance(value, listed):
            raise _wrong(value, "a list" if listed is list else "an object", place, mend)
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            validate(part, of, f"{place}[{shown(key)}]", mend)
    elif kind is not Any and not _is(value, kind):
        raise _wrong(value, NOUNS[kind], place, mend)


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and abs(value) <= 1e308 and isfinite(value)
    return type(value) is kind


def _check_fields(value: Any, kind: type, place: str, mend: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(value, "an object", place, mend)
    hints = get_type_hints(kind)
    for field in fields(kind):
        if field.name not in value:
            raise InvalidJob(f"{place}: must have {field.name}; {mend}")
        validate(value[field.name], hints[field.name], f"{place}.{field.name}", mend)
    unknown = sorted(set(value) - set(hints))
    if unknown:
        raise InvalidJob(f"{place}: must not have {shown(unknown[0])}; {mend}")


def _wrong(value: Any, noun: str, place: str, mend: str) -> InvalidJob:
    return InvalidJob(f"{place} = {shown(value)}: must be {noun}; {mend}")
