"""The folder of Taichi's kernel cache: writable, unlocked, and large enough for the kernels of many scenes.

Taichi kills the process at exit if the folder is not writable. If another process holds the lock, Taichi gives up after
a fraction of a second and, in silence, compiles everything anew; a process killed with the lock leaves it for ever.
"""

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import IO

SETTING = "TI_OFFLINE_CACHE_FILE_PATH"
LOCK = "ticache.lock"
TURN = "fajin.lock"
LOCK_SECONDS = 10.0  # Taichi holds its lock for the time in which it reads or writes files, some 100 ms
CACHE_OPTIONS = {"offline_cache_max_size_of_files": 2**30}  # of 100 MB, Taichi's own, a suite of scenes takes 150


def kernel_cache() -> Path:
    """Return the folder that Taichi derives from its variable, XDG_CACHE_HOME or HOME."""
    return Path(os.environ.get(SETTING) or cache_home() / "taichi" / "ticache")


def cache_home() -> Path:
    """Return the user's cache folder; a folder among temporary files for users without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # neither HOME nor an entry in the password database
        return Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"


def unwritable(folder: Path) -> str:
    """Return why a folder, created if missing, is not writable; "" if it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def prepare_kernel_cache() -> None:
    """Choose a writable cache folder before Taichi starts; report in one line if it is a temporary one.

    Raises:
            OSError: no folder for temporary files is writable either.
    """
    xdg, home = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME")
    if xdg == "" or (xdg is None and not home):  # Taichi aborts, or writes to the working folder
        os.environ["XDG_CACHE_HOME"] = str(cache_home())
    folder = kernel_cache()
    reason = unwritable(folder)
    if not reason:
        return
    spare = tempfile.mkdtemp(prefix="fajin-kernels-")
    os.environ[SETTING] = spare  # child processes do not repeat the message
    atexit.register(_leave, spare, os.getpid())
    print(
        f"fajin: kernel cache {folder}: cannot be written ({reason}): every run recompiles its kernels; "
        f"set {SETTING} to a writable folder",
        file=sys.stderr,
    )


def take_turns_in_cache() -> None:
    """Wait for a process that reads or writes Taichi's kernels, now and before Taichi writes them at exit."""
    wait_for_lock(kernel_cache())
    _write_in_turn(kernel_cache())


def wait_for_lock(folder: Path) -> None:
    """Wait until no process holds the lock of a kernel cache; remove a lock that a killed process left."""
    lock, waited = folder / LOCK, time.monotonic()
    while True:
        try:
            age = time.time() - lock.stat().st_mtime
            if max(age, time.monotonic() - waited) > LOCK_SECONDS:  # a file server may have another clock
                lock.unlink()
        except OSError:  # no lock, or not ours to remove
            return
        time.sleep(0.02)


@cache
def _write_in_turn(folder: Path) -> None:
    """Wait at exit, before Taichi writes its kernels."""
    atexit.register(wait_for_turn, folder)


def wait_for_turn(folder: Path) -> None:
    """Let processes that end at the same time write their kernels one after the other.

    The lock of this process goes with the process, whatever ends it.
    """
    with contextlib.suppress(ImportError, OSError):  # Windows has no such locks
        import fcntl

        turn = (folder / TURN).open("w")
        _kept_open.append(turn)
        end = time.monotonic() + LOCK_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.02)
    wait_for_lock(folder)


_kept_open: list[IO[str]] = []
"""Files whose locks last until the process has ended."""


def _leave(folder: str, owner: int) -> None:
    """Let Taichi write its kernels while the folder still exists, then remove the folder."""
    if os.getpid() == owner:
        if "taichi" in sys.modules:
            sys.modules["taichi"].reset()
        shutil.rmtree(folder, ignore_errors=True)
