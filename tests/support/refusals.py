"""The one line with which a scene is refused."""

from pathlib import Path

import pytest

import fajin


def refusal(path: Path, overrides: tuple[str, ...] = ()) -> str:
    """The one line with which a scene is refused."""
    with pytest.raises(fajin.InvalidScene) as error:
        fajin.read(path, overrides)
    line = str(error.value)
    assert "\n" not in line
    return line


def contains(line: str, *words: str) -> bool:
    """Whether all words are in the line."""
    return all(word in line for word in words)
