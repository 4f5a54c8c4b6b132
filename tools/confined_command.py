"""A command that edits a scene which may be hostile, run by a child process with limits."""

import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from fajin.atomic_write import make_folder
from fajin.author.confined_edits import written_by
from fajin.sandbox.limits import NONE, VARIABLE, current_limits
from fajin.sandbox.request import Request

from .table import print_lines


def confine_command(name: str, scene: Path, output: Path | None) -> None:
    """Run the command in a child process, which writes only into the folder of the output; return without limits.

    The child calls this function, too, and has no limits to set.

    Args:
        name: the command or its group, the first of the words that the child repeats.
        scene: the file to edit.
        output: the layer that receives the edits; None: the scene itself.

    Raises:
        InvalidScene: the file breaks a limit, or the child dies.
        OutputError: the folder of the output cannot be created.
        SystemExit: the child has run the command, with its exit code.
    """
    limits = current_limits()
    if limits is None:
        return
    if limits.root:
        Request("fajin.usd.write.writer:list_layers", scene, {"root": limits.root}, limits).answer()
    path = Path(output or scene)
    make_folder(path)
    words = sys.argv[sys.argv.index(name) :]
    done = written_by(Request(f"{__name__}:repeat_command", scene, {"words": words}, limits, path.parent), path)
    print_lines(done["out"].splitlines())
    print(done["err"], end="", file=sys.stderr)
    raise SystemExit(done["code"])


def prepare() -> None:
    """Load what the child needs, in the server that forks it."""
    from fajin.author import layer_edits

    layer_edits.prepare()


def repeat_command(path: str, words: list[str]) -> dict[str, Any]:
    """Return what a command prints, and its exit code; in the child, after limits were set.

    Args:
        path: the scene, which is among the words.
        words: the command line after options of `fajin` itself.
    """
    from .cli import exit_code

    os.environ[VARIABLE] = NONE  # it starts no further child
    sys.argv = ["fajin", *words]
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code()
    return {"out": out.getvalue(), "err": err.getvalue(), "code": code or 0}
