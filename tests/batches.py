"""The batch command as a user runs it, and what it leaves in a folder."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pyarrow.parquet as parquet

from fajin.tools.cli import main

COMMAND = [sys.executable, "-m", "fajin", "batch"]


def fajin_batch(*options, **more) -> subprocess.CompletedProcess:
    """Run the command to its end."""
    return subprocess.run([*COMMAND, *map(str, options)], capture_output=True, text=True, check=False, **more)


def fajin_batch_here(*options) -> subprocess.CompletedProcess:
    """The same in this process, where Taichi and the kernels are there already."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    argv = mock.patch.object(sys, "argv", ["fajin", "batch", *map(str, options)])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), argv:
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(options, code or 0, out.getvalue(), err.getvalue())


def results(folder: Path) -> dict[str, list]:
    """All rows of a folder, in the order of the worlds."""
    table = parquet.read_table(folder / "metrics").sort_by("world")
    assert table["world"].to_pylist() == list(range(len(table)))
    return table.to_pydict()
