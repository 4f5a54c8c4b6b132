"""Edits of layers as plain values of JSON, for the child process that writes them."""

from collections.abc import Sequence
from typing import Any

from ..usd.read.plain_scene import prepare as prepare
from ..usd.stage.open_stage import open_stage
from .change import Change
from .drive import drive
from .envelope import envelopes
from .layer import is_sound, layer
from .scene import scene
from .target_samples import target_samples

FUNCTIONS = {"drive": drive, "envelopes": envelopes, "scene": scene, "target_samples": target_samples}


def author_edits(
    path: str, output: str, edits: Sequence[tuple[str, str, dict[str, Any]]], seconds: float, root: str
) -> list[Any]:
    """Write edits to a layer over a scene; return the changes, as of `plain_changes`.

    Args:
        path: the scene.
        output: the layer.
        edits: (key of FUNCTIONS, path of its prim or "" for the stage, its other arguments).
        seconds: time at which the layer ends [s]; 0 to leave it.
        root: folder that must contain all layers.

    Raises:
        InvalidScene, OutputError: as of `layer`.
    """
    open_stage(path, root)
    changes: list[Change] = []
    with layer(path, output, trusted=True) as stage:
        for name, prim, arguments in edits:
            changes += FUNCTIONS[name](stage.GetPrimAtPath(prim) if prim else stage, **arguments)
        if seconds:
            written = stage.GetEditTarget().GetLayer()
            written.startTimeCode, written.endTimeCode = 0.0, seconds * stage.GetTimeCodesPerSecond()
    return plain_changes(changes)


def read_all(path: str, layers: Sequence[str], root: str) -> list[bool]:
    """Return whether a scene, and layers over it, can be simulated; USD opens all of them.

    Raises:
        InvalidScene: one is not a USD file, or not harmless.
    """
    return [is_sound(open_stage(file, root)[0]) for file in (path, *layers)]


def plain_changes(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return changes as objects of JSON: vectors as lists, values without such a type as text."""
    return [{name: _plain(value) for name, value in vars(change).items()} for change in changes]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return [_plain(item) for item in value] if hasattr(value, "__iter__") else str(value)
