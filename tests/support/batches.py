"""The batch command as a user runs it, and what it leaves in a folder."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as parquet
from commands import fajin_here

COMMAND = [sys.executable, "-m", "fajin", "batch"]


def fajin_batch(*options, **more) -> subprocess.CompletedProcess:
    """Run the command to its end."""
    return subprocess.run([*COMMAND, *map(str, options)], capture_output=True, text=True, check=False, **more)


def fajin_batch_here(*options) -> subprocess.CompletedProcess:
    """Run the command in this process."""
    return fajin_here("batch", *options)


def results(folder: Path) -> dict[str, list]:
    """All rows of a folder, in the order of the worlds."""
    table = parquet.read_table(folder / "metrics").sort_by("world")
    assert table["world"].to_pylist() == list(range(len(table)))
    return table.to_pydict()
