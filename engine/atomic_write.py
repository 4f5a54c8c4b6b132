"""Outputs that appear whole or not at all: written in a hidden folder beside their place, then renamed into it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class OutputError(OSError):
    """An output that cannot be written; the message names file, cause and mend in one line."""

    @classmethod
    def of(cls, path: Path, error: OSError) -> "OutputError":
        """The error of an output that the system did not take."""
        return cls(f"{path}: cannot be written ({error.strerror or error}); make room or choose another folder")


@contextmanager
def staging_directory(path: Path) -> Iterator[Path]:
    """A hidden folder beside `path`, on the same disk, that is gone afterwards.

    Raises:
        OutputError: the folder of `path` does not exist or does not take files.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise OutputError.of(path, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def commit(source: Path, path: Path) -> None:
    """Put a finished file or folder of a workspace in its place, over what was there."""
    for file in sorted(source.rglob("*")) if source.is_dir() else (source,):
        if file.is_file():
            _flush(file)
    if source.is_dir() and path.exists():
        path.rename(source.with_name(f"{source.name}.old"))
    source.replace(path)


def commit_if_absent(source: Path, path: Path) -> bool:
    """Put a finished file of a workspace in its place unless something is there; return whether it was put.

    Of several processes, on several machines, that do this at the same moment, one does.
    """
    _flush(source)
    try:
        path.hardlink_to(source)
    except FileExistsError:
        return False
    except OSError:  # a disk without hard links
        if path.exists():
            return False
        source.replace(path)
    return True


def _flush(file: Path) -> None:
    """Have the bytes on the disk before the name: a crash must not leave a name without its bytes."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
