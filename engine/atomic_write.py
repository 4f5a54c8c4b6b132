"""Atomic output: files are written in a hidden folder beside their destination, then renamed into it."""

import errno
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
        fix = "make its folder first" if error.errno == errno.ENOENT else "free disk space or choose another folder"
        return cls(f"{path}: cannot be written ({error.strerror or error}); {fix}")


LOCK = "lock"
"""File in a staging directory that its process keeps locked; it is made first and removed last.

A directory whose lock is free, or that is empty, was left by a process that was killed.
"""


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
    folder, lock = _new_name(path), None  # known before it exists: an interrupt leaves none
    try:
        _make_private(folder, path)
        while (lock := _lock(folder)) is None:  # another process took the folder, not yet locked, for a leftover
            folder = _new_name(path)
            _make_private(folder, path)
        busy = remove_leftovers(path, folder)
        if exclusive and busy:
            raise OutputError(f"{path}: is being written by another process; wait for it, or choose another name")
        yield folder
    finally:
        _remove(folder)
        if lock is not None and lock >= 0:
            os.close(lock)


def _new_name(path: Path) -> Path:
    """Return a name for a staging directory of `path` that no other process uses."""
    return path.parent / f".{path.name}.{os.urandom(4).hex()}"


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last, also if an interrupt comes meanwhile: a child gets Ctrl-C more than once."""
    try:
        with suppress(OSError):  # another process removes it, too
            for entry in folder.iterdir():
                if entry.is_dir():
                    shutil.rmtree(entry, ignore_errors=True)
                elif entry.name != LOCK:
                    entry.unlink(missing_ok=True)
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
    folders = set(path.parent.glob(f".{glob.escape(path.name)}.????????")) - {own}
    return len(folders) > sum(map(_remove_leftover, folders))


def _remove_leftover(folder: Path) -> bool:
    """Remove a staging directory unless a process may use it; return whether none does.

    Its lock is held meanwhile: a process that has just made the folder, and not locked it, chooses another one.
    """
    if fcntl is None:
        return True
    try:
        with (folder / LOCK).open("rb+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder)
    except FileNotFoundError:
        with suppress(OSError):  # its process has just finished; or it holds files, and another program made it
            folder.rmdir()
    except OSError:
        return False
    return True


def _lock(folder: Path) -> int | None:
    """Create the lock of a staging directory.

    Returns:
        its descriptor; -1 where files cannot be locked; None if another process has removed the folder, or is about to.
    """
    if fcntl is None:
        return -1
    try:
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except FileNotFoundError:
        return None
    except OSError:
        return -1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_nlink:  # else it was removed before it was locked
            return lock
    except BlockingIOError:
        pass
    except OSError:
        os.close(lock)
        return -1
    os.close(lock)
    return None


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
