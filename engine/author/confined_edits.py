"""Edits in a child process with limits, of scenes which may be hostile."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..atomic_write import make_folder
from ..sandbox.confined_rest import continue_in_child
from ..sandbox.limits import current_limits
from ..sandbox.request import Request
from .change import Change

EDITS = "fajin.author.layer_edits"
Edit = tuple[str, str, dict[str, Any]]
"""Name of a function of this package, path of its prim or "" for the stage, and its other arguments."""


def confine_edits(scene: str | Path, output: str | Path | None = None) -> None:
    """Return in a child process with limits, which writes only into the folder of the output, unless there are none.

    Args:
        scene: the file to edit.
        output: the layer that receives the edits; None: the scene itself.

    Raises:
        InvalidScene: the file breaks a limit, or the child dies.
        OutputError: the folder of the output cannot be created.
        SystemExit: in the process that calls, when the child has ended.
    """
    limits = current_limits()
    if limits is None or not hasattr(os, "fork"):
        return
    if limits.root:
        Request("fajin.usd.write.writer:list_layers", scene, {"root": limits.root}, limits).answer()
    path = Path(output or scene)
    make_folder(path)
    continue_in_child(scene, limits, path.parent)


def write_edits(scene: str | Path, output: str | Path, edits: Sequence[Edit], seconds: float = 0.0) -> list[Change]:
    """Write edits to a layer over a scene, in a child process with limits, unless there are none; return the changes.

    Args:
        scene: the file to edit.
        output: the layer.
        edits: the edits, values for JSON.
        seconds: time at which the layer ends [s]; 0 to leave it.

    Raises:
        InvalidScene: as of `layer`; or the scene breaks a limit.
        OutputError: as of `layer`.
    """
    asked = {"edits": list(edits), "seconds": seconds}
    return changes_of(write_layer(f"{EDITS}:author_edits", scene, output, asked))


def write_layer(function: str, scene: str | Path, output: str | Path, arguments: dict[str, Any]) -> Any:
    """Return the value of a function that writes a layer over a scene, called in a child unless there are no limits.

    Args:
        function: "module:name", called with `path`, `output`, `root` and the arguments.
        scene: the file to edit.
        output: the layer; the child may write into its folder.
        arguments: further arguments, values for JSON.

    Raises:
        InvalidScene, OutputError: the function raised it, or the scene breaks a limit.
    """
    limits, asked = current_limits(), {"output": str(output), **arguments}
    module, _, name = function.partition(":")
    if limits is None:
        return getattr(import_module(module), name)(str(scene), **asked, root="")
    make_folder(Path(output))
    asked["root"] = limits.root
    answer = Request(function, scene, asked, limits, Path(output).parent).answer()
    if "pxr" in sys.modules:
        import_module("fajin.usd.write.writer").reload_layers([Path(output)])
    return answer


def changes_of(plain: Any) -> list[Change]:
    """Return the changes that a child has described."""
    return [Change(**said) for said in plain]


def survive(scene: str | Path, layers: Sequence[str | Path]) -> None:
    """Have a child process with limits open a scene, and layers over it, unless there are no limits.

    Raises:
        InvalidScene: a file is not USD, breaks a limit, or kills the child.
    """
    if limits := current_limits():
        asked = {"layers": [str(file) for file in layers], "root": limits.root}
        Request(f"{EDITS}:read_all", scene, asked, limits).answer()
