"""The folder of Taichi's kernel cache; Taichi kills the process at exit if the folder is not writable."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

SETTING = "TI_OFFLINE_CACHE_FILE_PATH"


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


def _leave(folder: str, owner: int) -> None:
    """Let Taichi write its kernels while the folder still exists, then remove the folder."""
    if os.getpid() == owner:
        if "taichi" in sys.modules:
            sys.modules["taichi"].reset()
        shutil.rmtree(folder, ignore_errors=True)
