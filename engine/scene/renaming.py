"""Parts of a scene with other paths: a part is analysed once, and each copy takes a few assignments."""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

Part = TypeVar("Part")
Maker = Callable[[str], Any]


class Renaming:
    """Copies of parts of a scene: tuples, texts and frozen dataclasses; what holds no path is shared with the part.

    Args:
        split: a text as the pieces between which a copy has its path; one piece for a text that stays.
    """

    def __init__(self, split: Callable[[str], list[str]]):
        self._split = split
        self._makers: dict[int, tuple[Any, Maker | None]] = {}

    @classmethod
    def below(cls, path: str) -> "Renaming":
        """Return the renaming of a path, and of all paths below it, wherever a text names them."""
        return cls(pattern(path).split)

    def renamed(self, part: Part, path: str) -> Part:
        """Return a copy of a part, which must not change, with a path."""
        found: Any = part
        if isinstance(part, str):
            found = path.join(self._split(part))
        elif make := self.maker(part):
            found = make(path)
        return found

    def maker(self, part: Any) -> Maker | None:
        """Return the function from a path to the copy of a part; None if all copies equal the part."""
        found = self._makers.get(id(part))
        if found is None:
            found = self._makers[id(part)] = part, self._maker(part)  # which keeps the part, and so its identity
        return found[1]

    def _maker(self, part: Any) -> Maker | None:
        """Return a function from a path to the copy; None if the copy equals the part."""
        if isinstance(part, str):
            pieces = self._split(part)
            return (lambda path: path.join(pieces)) if len(pieces) > 1 else None
        if isinstance(part, tuple):
            makers = [self._maker(each) for each in part]
            steps = list(zip(part, makers, strict=True))
            return (lambda path: tuple([m(path) if m else x for x, m in steps])) if any(makers) else None
        if is_dataclass(part) and not isinstance(part, type):
            changes = [(name, m) for name in naming(type(part)) if (m := self._maker(getattr(part, name)))]
            return _of_dataclass(part, changes) if changes else None
        return None


def changed(part: Part, changes: dict[str, Any]) -> Part:
    """Return a frozen dataclass with other values of some fields, in less time than `dataclasses.replace`."""
    copy = object.__new__(type(part))
    copy.__dict__.update(part.__dict__)
    copy.__dict__.update(changes)
    return copy


def _of_dataclass(part: Any, changes: list[tuple[str, Maker]]) -> Maker:
    """Return a function from a path to a dataclass with other values of some fields."""
    return lambda path: changed(part, {name: change(path) for name, change in changes})


@cache
def pattern(path: str) -> re.Pattern:
    """Return a pattern that matches a prim's path at the beginning of longer paths, anywhere in a text."""
    return re.compile(rf"(?<![\w/]){re.escape(path)}(?!\w)")


@cache
def naming(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that may contain paths."""
    hints = get_type_hints(kind)
    return tuple(field.name for field in fields(kind) if _holds_text(hints[field.name]))


@cache
def _holds_text(hint: Any) -> bool:
    """Return whether a value of a type may contain strings."""
    if is_dataclass(hint):
        return bool(naming(hint))  # pyright: ignore[reportArgumentType]
    return hint is str or any(map(_holds_text, get_args(hint)))
