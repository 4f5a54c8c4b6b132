"""A command of fajin in this process, where Taichi and the kernels are loaded already."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from fajin.tools.cli import main
from fajin.tools.progress import COMPILING


def without_compiling(errors: str) -> str:
    """Errors of a command without the line on compiling kernels, which depends on the cache."""
    return "".join(line for line in errors.splitlines(True) if not line.startswith(f"fajin: {COMPILING}"))


@contextlib.contextmanager
def working_folder(folder: Path | None) -> Iterator[None]:
    """Change the working folder for a while."""
    before = Path.cwd()
    os.chdir(folder or before)
    try:
        yield
    finally:
        os.chdir(before)


def fajin_here(*words, cwd: Path | None = None) -> subprocess.CompletedProcess:
    """Run a command line to its end; return exit code, output and errors."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    argv = mock.patch.object(sys, "argv", ["fajin", *map(str, words)])
    with working_folder(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), argv:
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(words, code or 0, out.getvalue(), without_compiling(err.getvalue()))
