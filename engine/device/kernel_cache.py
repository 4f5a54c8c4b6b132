"""The folder in which Taichi keeps compiled kernels; where it cannot write there, it kills the process at its end."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

SETTING = "TI_OFFLINE_CACHE_FILE_PATH"


def kernel_cache() -> Path:
    """The folder, as Taichi finds it by its variable, XDG_CACHE_HOME or HOME."""
    return Path(os.environ.get(SETTING) or cache_home() / "taichi" / "ticache")


def cache_home() -> Path:
    """The user's folder for caches; one among temporary files for who has no home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # neither HOME nor an entry in the password database
        return Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"


def unwritable(folder: Path) -> str:
    """Why a folder, made if it is not there, takes no file; "" if it does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1))
    except OSError as error:
        return error.strerror
    return ""


def prepare_kernel_cache() -> None:
    """Find Taichi a folder that it can write, before it starts; says in one line where it is a temporary one.

    Raises:
        OSError: there is no folder for temporary files either.
    """
    xdg, home = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME")
    if xdg == "" or (xdg is None and not home):  # Taichi aborts, or writes where it is started
        os.environ["XDG_CACHE_HOME"] = str(cache_home())
    folder = kernel_cache()
    reason = unwritable(folder)
    if not reason:
        return
    spare = tempfile.mkdtemp(prefix="fajin-kernels-")
    os.environ[SETTING] = spare  # processes that this one starts say nothing more
    atexit.register(_leave, spare, os.getpid())
    print(
        f"fajin: kernel cache {folder}: cannot be written ({reason}): every run compiles its kernels anew; "
        f"set {SETTING} to a folder that can",
        file=sys.stderr,
    )


def _leave(folder: str, owner: int) -> None:
    """Have Taichi write its kernels while there still is a folder, and remove it."""
    if os.getpid() == owner:
        if "taichi" in sys.modules:
            sys.modules["taichi"].reset()
        shutil.rmtree(folder, ignore_errors=True)
