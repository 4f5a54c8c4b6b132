"""Findings as plain values of JSON, for the child process that checks a file."""

from collections.abc import Sequence
from typing import Any

from ..scene import Scene
from ..scene.serialization import as_plain, from_plain
from ..usd.read.plain_scene import prepare as prepare
from .finding import Edit, Finding
from .runner import check_here


def check_plain(path: str, overrides: Sequence[str], scene: Any, root: str, profile: str = "") -> list[Any]:
    """Return the findings of `check_here` for JSON; `scene` as of `as_plain`."""
    simulated = None if scene is None else from_plain(Scene, scene)
    return [_plain_finding(finding) for finding in check_here(path, overrides, simulated, root, profile)]


def _plain_finding(finding: Finding) -> dict[str, Any]:
    return {**as_plain(finding), "edits": [_plain_edit(edit) for edit in finding.edits]}


def _plain_edit(edit: Edit) -> dict[str, Any]:
    """Return an edit with its value as text if JSON does not have its type."""
    value = edit.value if isinstance(edit.value, bool | int | float | str | None) else str(edit.value)
    return {"kind": edit.kind, "prim": edit.prim, "name": edit.name, "value": value}
