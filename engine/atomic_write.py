"""Atomic output: files are written in a hidden folder beside their destination, then renamed into it."""

import errno
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class OutputError(OSError):
    """An output that cannot be written; the message gives file, cause and fix in one line."""

    @classmethod
    def of(cls, path: Path, error: OSError) -> "OutputError":
        """Return the error for an output that the operating system rejected."""
        return cls(f"{path}: cannot be written ({error.strerror or error}); free disk space or choose another folder")


LOCK = "lock"
"""File in a staging directory that its process keeps locked; a directory whose lock is free was left by a kill."""


@contextmanager
def staging_directory(path: Path, exclusive: bool = False) -> Iterator[Path]:
    """Yield a hidden folder beside `path`, on the same disk; the folder is removed afterwards.

    Folders for `path` that killed processes have left are removed.

    Args:
        path: the output.
        exclusive: True to refuse an output that another process has a staging directory for.

    Raises:
        OutputError: as of `check_name`; the folder of `path` does not exist or is not writable; or another process
            writes `path`.
    """
    check_name(path)
    folder = path.parent / f".{path.name}.{os.urandom(4).hex()}"  # known before it exists: an interrupt leaves none
    lock = None
    try:
        _make_private(folder, path)
        lock = _lock(folder)
        busy = remove_leftovers(path, folder)
        if exclusive and busy:
            raise OutputError(f"{path}: is being written by another process; wait for it, or choose another name")
        yield folder
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder also if an interrupt comes meanwhile: Ctrl-C reaches a child from the terminal and its parent."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except KeyboardInterrupt:
        _remove(folder)
        raise


def _make_private(folder: Path, path: Path) -> None:
    """Create the staging directory of `path`, which no other user reads."""
    try:
        folder.mkdir(0o700)
    except OSError as error:
        raise OutputError.of(path, error) from None


def remove_leftovers(path: Path, own: Path | None = None) -> bool:
    """Remove staging directories of `path` whose processes are gone; return whether others are in use."""
    busy = False
    for folder in path.parent.glob(f".{glob.escape(path.name)}.????????"):
        if folder == own or not (folder / LOCK).is_file():
            continue
        if _is_locked(folder / LOCK):
            busy = True
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return busy


def _lock(folder: Path) -> int | None:
    """Create the lock of a staging directory; return its descriptor, or None where files cannot be locked."""
    if fcntl is None:
        return None
    lock = -1
    try:
        lock = os.open(folder / "unlocked", os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / "unlocked").rename(folder / LOCK)  # no process sees it before it is locked
    except OSError:
        if lock >= 0:
            os.close(lock)
        return None
    return lock


def _is_locked(lock: Path) -> bool:
    """Return whether a living process holds a lock; True if that cannot be found out."""
    if fcntl is None:
        return True
    try:
        with lock.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:  # its process has just finished
        return False
    except OSError:
        return True
    return False


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


def check_name(path: Path) -> None:
    """Raise OutputError for an output whose name is not UTF-8, as USD requires, or that is a link in a circle."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise OutputError(f"{str(path)!a}: must be a name in UTF-8; choose another name") from None
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OutputError(f"{path}: is a symbolic link that leads in a circle; remove it") from None


def make_folder(path: Path) -> None:
    """Create the folder of an output, with those above it, before the work of the output begins.

    Raises:
        OutputError: as of `check_name`, or the folder cannot be created.
    """
    check_name(path)
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
