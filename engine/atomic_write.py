"""Atomic output: files are written in a hidden folder beside their destination, then renamed into it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class OutputError(OSError):
    """An output that cannot be written; the message gives file, cause and fix in one line."""

    @classmethod
    def of(cls, path: Path, error: OSError) -> "OutputError":
        """Return the error for an output that the operating system rejected."""
        return cls(f"{path}: cannot be written ({error.strerror or error}); free disk space or choose another folder")


@contextmanager
def staging_directory(path: Path) -> Iterator[Path]:
    """Yield a hidden folder beside `path`, on the same disk; the folder is removed afterwards.

    Raises:
        OutputError: the folder of `path` does not exist or is not writable.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise OutputError.of(path, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def staged_file(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which replaces `path` at the end; after an error `path` is unchanged.

    Raises:
        OutputError: the file cannot be written.
    """
    with staging_directory(path) as folder:
        try:
            yield folder / path.name
            commit(folder / path.name, path)
        except OutputError:
            raise
        except OSError as error:
            raise OutputError.of(path, error) from None


def make_folder(path: Path) -> None:
    """Create the folder of an output, with those above it, before the work of the output begins.

    Raises:
        OutputError: the folder cannot be created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError.of(path, error) from None


def commit(source: Path, path: Path) -> None:
    """Move a finished file or folder from a workspace to its destination, replacing what exists there."""
    for file in sorted(source.rglob("*")) if source.is_dir() else (source,):
        if file.is_file():
            _flush(file)
    if source.is_dir() and path.exists():
        path.rename(source.with_name(f"{source.name}.old"))
    source.replace(path)


def commit_if_absent(source: Path, path: Path) -> bool:
    """Move a finished file from a workspace to its destination unless that exists; return whether it moved.

    If several processes or machines do this at the same moment, exactly one succeeds.
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
    """Flush the bytes of a file to disk: a crash must not leave a file name without its content."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
