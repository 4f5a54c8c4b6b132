"""Edits in a child process with limits, for commands that edit a scene which may be hostile."""

import os
from pathlib import Path

from ..atomic_write import make_folder
from ..sandbox.confined_rest import continue_in_child
from ..sandbox.limits import current_limits
from ..sandbox.request import Request


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
