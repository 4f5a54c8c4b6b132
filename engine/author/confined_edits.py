"""Edits in a child process with limits, of scenes which may be hostile."""

import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..atomic_write import make_folder, remove_leftovers
from ..sandbox.limits import current_limits
from ..sandbox.request import Request
from .change import Change

EDITS = "fajin.author.layer_edits"
GRACE, POLL = 1.0, 0.005  # [s] for a killed child to end
Edit = tuple[str, str, dict[str, Any]]
"""Name of a function of this package, path of its prim or "" for the stage, and its other arguments."""


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
    answer = written_by(Request(function, scene, asked, limits, Path(output).parent), Path(output))
    if "pxr" in sys.modules:
        import_module("fajin.usd.write.writer").reload_layers([Path(output)])
    return answer


def written_by(request: Request, output: Path) -> Any:
    """Return the answer of a child that writes a file; where it is killed, remove what it has begun to write.

    Raises:
        InvalidScene, OutputError: as of `Request.answer`.
    """
    try:
        return request.answer()
    except BaseException:
        until = time.monotonic() + GRACE
        while remove_leftovers(output) and time.monotonic() < until:
            time.sleep(POLL)
        raise


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
